import type { Clock } from '../../clock.ts'
import { ConnectionPool } from './connection-pool.ts'
import { openSocketSession } from './h2/socket-session.ts'
import { openSecureSocket } from './secure-socket.ts'
import type { TlsResumption } from './secure-socket.ts'
import { UNWATCHED_CONNECTIONS } from './transport.ts'
import type { OpenTransport } from './transport.ts'
import type { Proxy } from './tunnel.ts'

/** HTTP/2 by our own frames. `proxy`: what makes a tunnel to the gateway; `null`: straight. */
export function h2Transport(clock: Clock, proxy: Proxy | null): OpenTransport {
  return (text, options) => {
    const { deadlineMs, watch = UNWATCHED_CONNECTIONS, onProtocolError, onEnded, isFinal } = options
    const origin = new URL(text)
    const resumption: TlsResumption = { session: null }
    return new ConnectionPool({
      clock,
      deadlineMs,
      watch,
      ...(onProtocolError && { onProtocolError }),
      ...(onEnded && { onEnded }),
      ...(isFinal && { isFinal }),
      async open(listener, signal) {
        const secured = await openSecureSocket(origin, proxy, options, signal, resumption)
        if (secured.kind === 'failed') return secured
        if (secured.protocol === 'HTTP/2')
          return openSocketSession(secured.socket, origin.host, clock, listener, options)
        // Loaded by the first connection, since few services need it: every full collection visits a module's objects.
        const { Http11Session } = await import('./http11-session.ts')
        return { kind: 'open', session: new Http11Session(secured.socket, origin.host, clock, listener) }
      },
    })
  }
}
