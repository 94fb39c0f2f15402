import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Application } from '../application/application.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { RateVerdict } from '../usage/rate-limiter.ts'
import { addRateLimit, tooMany } from './admission.ts'
import type { Admit } from './admission.ts'
import { hideStream, readBody, readRawBody } from './body.ts'
import type { CallerOf } from './client-address.ts'
import { answerHeaders, noSuchPath, refuse } from './failures.ts'
import type { OnRefused } from './failures.ts'
import { addressOf } from './listener.ts'
import { pathOf, PathTable } from './path-table.ts'

interface Path {
  /** `/push/:id` */
  readonly route: string
  readonly methods: Map<string, Asks>
  readonly allow: string
}

/** `itself`: the route admits its callers, and gets the body as it came. */
type Asks = 'open' | 'application' | 'secret' | 'itself'

/** CORS for all origins (Fetch standard): safe, since there are no cookies. */
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Link, Allow',
}

export interface AuditedCall {
  readonly application: Application
  readonly request: Request
  readonly action: string
  readonly detail?: Readonly<Record<string, unknown>>
}

export type Audited = <T>(call: AuditedCall, work: () => T) => T

export interface Gate {
  /** For every guarded route. Handlers get the body, `application`, `withSecret`, and without the secret `address`. */
  readonly plugin: ReturnType<typeof gatePlugin>
  /** Call once with the finished app, before its first request. Throws for a route without `security`. */
  learn(app: AnyElysia): void
  /** `/push/:id`; `null`: none. */
  routeOf(url: string): string | null
  addressOf(request: Request): string
}

export interface GateOptions {
  /** Default: the connection's peer. */
  readonly callerOf?: CallerOf
  readonly onRefused?: OnRefused
  /** Limits calls to pages and files, and those to routes that admit their callers. Default: no limit. */
  readonly takeOpen?: (address: string, asks: 'open' | 'itself') => RateVerdict
  /** Default false. */
  readonly looseText?: boolean
}

/**
 * Checks the first line and headers of every request: the route (404, 405), then admission. Only undocumented routes
 * may be open, without `security`.
 */
export function createGate(admit: Admit, options: GateOptions = {}): Gate {
  const paths = new PathTable<Path>()
  const served: { app: AnyElysia | null } = { app: null }
  return {
    plugin: gatePlugin(admit, options, paths, served),
    learn(app) {
      served.app = app
      // Elysia takes this hook for async, and would await each call.
      for (const hook of app.event.request ?? []) hook.isAsync = false
      for (const [path, entry] of pathsOf(app)) paths.set(path, entry)
    },
    routeOf: (url) => paths.find(pathOf(url))?.route ?? null,
    addressOf: (request) =>
      (options.callerOf ?? ((peer) => peer))(addressOf(request, served.app?.server ?? null), request.headers),
  }
}

function gatePlugin(
  admit: Admit,
  { callerOf = (peer) => peer, onRefused = () => {}, takeOpen, looseText = false }: GateOptions,
  paths: PathTable<Path>,
  served: { readonly app: AnyElysia | null },
) {
  function turnAway(request: Request, requestId: string, why: Failure): Response {
    onRefused(request, requestId, why)
    return refuse(why)
  }

  return (
    new Elysia({ name: 'gate' })
      // Set by onRequest for every guarded route.
      .decorate('application', null as unknown as Application)
      .decorate('withSecret', false as boolean)
      .decorate('address', null as string | null)
      .decorate('isRaw', false as boolean)
      // Elysia reads the source of hooks: passing the context on would make it parse cookies and query first.
      .onRequest((context) => {
        const { request, set } = context
        const { headers } = request
        const path = pathOf(request.url)
        const id = Bun.randomUUIDv7()
        set.headers = answerHeaders(id)
        set.headers['vary'] = 'Origin'
        if (headers.has('origin')) Object.assign(set.headers, CROSS_ORIGIN)

        const known = paths.find(path)
        if (known === null) return turnAway(request, id, noSuchPath(path))
        if (known.methods.has('GET')) readHeadAsGet(request)
        const { method } = request
        const asks = known.methods.get(method)
        if (asks === undefined) {
          if (isPreflight(request)) return preflight(known, headers)
          return turnAway(
            request,
            id,
            failure('MethodNotAllowedError', `${method} is not allowed`, { allow: known.allow }),
          )
        }
        // Not `context.server`: for that Elysia defines a getter on each request, which costs up to 0.8 of 21 µs.
        const callersAddress = () => callerOf(addressOf(request, served.app?.server ?? null), headers)
        if (asks === 'open' || asks === 'itself') {
          context.isRaw = asks === 'itself'
          const bucket = path === '/healthz' ? null : takeOpen?.(callersAddress(), asks)
          return bucket?.allowed === false ? turnAway(request, id, tooMany(bucket)) : undefined
        }

        const verdict = admit({ method, path, headers, addressOf: callersAddress }, asks === 'secret')
        if (verdict.kind === 'refused') return turnAway(request, id, verdict.why)
        // Set here because `Response.json` takes 0.6 µs longer to add it (Bun 1.4.5).
        set.headers['content-type'] = 'application/json;charset=utf-8'
        addRateLimit(set.headers, verdict.bucket)
        hideStream(request)
        context.application = verdict.application
        context.withSecret = verdict.withSecret
        context.address = verdict.address
        return undefined
      })
      .onParse({ as: 'global' }, ({ request, set, isRaw }) =>
        isRaw ? readRawBody(request) : readBody(request, String(set.headers['x-request-id']), looseText),
      )
  )
}

/** Of a route's `detail`. */
export const ADMITS_ITSELF = 'x-admits-itself'

/** HEAD is GET without the body (RFC 9110, 9.3.2): Bun 1.4.5 sends only the head, with its Content-Length. */
export function readHeadAsGet(request: Request): void {
  // A new Request would lose the signal and the caller's address.
  if (request.method === 'HEAD') Object.defineProperty(request, 'method', { value: 'GET' })
}

function pathsOf(app: AnyElysia): Map<string, Path> {
  const found = new Map<string, Map<string, Asks>>()
  for (const { path, method, hooks } of app.routes) {
    const security: readonly object[] = hooks.detail?.security ?? []
    const asks = hooks.detail?.[ADMITS_ITSELF] === true ? 'itself' : asked(security)
    if (asks === 'open' && hooks.detail?.hide !== true) throw new Error(`${method} ${path} documents no security.`)
    const methods = found.get(path) ?? new Map()
    found.set(path, methods.set(method, asks))
  }
  return new Map(
    [...found].map(([path, methods]) => {
      const allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].toSorted().join(', ')
      return [path, { route: path, methods, allow }]
    }),
  )
}

function asked(security: readonly object[]): Asks {
  if (security.some((way) => 'secret' in way)) return 'secret'
  return security.length > 0 ? 'application' : 'open'
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}

function preflight(path: Path, headers: Headers): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': path.allow,
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
      'access-control-max-age': '86400',
    },
  })
}
