import type { Clock } from '../../clock.ts'
import { ConnectionPool } from './connection-pool.ts'
import { openSecureSocket } from './secure-socket.ts'
import { UNWATCHED_CONNECTIONS } from './transport.ts'
import type { OpenTransport } from './transport.ts'
import type { Proxy } from './tunnel.ts'

/**
 * HTTP/2 by http2-wrapper, the second transport: for gateways that our own client does not get along with. `proxy`: what
 * makes a tunnel to the gateway; `null`: straight.
 */
export function http2Transport(clock: Clock, proxy: Proxy | null): OpenTransport {
  return (text, options) => {
    const { deadlineMs, watch = UNWATCHED_CONNECTIONS, onEnded, isFinal } = options
    const origin = new URL(text)
    return new ConnectionPool({
      clock,
      deadlineMs,
      watch,
      ...(onEnded && { onEnded }),
      ...(isFinal && { isFinal }),
      async open(listener, signal) {
        const secured = await openSecureSocket(origin, proxy, options, signal)
        if (secured.kind === 'failed') return secured
        // Loaded by the first connection, since few services need them: every full collection visits a module's objects.
        if (secured.protocol === 'HTTP/1.1') {
          const { Http11Session } = await import('./http11-session.ts')
          return { kind: 'open', session: new Http11Session(secured.socket, origin.host, clock, listener) }
        }
        const { openWrapperSession } = await import('./http2-session.ts')
        return openWrapperSession(origin, secured.socket, listener)
      },
    })
  }
}
