import type { AnyElysia } from 'elysia'
import { describeError } from '../log.ts'
import type { Log } from '../log.ts'
import { StartRefused } from '../start-refused.ts'
import type { Address } from '../setting-type.ts'

/** Seconds without a byte after which a connection is closed. */
const IDLE_TIMEOUT_SECONDS = 30

export interface Listener {
  /** `http://127.0.0.1:8790`, with the port that was picked where 0 was asked for. */
  readonly url: string
  /** Takes no new connections; resolves when the calls under way are answered. */
  stop(): Promise<void>
  /** Ends what is still under way. */
  abort(): void
}

/** Serves an app. Throws `StartRefused` when the address cannot be had. */
export function listen(app: AnyElysia, { host, port }: Address, log: Log): Listener {
  const answer = (request: Request) => app.fetch(withPlainPath(request))
  /** The access log: of the caller only the path, for a query or a header may hold what is secret. */
  const logged = async (request: Request) => {
    const started = performance.now()
    const response = await answer(request)
    log.debug('call', {
      requestId: response.headers.get('x-request-id'),
      method: request.method,
      path: new URL(request.url, 'http://localhost').pathname,
      status: response.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    })
    return response
  }
  const server = bind()
  app.server = server
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    stop: () => Promise.race([server.stop(), answered(server)]),
    abort: () => void server.stop(true),
  }

  function bind() {
    try {
      return Bun.serve({
        hostname: host,
        port,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        // Elysia's own listen() sets it: a second service would then share the port without an error.
        reusePort: false,
        // `body.ts` answers a large body with the decided failure; Bun's own answer has no body and no request id.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        fetch: log.writes('debug') ? logged : answer,
        error(error) {
          const requestId = Bun.randomUUIDv7()
          log.error('request failed outside the app', { requestId, error: describeError(error) })
          return Response.json(
            { code: 'InternalError', message: `Internal error. Support ID ${requestId}` },
            { status: 500, headers: { 'x-request-id': requestId } },
          )
        },
      })
    } catch (error) {
      if (error instanceof Error && 'code' in error) {
        throw new StartRefused(`Cannot listen on ${host}:${port}: ${String(error.code)}.`)
      }
      throw error
    }
  }
}

/** Milliseconds between two looks at a server that stops. */
const LOOK_MS = 10

/**
 * Resolves when no call is under way. Bun's own promise may not: a connection on which more of a body came after the
 * answer, such as one too large, counts as busy until it is closed (measured, Bun 1.4.5).
 */
async function answered(server: Pick<Bun.Server<unknown>, 'pendingRequests'>): Promise<void> {
  while (server.pendingRequests > 0) await Bun.sleep(LOOK_MS)
}

/** The network address of the caller; `''` where the connection is already gone. */
export function addressOf(request: Request, server: AnyElysia['server']): string {
  return server?.requestIP(request)?.address ?? ''
}

/** Elysia looks for the path from this character of a URL on, so it misses that of `http://x/`. */
const PATH_FROM = 11

/**
 * Gives a request a URL whose path the gate and the router read alike. Repeated slashes become one, as in the servers
 * for which the contract was written (spec/decisions, "Admission" 2). Where the Host header is absent (HTTP/1.0) or
 * no host, Bun's URL is a bare path; there, and where the host is short, a host of our own stands in.
 */
function withPlainPath(request: Request): Request {
  const { url } = request
  const from = url.startsWith('http://') ? url.indexOf('/', 'http://'.length) : 0
  if (from >= PATH_FROM && !url.includes('//', from)) return request
  const query = url.indexOf('?', from)
  const path = query === -1 ? url.slice(from) : url.slice(from, query)
  const plain = `http://localhost${path.replaceAll(/\/{2,}/g, '/')}${url.slice(from + path.length)}`
  // A new Request would have to carry over the body, and Bun then never answers to one that is too large.
  return Object.defineProperty(request, 'url', { value: plain })
}
