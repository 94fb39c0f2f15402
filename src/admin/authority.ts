import type { Commit } from '../database/group-commit.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { isoTime } from '../text/format.ts'
import type { AdminSessionStore } from './session/admin-session-store.ts'
import type { AdminTokenStore } from './admin-token-store.ts'
import type { Actor } from './administrator.ts'
import { isLoopback, namesLoopback } from './own-names.ts'
import { sessionCookie } from './session/session-cookie.ts'

/** `session`: `null` for a token. */
export interface AdminAuthority {
  readonly actor: Actor
  readonly session: string | null
}

interface Dependencies {
  readonly sessions: Pick<AdminSessionStore, 'find' | 'see'>
  readonly tokens: Pick<AdminTokenStore, 'find' | 'use'>
  readonly commit: Commit
  readonly onError: (error: unknown) => void
}

/** `isUse`: whether this counts as use, which keeps a session alive. Default true. */
export type AuthorityOf = (request: Pick<Request, 'method' | 'headers'>, isUse?: boolean) => AdminAuthority | null

/** By a token, else by a session's cookie; `null`: neither is valid. */
export function createAuthorityOf({ sessions, tokens, commit, onError }: Dependencies): AuthorityOf {
  return ({ headers }, isUse = true) => {
    const bearer = bearerIn(headers)
    // An invalid token is refused even beside a valid cookie.
    if (bearer !== undefined) {
      const found = tokens.find(bearer)
      if (found === null || found.isOver) return null
      const { name, purpose, expiresAt } = found.token
      if (isUse && found.isStale) void commit(() => tokens.use(name)).catch(onError)
      return { actor: { kind: 'token', name, purpose, expiresAt }, session: null }
    }
    const session = sessionCookie.in(headers)
    const found = session === null ? null : sessions.find(session)
    if (session === null || found === null) return null
    if (isUse && found.isStale) void commit(() => sessions.see(session)).catch(onError)
    const { number, name } = found.administrator
    return { actor: { kind: 'administrator', number, name }, session }
  }
}

export function nobodyRefusalOf(headers: Pick<Headers, 'get'>, tokens: Pick<AdminTokenStore, 'find'>): Failure {
  const token = tokens.find(bearerIn(headers) ?? '')?.token
  // Safe to tell: the caller had the whole token.
  const sentence =
    token === undefined || token.expiresAt === null
      ? 'Sign in first, or send a token: Authorization: Bearer bha_….'
      : `This token expired at ${isoTime(token.expiresAt)}: create another with bellhop admin token.`
  return failure('InvalidCredentials', sentence, { 'www-authenticate': 'Bearer' })
}

function bearerIn(headers: Pick<Headers, 'get'>): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/**
 * Refuses a session's change without Origin, which all browsers send (Fetch standard, "origin header"). `siteRefusalOf`
 * refuses pages of other sites.
 */
export function changeRefusalOf({ method, headers }: Pick<Request, 'method' | 'headers'>): Failure | null {
  if (method === 'GET' || headers.get('origin') !== null || headers.get('sec-fetch-site') === 'same-origin') return null
  return failure('ForbiddenError', 'A change by a session needs the header Origin; programs send a token instead.')
}

/**
 * Whether this machine itself calls: from loopback, to a loopback name, without a proxy's headers. `peer`: the address
 * at the other end.
 */
export function isLocal(peer: string, headers: Pick<Headers, 'get' | 'has'>): boolean {
  return isLoopback(peer) && namesLoopback(headers) && !FORWARDED.some((name) => headers.has(name))
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']
