import type { AnyElysia } from 'elysia'
import { DAY_MS, sleep, systemClock } from '../clock.ts'
import { failure, StartRefused } from '../failure.ts'
import type { Log } from '../log.ts'
import { hostPort } from '../settings/network-types.ts'
import type { ListenAddress } from '../settings/network-types.ts'
import { codeOf, describeError } from '../text/error-code.ts'
import { answerHeaders, refuse } from './failures.ts'
import { pathOf, PathTable } from './path-table.ts'
import type { TlsPair } from './tls-files.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_SECONDS = 30

export interface Listener {
  /** `http://127.0.0.1:8790`, with the port that was picked where 0 was asked for; `https://…` with TLS. */
  readonly url: string
  /**
   * Serves with another certificate from now on. Calls under way are answered; of connections only those stay that have
   * one. Throws `StartRefused` where another process has taken the port in that moment: call it again.
   */
  renew(tls: TlsPair): void
  /** Takes no new connections; resolves when the calls under way are answered. */
  stop(): Promise<void>
  /** Ends what is still under way. */
  abort(): void
}

/** Hears of each call the app has answered, and in how many milliseconds; a long body is still to be sent then. */
type OnAnswer = (request: Request, response: Response, ms: number) => void

interface Options {
  readonly onAnswer?: OnAnswer
  /** `null`, the default: plain HTTP. */
  readonly tls?: TlsPair | null
  /** With `tls`: for how many days browsers are to come by https alone. Default 0: no longer. */
  readonly hstsDays?: number
}

/** Serves an app, which may be made with the first call. Throws `StartRefused` when the address cannot be had. */
export function listen(
  appOf: () => AnyElysia,
  { host, port: wanted }: ListenAddress,
  log: Log,
  { onAnswer, tls = null, hstsDays = 0 }: Options = {},
): Listener {
  const answer = (request: Request) => {
    if (request.method === 'CONNECT') return refuseTunnel()
    const app = appOf()
    app.server = server
    return app.fetch(withPlainPath(request))
  }
  const hearers = [
    ...(tls === null ? [] : [bindsToTls(hstsDays)]),
    ...(onAnswer ? [onAnswer] : []),
    ...(log.writes('debug') ? [accessLog(log, appOf)] : []),
  ]
  const heard = (request: Request) => {
    const started = performance.now()
    const hear = (response: Response) => {
      const ms = performance.now() - started
      for (const hearer of hearers) hearer(request, response, ms)
      return response
    }
    const answered = answer(request)
    return answered instanceof Response ? hear(answered) : answered.then(hear)
  }
  let server = bind(wanted, tls)
  const { port = wanted } = server
  /** Listen no more, and still answer. */
  const leaving = new Set<typeof server>()

  return {
    url: `${tls === null ? 'http' : 'https'}://${hostPort({ host, port })}`,
    renew(renewed) {
      // `server.reload` keeps the old certificate (measured, Bun 1.4.5). Stopped first: with SO_REUSEPORT, which would
      // let both listen for a moment, as many connections are reset, and a second service may share the port unseen.
      const before = server
      leaving.add(before)
      void stop(before).then(() => leaving.delete(before))
      server = bind(port, renewed)
    },
    stop: async () => void (await Promise.all([server, ...leaving].map(stop))),
    abort() {
      for (const each of [server, ...leaving]) void each.stop(true)
    },
  }

  function bind(at: number, pair: TlsPair | null) {
    try {
      return Bun.serve({
        hostname: host,
        port: at,
        ...(pair !== null && { tls: pair }),
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        // Elysia's own listen() sets it: a second service would then share the port without an error.
        reusePort: false,
        // `body.ts` answers a large body with the decided failure; Bun's own answer has no body and no request id.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        fetch: hearers.length > 0 ? heard : answer,
        error(error) {
          const requestId = Bun.randomUUIDv7()
          log.error('request failed outside the app', { requestId, error: describeError(error) })
          return refuse(failure('InternalError', `Internal error. Support ID ${requestId}`, answerHeaders(requestId)))
        },
      })
    } catch (error) {
      const code = codeOf(error)
      if (code === null) throw error
      throw new StartRefused(`Cannot listen on ${hostPort({ host, port: at })}: ${REASONS[code] ?? code}.`)
    }
  }
}

