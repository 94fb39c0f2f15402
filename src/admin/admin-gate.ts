import { Elysia } from 'elysia'
import { failure, Refused } from '../failure.ts'
import { readBody } from '../http/body.ts'
import type { CallerOf } from '../http/client-address.ts'
import { answerHeaders, refuse } from '../http/failures.ts'
import { readHeadAsGet } from '../http/gate.ts'
import { addressOf } from '../http/listener.ts'
import { pathOf } from '../http/path-table.ts'
import type { Actor } from './administrator.ts'
import { changeRefusalOf, isLocal, nobodyRefusalOf } from './authority.ts'
import type { AuthorityOf } from './authority.ts'
import type { AdminTokenStore } from './admin-token-store.ts'
import { hostRefusalOf, siteRefusalOf } from './own-names.ts'
import { BUSY } from './password.ts'
import type { Passwords } from './password.ts'
import type { RefusedCalls } from './refused-calls.ts'
import { routePurpose } from './routes/route-purposes.ts'
import { isEnough, lesserPurposeText } from './token-purpose.ts'

/** What is answered to anybody: whether it lives, and what the page asks before somebody is signed in. */
const OPEN: ReadonlySet<string> = new Set([
  'GET /healthz',
  'GET /api/session',
  'POST /api/session',
  'POST /api/session/code',
  'POST /api/link',
  'POST /api/link/look',
])

/** What this machine may read without a word: see `isLocal`. */
const LOCAL = /^\/(?:readyz|metrics|simulator\/received|pushes\/[^/]*)$/

/** What is handed on to the public API, which reads the body by itself. */
const HANDED_ON = /^\/api\/applications\/[^/]+\/v1\//

/** What nothing else answers: it is not there. */
const NO_ROUTE = '/*'

/** The rest is the page, which is the same for everybody. */
const CALLS = /^\/(?:healthz$|api\/)/

interface Dependencies {
  /** Host names that the listener answers to, in lower case, beside localhost and any address. */
  readonly names: ReadonlySet<string>
  readonly authorityOf: AuthorityOf
  readonly tokens: Pick<AdminTokenStore, 'find'>
  /** Whose call it is, behind a proxy. */
  readonly callerOf: CallerOf
  readonly passwords: Pick<Passwords, 'isFull'>
  readonly refusals: Pick<RefusedCalls, 'came'>
}

export type AdminGate = ReturnType<typeof createAdminGate>

/**
 * The way into the admin side: the name it is called by, whose call it is, and whether a token is for that. It gives
 * handlers `actor` and `session`, and `address`, the caller's, and reads their bodies. Guarded is what is below /api, and what tells of the service.
 */
export function createAdminGate({ names, authorityOf, tokens, callerOf, passwords, refusals }: Dependencies) {
  return new Elysia({ name: 'admin-gate' })
    .decorate('actor', null as Actor | null)
    .decorate('session', null as string | null)
    .decorate('address', '')
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
      // Before its body is read: 300 tries at once would hold up the API for longer than their passwords do.
      if (path === '/api/session' && method === 'POST' && passwords.isFull()) return refuse(BUSY)

      const peer = addressOf(request, context.server)
      const authority = authorityOf(request)
      const address = callerOf(peer, headers)
      context.actor = authority === null ? null : { ...authority.actor, origin: address }
      context.session = authority?.session ?? null
      context.address = address
      if (OPEN.has(`${method} ${path}`) || (isLocalCall && isLocal(peer, headers))) return undefined
      if (authority === null) return refuse(nobodyRefusalOf(headers, tokens))
      if (context.actor !== null) refusals.came(request, context.actor)
      const change = authority.session === null ? null : changeRefusalOf(request)
      return change === null ? undefined : refuse(change)
    })
    .onParse({ as: 'global' }, ({ request, set }) => {
      // Nothing at all would have Elysia read the body.
      if (HANDED_ON.test(pathOf(request.url))) return {}
      return readBody(request, String(set.headers['x-request-id']), false)
    })
    .onTransform({ as: 'global' }, ({ actor, request, route }) => {
      // By the route that was found, so that router and gate cannot take a path for different ones.
      if (actor?.kind !== 'token' || route === NO_ROUTE) return
      const needed = routePurpose(request.method, route)
      if (isEnough(actor.purpose, needed)) return
      throw new Refused(failure('ForbiddenError', lesserPurposeText(actor.purpose, needed)))
    })
}
