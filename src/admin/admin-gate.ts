import { Elysia } from 'elysia'
import { failure, Refused } from '../failure.ts'
import { readBody } from '../http/body.ts'
import type { CallerOf } from '../http/client-address.ts'
import { answerHeaders, noSuchPath, refuse } from '../http/failures.ts'
import { readHeadAsGet } from '../http/gate.ts'
import { addressOf } from '../http/listener.ts'
import { isDecodable, pathOf } from '../http/path-table.ts'
import { withoutCaller } from './administrator.ts'
import type { Actor } from './administrator.ts'
import { changeRefusalOf, isLocal, nobodyRefusalOf } from './authority.ts'
import type { AuthorityOf } from './authority.ts'
import type { AdminTokenStore } from './admin-token-store.ts'
import type { AuditedCalls, Change } from './audited-calls.ts'
import { hostRefusalOf, siteRefusalOf } from './own-names.ts'
import { BUSY } from './password.ts'
import type { Passwords } from './password.ts'
import { OPEN_ROUTES, routePurpose } from './routes/route-purposes.ts'
import { isEnough, lesserPurposeText } from './token-purpose.ts'

/** Readable from this machine without signing in: see `isLocal`. */
const LOCAL = /^\/(?:readyz|metrics|simulator\/received|pushes\/[^/]*)$/

/** Handlers of these paths read the body themselves. */
const HANDED_ON = /^\/api\/(?:applications\/[^/]+\/v1\/|arrival$)/

/** Elysia's route for unknown paths. */
const NO_ROUTE = '/*'

/** Other paths are the dashboard's page, the same for everyone. */
const CALLS = /^\/(?:healthz$|api\/)/

interface Dependencies {
  /** See `hostRefusalOf`. */
  readonly names: ReadonlySet<string>
  readonly authorityOf: AuthorityOf
  readonly tokens: Pick<AdminTokenStore, 'find'>
  readonly callerOf: CallerOf
  readonly passwords: Pick<Passwords, 'isFull'>
  readonly calls: Pick<AuditedCalls, 'came'>
}

export type AdminGate = ReturnType<typeof createAdminGate>

/**
 * Checks each call's Host, caller and token purpose. Handlers get `actor`, `session`, the caller's `address`, the body,
 * and `change` to commit by. Guards `/api` and the paths of `LOCAL`.
 */
export function createAdminGate({ names, authorityOf, tokens, callerOf, passwords, calls }: Dependencies) {
  return new Elysia({ name: 'admin-gate' })
    .decorate('actor', null as Actor | null)
    .decorate('session', null as string | null)
    .decorate('address', '')
    .decorate('change', withoutCaller as Change)
    .onRequest((context) => {
      const { request, set } = context
      const { headers } = request
      readHeadAsGet(request)
      set.headers = answerHeaders(Bun.randomUUIDv7())
      const { method } = request
      const path = pathOf(request.url)
      const isLocalCall = LOCAL.test(path)
      const isCall = isLocalCall || CALLS.test(path)
      const refusal = hostRefusalOf(headers, names) ?? (isCall ? siteRefusalOf(headers) : null)
      if (refusal !== null) return refuse(refusal)
      if (!isCall) return undefined
      if (!isDecodable(path)) return refuse(noSuchPath(path))
      // Before the body is read: 300 bodies at once block the API longer than checking their passwords.
      if (path === '/api/session' && method === 'POST' && passwords.isFull()) return refuse(BUSY)

      const peer = addressOf(request, context.server)
      const authority = authorityOf(request)
      const address = callerOf(peer, headers)
      context.actor = authority === null ? null : { ...authority.actor, origin: address }
      context.session = authority?.session ?? null
      context.address = address
      if (OPEN_ROUTES.includes(`${method} ${path}`) || (isLocalCall && isLocal(peer, headers))) return undefined
      if (authority === null) return refuse(nobodyRefusalOf(headers, tokens))
      if (context.actor !== null) context.change = calls.came(request, context.actor)
      const change = authority.session === null ? null : changeRefusalOf(request)
      return change === null ? undefined : refuse(change)
    })
    .onParse({ as: 'global' }, ({ request, set }) => {
      // Without a return value Elysia reads the body.
      if (HANDED_ON.test(pathOf(request.url))) return {}
      return readBody(request, String(set.headers['x-request-id']), false)
    })
    .onTransform({ as: 'global' }, ({ actor, request, route }) => {
      // By the matched route, so the router and the gate cannot read a path differently.
      if (actor?.kind !== 'token' || route === NO_ROUTE) return
      const needed = routePurpose(request.method, route)
      if (isEnough(actor.purpose, needed)) return
      throw new Refused(failure('ForbiddenError', lesserPurposeText(actor.purpose, needed)))
    })
}
