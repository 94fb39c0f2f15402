import type { Commit } from '../database/group-commit.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { isoTime } from '../text/format.ts'
import type { AdminSessionStore } from './session/admin-session-store.ts'
import type { AdminTokenStore } from './admin-token-store.ts'
import type { Actor } from './administrator.ts'
import { isLoopback, namesLoopback } from './own-names.ts'
import { sessionCookie } from './session/session-cookie.ts'

/** Who calls, and by which session; `session` is `null` where it was a token. */
export interface AdminAuthority {
  readonly actor: Actor
  readonly session: string | null
}

interface Dependencies {
  readonly sessions: Pick<AdminSessionStore, 'find' | 'see'>
  readonly tokens: Pick<AdminTokenStore, 'find' | 'use'>
  readonly commit: Commit
  /** Hears of what could not be written down: it is seen again with the next call. */
  readonly onError: (error: unknown) => void
}

/** `isUse`: whether the session or token is used by this, which keeps a session from ending. Default true. */
export type AuthorityOf = (request: Pick<Request, 'method' | 'headers'>, isUse?: boolean) => AdminAuthority | null

/** By a token, or else by the cookie of a session; `null`: the call is nobody's. */
export function createAuthorityOf({ sessions, tokens, commit, onError }: Dependencies): AuthorityOf {
  return ({ headers }, isUse = true) => {
    const bearer = bearerIn(headers)
    // A token that was sent must be right, also where a cookie would do.
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

/** Why whoever calls is nobody. */
export function nobodyRefusalOf(headers: Pick<Headers, 'get'>, tokens: Pick<AdminTokenStore, 'find'>): Failure {
  const token = tokens.find(bearerIn(headers) ?? '')?.token
  // Until a moment ago it was good for more than to learn this.
  const sentence =
    token === undefined || token.expiresAt === null
      ? 'Sign in first, or send a token: Authorization: Bearer bha_….'
      : `This token ended at ${isoTime(token.expiresAt)}: bellhop admin token makes another one.`
  return failure('InvalidCredentials', sentence, { 'www-authenticate': 'Bearer' })
}

function bearerIn(headers: Pick<Headers, 'get'>): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/**
 * Why a call with the cookie of a session may change nothing: it cannot be told that a page of ours makes it. Browsers say
 * with each call that is no GET which page does (Fetch standard, "origin header"); `null`: they have, and a foreign page
 * has been refused before.
 */
export function changeRefusalOf({ method, headers }: Pick<Request, 'method' | 'headers'>): Failure | null {
  if (method === 'GET' || headers.get('origin') !== null || headers.get('sec-fetch-site') === 'same-origin') return null
  return failure('ForbiddenError', 'A change by a session needs the header Origin; programs send a token instead.')
}

/**
 * Whether this machine calls, for nobody else: from loopback, by a loopback name, and with no word of a proxy. A proxy on
 * this machine passes on the Host of its callers, or adds a forwarding header. `peer`: the address at the other end.
 */
export function isLocal(peer: string, headers: Pick<Headers, 'get' | 'has'>): boolean {
  return isLoopback(peer) && namesLoopback(headers) && !FORWARDED.some((name) => headers.has(name))
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']
