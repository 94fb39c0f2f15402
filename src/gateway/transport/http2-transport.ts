import type { ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { Agent } from 'http2-wrapper'
import type { Clock } from '../../clock.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { Opened } from './connection.ts'
import { failureReason } from './failure-reason.ts'
import { openSecureSocket, portOf } from './secure-socket.ts'
import { UNWATCHED_CONNECTIONS } from './transport.ts'
import type { OpenTransport } from './transport.ts'
import type { Proxy } from './tunnel.ts'

/** HTTP/2 by http2-wrapper, through a proxy that fetch cannot go through; `null`: straight. */
export function http2Transport(clock: Clock, proxy: Proxy | null): OpenTransport {
  return (text, { deadlineMs, watch = UNWATCHED_CONNECTIONS, ...credentials }) => {
    const origin = new URL(text)
    return new ConnectionPool({
      clock,
      deadlineMs,
      watch,
      authority: origin.host,
      async open(signal) {
        const secured = await openSecureSocket(origin, proxy, credentials, signal)
        return secured.kind === 'open' ? openSession(origin, secured.socket) : secured
      },
    })
  }
}

/** A session whose peer has said how many streams it allows. */
async function openSession(origin: URL, socket: TLSSocket): Promise<Opened> {
  presentOrigin(socket, origin)
  try {
    const session: ClientHttp2Session = await new SocketAgent(socket).getSession(origin)
    return { kind: 'open', session, socket }
  } catch (error) {
    socket.destroy()
    return { kind: 'failed', reason: failureReason(error) }
  }
}

/** One for each connection: an agent for all of them goes on with sessions that have had GOAWAY (its issue 89). */
class SocketAgent extends Agent {
  readonly #socket: TLSSocket

  constructor(socket: TLSSocket) {
    super()
    this.#socket = socket
  }

  override createConnection(): Promise<TLSSocket> {
    return Promise.resolve(this.#socket)
  }
}

/**
 * Makes the socket say of its peer what the origin says, for the agent compares the two. Left alone, Bun spells the
 * origin of port 443 with its port, and an IP address makes none. That the certificate is the host's, the handshake has
 * found out.
 */
export function presentOrigin(socket: TLSSocket, origin: URL): void {
  Object.defineProperties(socket, {
    servername: { value: origin.hostname },
    remotePort: { value: portOf(origin) },
    // Without it the agent takes name and port as they are, and leaves the default port out.
    getPeerX509Certificate: { value: () => undefined },
  })
}
