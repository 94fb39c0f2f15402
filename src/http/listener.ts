import { isIP } from 'node:net'
import type { AnyElysia } from 'elysia'
import { DAY_MS, sleep, systemClock } from '../clock.ts'
import { failure, StartRefused } from '../failure.ts'
import type { FailureCode } from '../failure.ts'
import type { Log } from '../log.ts'
import { hostPort } from '../settings/network-types.ts'
import type { ListenAddress } from '../settings/network-types.ts'
import { flagOf } from '../settings/table.ts'
import type { SettingName } from '../settings/table.ts'
import { codeOf, describeError } from '../text/error-code.ts'
import { answerHeaders, refuse } from './failures.ts'
import { pathOf, PathTable } from './path-table.ts'
import type { TlsPair } from './tls-files.ts'

const IDLE_TIMEOUT_SECONDS = 30

export interface Listener {
  /** With the actual port: `http://127.0.0.1:8790`. */
  readonly url: string
  /**
   * Changes the certificate. Open calls are answered; other connections are closed. Throws `StartRefused` if another
   * process takes the port in that moment: call it again.
   */
  renew(tls: TlsPair): void
  stop(): Promise<void>
  abort(): void
}

/** Called with the answer, after `ms`; the body may still be on its way. */
type OnAnswer = (request: Request, response: Response, ms: number) => void

interface Options {
  readonly onAnswer?: OnAnswer
  /** Answers in place of the app; `null`: the app does. `address`: the connection's peer. */
  readonly elsewhere?: (request: Request, address: () => string) => Response | Promise<Response> | null
  /** `null`, the default: plain HTTP. */
  readonly tls?: TlsPair | null
  /** For messages. */
  readonly setting?: SettingName
  /** With `tls`: days of Strict-Transport-Security. Default 0, which ends it. */
  readonly hstsDays?: number
}

/** `appOf` is first called with the first request. Throws `StartRefused` if the address is not available. */
export function listen(
  appOf: () => AnyElysia,
  { host, port: wanted }: ListenAddress,
  log: Log,
  { onAnswer, elsewhere, tls = null, hstsDays = 0, setting }: Options = {},
): Listener {
  const answer = (request: Request): Response | Promise<Response> => {
    if (request.method === 'CONNECT') return refuseTunnel()
    // Bun joins them. Servers must refuse them (RFC 9112, 3.2).
    if (request.headers.get('host')?.includes(',') === true) return hangUp('InvalidHeader', 'Host must be sent once.')
    const app = appOf()
    app.server = server
    const plain = withPlainPath(request)
    return elsewhere?.(plain, () => addressOf(request, server)) ?? app.fetch(plain)
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
  /** Servers that no longer listen, but still answer. */
  const leaving = new Set<typeof server>()

  return {
    url: `${tls === null ? 'http' : 'https'}://${hostPort({ host, port })}`,
    renew(renewed) {
      // `server.reload` keeps the old certificate (Bun 1.4.5). SO_REUSEPORT would let both listen briefly, but resets
      // as many connections, and a second service could share the port unnoticed.
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
        // Otherwise a second service could share the port without an error.
        reusePort: false,
        // `body.ts` refuses large bodies itself: Bun's answer has no body and no request ID.
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
      const flag = setting === undefined ? '' : ` (--${flagOf(setting)})`
      const reason = code === 'EINVAL' && isIP(host) === 0 ? NO_SUCH_NAME : (REASONS[code] ?? code)
      throw new StartRefused(`Cannot listen on ${hostPort({ host, port: at })}${flag}: ${reason}.`)
    }
  }
}

/** RFC 6797, 6.1. Without subdomains, which may be other machines. 0 makes browsers forget it. */
function bindsToTls(days: number): OnAnswer {
  const value = `max-age=${(days * DAY_MS) / 1000}`
  return (_, response) => response.headers.set('strict-transport-security', value)
}

/** CONNECT names a host instead of a path, and no HTTP follows it (RFC 9110, 9.3.6). */
function refuseTunnel(): Response {
  return hangUp('MethodNotAllowedError', 'CONNECT is not allowed', { allow: '' })
}

function hangUp(code: FailureCode, sentence: string, more: Readonly<Record<string, string>> = {}): Response {
  return refuse(failure(code, sentence, { ...answerHeaders(Bun.randomUUIDv7()), connection: 'close', ...more }))
}

/** Bun 1.4.5 says EINVAL. */
const NO_SUCH_NAME = 'the name has no address (EINVAL)'

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there (EADDRINUSE), such as another Bellhop or its demo. End it, or choose another address',
  EADDRNOTAVAIL: 'this machine has no such address (EADDRNOTAVAIL)',
  EACCES: 'a port below 1024 is for root, or for a service with CAP_NET_BIND_SERVICE (EACCES)',
}

/** Logs the route only: the path, query and headers may contain secrets. */
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

const LOOK_MS = 10

async function stop(server: Pick<Bun.Server<unknown>, 'pendingRequests' | 'stop'>): Promise<void> {
  await Promise.race([server.stop(), answered(server)])
}

/**
 * Resolves when no call is open. Bun's own promise may not (1.4.5): a connection that sends more of a body after the
 * answer counts as busy until it is closed. Uses the system's time: sockets ignore the service's clock.
 */
async function answered(server: Pick<Bun.Server<unknown>, 'pendingRequests'>): Promise<void> {
  while (server.pendingRequests > 0) await sleep(systemClock, LOOK_MS)
}

/** `''`: the connection is already closed. */
export function addressOf(request: Request, server: AnyElysia['server']): string {
  return server?.requestIP(request)?.address ?? ''
}

/** Elysia looks for the path from this character of a URL on, too late for `http://x/`. */
const PATH_FROM = 11

/**
 * Gives a request a URL whose path the gate and the router read alike. Repeated slashes become one, as the contract's
 * clients expect (test/api/http/admission.test.ts). Bun's URL is a bare path if the Host header is invalid; then, and
 * for a short host, the host becomes localhost.
 */
function withPlainPath(request: Request): Request {
  const { url } = request
  const from = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  if (from >= PATH_FROM && !url.includes('//', from)) return request
  const query = url.indexOf('?', from)
  const path = query === -1 ? url.slice(from) : url.slice(from, query)
  const plain = `http://localhost${path.replaceAll(/\/{2,}/g, '/')}${url.slice(from + path.length)}`
  // With a new Request, Bun never answers a body that is too large.
  return Object.defineProperty(request, 'url', { value: plain })
}
