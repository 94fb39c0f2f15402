import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Application } from '../application/application.ts'
import { failure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { RateVerdict } from '../usage/rate-limiter.ts'
import { addRateLimit, tooMany } from './admission.ts'
import type { Admit } from './admission.ts'
import { hideStream, readBody } from './body.ts'
import type { CallerOf } from './client-address.ts'
import { answerHeaders, noSuchPath, refuse } from './failures.ts'
import type { OnRefused } from './failures.ts'
import { addressOf } from './listener.ts'
import { pathOf, PathTable } from './path-table.ts'

/** What the routes of one path, or pattern, allow, read off the routes themselves: there is no second table. */
interface Path {
  /** As the route has it: `/push/:id`. */
  readonly route: string
  /** Method → what it asks of the caller. */
  readonly methods: Map<string, 'open' | 'application' | 'secret'>
  readonly allow: string
}

/** For pages of other origins (Fetch standard). No cookie is involved, so none is put at risk. */
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Link, Allow',
}

export interface Gate {
  /** The plugin every guarded route uses: it gives handlers `application`, `withSecret` and `address`, the caller's where
   * it sent no secret, and reads their bodies. */
  readonly plugin: ReturnType<typeof gatePlugin>
  /** To be called once with the finished app, before its first request. Throws for a route that forgot its `security`. */
  learn(app: AnyElysia): void
  /** The route that a URL leads to, such as `/push/:id`; `null` for none. */
  routeOf(url: string): string | null
  /** The address of whoever calls. */
  addressOf(request: Request): string
}

export interface GateOptions {
  /** Whose call it is. Default: the address at the other end of the connection. */
  readonly callerOf?: CallerOf
  readonly onRefused?: OnRefused
  /** Takes one call from the bucket of an address for what is open to everybody: pages and their files. Default: no limit. */
  readonly takeOpen?: (address: string) => RateVerdict
  /** Whether a body that is not UTF-8 is read with replacement characters. Default false. */
  readonly looseText?: boolean
}

/**
 * The one way in: each request gets its id, is held against the routes (404, 405) and then against admission, all
 * from its first line and headers. Open is only a route that is hidden from the documentation, without `security`.
 */
export function createGate(admit: Admit, options: GateOptions = {}): Gate {
  const paths = new PathTable<Path>()
  /** The app, once it is finished. */
  const served: { app: AnyElysia | null } = { app: null }
  return {
    plugin: gatePlugin(admit, options, paths, served),
    learn(app) {
      served.app = app
      // Elysia takes a function that returns what another one does for async, and would wait for each.
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
      // Filled in by onRequest, which runs first for every route that is guarded.
      .decorate('application', null as unknown as Application)
      .decorate('withSecret', false as boolean)
      .decorate('address', null as string | null)
      // Elysia reads the text of its hooks: a context that is handed on is one whose cookies and query it parses first.
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
        // A hook that names the server of its context has Elysia define a getter on each: with the headers above, 0.8 of
        // 21 µs that a launch took beside HTTP (2026-11-22, medians of three).
        const callersAddress = () => callerOf(addressOf(request, served.app?.server ?? null), headers)
        if (asks === 'open') {
          // Whoever asks for this asks often, and it costs nothing.
          const bucket = path === '/healthz' ? null : takeOpen?.(callersAddress())
          return bucket?.allowed === false ? turnAway(request, id, tooMany(bucket)) : undefined
        }

        const verdict = admit({ method, path, headers, addressOf: callersAddress }, asks === 'secret')
        if (verdict.kind === 'refused') return turnAway(request, id, verdict.why)
        // What `Response.json` adds itself where it is absent, which takes 0.6 µs more (measured, Bun 1.4.5).
        set.headers['content-type'] = 'application/json;charset=utf-8'
        addRateLimit(set.headers, verdict.bucket)
        hideStream(request)
        context.application = verdict.application
        context.withSecret = verdict.withSecret
        context.address = verdict.address
        return undefined
      })
      .onParse({ as: 'global' }, ({ request, set }) =>
        readBody(request, String(set.headers['x-request-id']), looseText),
      )
  )
}

/**
 * HEAD is GET without the body (RFC 9110, 9.3.2): Bun sends the head alone, with the Content-Length, and ends a stream
 * unread (measured, Bun 1.4.5).
 */
export function readHeadAsGet(request: Request): void {
  // A new Request would have to carry over the signal, and Bun knows the address of the caller by this one.
  if (request.method === 'HEAD') Object.defineProperty(request, 'method', { value: 'GET' })
}

function pathsOf(app: AnyElysia): Map<string, Path> {
  const found = new Map<string, Map<string, 'open' | 'application' | 'secret'>>()
  for (const { path, method, hooks } of app.routes) {
    const security: readonly object[] = hooks.detail?.security ?? []
    const asks = security.some((way) => 'secret' in way) ? 'secret' : security.length > 0 ? 'application' : 'open'
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

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')
}

/** A real CORS preflight (Fetch standard); any other OPTIONS is a method like the rest. */
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