/**
 * RFC 6797, 6.1. Not of subdomains, which may be other machines. 0 has a browser forget it, where it is only left out it
 * would remember.
 */
function bindsToTls(days: number): OnAnswer {
  const value = `max-age=${(days * DAY_MS) / 1000}`
  return (_, response) => response.headers.set('strict-transport-security', value)
}

/** What CONNECT names is a host, and no path; what follows it is no HTTP (RFC 9110, 9.3.6). */
function refuseTunnel(): Response {
  const headers = { ...answerHeaders(Bun.randomUUIDv7()), allow: '', connection: 'close' }
  return refuse(failure('MethodNotAllowedError', 'CONNECT is not allowed', headers))
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there (EADDRINUSE)',
  EADDRNOTAVAIL: 'this machine has no such address (EADDRNOTAVAIL)',
  EACCES: 'a port below 1024 is for root, or for a service with CAP_NET_BIND_SERVICE (EACCES)',
}

/** Of the caller only the route, for the rest of a path, a query or a header may hold what is secret. */
function accessLog(log: Log, appOf: () => AnyElysia): OnAnswer {
  let routes: PathTable<string> | null = null
  return (request, response, ms) => {
    routes ??= routesOf(appOf())
    log.debug('call', {
      requestId: response.headers.get('x-request-id'),
      method: request.method,
      route: routes.find(pathOf(request.url)) ?? 'unknown',
      status: response.status,
      ms: Math.round(ms * 10) / 10,
    })
  }
}

function routesOf(app: AnyElysia): PathTable<string> {
  const routes = new PathTable<string>()
  for (const { path } of app.routes) routes.set(path, path)
  return routes
}

/** Milliseconds between two looks at a server that stops. */
const LOOK_MS = 10

/** Takes no new connections; resolves when the calls under way are answered. */
async function stop(server: Pick<Bun.Server<unknown>, 'pendingRequests' | 'stop'>): Promise<void> {
  await Promise.race([server.stop(), answered(server)])
}

/**
 * Resolves when no call is under way. Bun's own promise may not: a connection on which more of a body came after the
 * answer, such as one too large, counts as busy until it is closed (measured, Bun 1.4.5). Sockets go by the time of the system,
 * whatever clock the service has.
 */
async function answered(server: Pick<Bun.Server<unknown>, 'pendingRequests'>): Promise<void> {
  while (server.pendingRequests > 0) await sleep(systemClock, LOOK_MS)
}

/** The network address of the caller; `''` where the connection is already gone. */
export function addressOf(request: Request, server: AnyElysia['server']): string {
  return server?.requestIP(request)?.address ?? ''
}

/** Elysia looks for the path from this character of a URL on, so it misses that of `http://x/` and `https://x/`. */
const PATH_FROM = 11

/**
 * Gives a request a URL whose path the gate and the router read alike. Repeated slashes become one, as in the servers
 * for which the contract was written (test/api/http/admission.test.ts). Where the Host header is absent (HTTP/1.0) or
 * no host, Bun's URL is a bare path; there, and where the host is short, a host of our own stands in.
 */
function withPlainPath(request: Request): Request {
  const { url } = request
  const from = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  if (from >= PATH_FROM && !url.includes('//', from)) return request
  const query = url.indexOf('?', from)
  const path = query === -1 ? url.slice(from) : url.slice(from, query)
  const plain = `http://localhost${path.replaceAll(/\/{2,}/g, '/')}${url.slice(from + path.length)}`
  // A new Request would have to carry over the body, and Bun then never answers to one that is too large.
  return Object.defineProperty(request, 'url', { value: plain })
}
