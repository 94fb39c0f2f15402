import type { ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { Agent } from 'http2-wrapper'
import { failureReason } from './failures.ts'
import { requestOver } from './http2-request.ts'
import { MAX_HEADER_BYTES, requestFault } from './request-fault.ts'
import { portOf } from './secure-socket.ts'
import { endByGoaway, OVER } from './session.ts'
import type { InFlight, Opened, Requested, RequestListener, Session, SessionEnd, SessionListener } from './session.ts'
import type { TransportRequest } from './transport.ts'

export async function openWrapperSession(origin: URL, socket: TLSSocket, listener: SessionListener): Promise<Opened> {
  presentOrigin(socket, origin)
  const agent = new SocketAgent(socket)
  const made: WrapperSession[] = []
  // Before `getSession` resolves: a GOAWAY may come with the greeting.
  agent.once('session', (session) => made.push(new WrapperSession(session, socket, origin.host, listener)))
  try {
    await agent.getSession(origin)
    const [session] = made
    if (session === undefined) throw new Error('the agent has no session')
    return session.opened()
  } catch (error) {
    socket.destroy()
    return { kind: 'failed', reason: failureReason(error) }
  }
}

/** With more, Bun's session slows down (1.4.5: 1000 cost a fifth more CPU than four times 250). */
const MAX_STREAMS = 250

class WrapperSession implements Session {
  readonly protocol = 'HTTP/2'
  readonly #session: ClientHttp2Session
  readonly #socket: TLSSocket
  readonly #authority: string
  readonly #listener: SessionListener
  #ending: string | null = null
  /** Why the gateway parted, if it said so. */
  #parting: Required<Pick<SessionEnd, 'reason' | 'word'>> | null = null
  /** How it ended before it was handed out; `null`: it did not. */
  #early: SessionEnd | null = null
  #isOpened = false

  constructor(session: ClientHttp2Session, socket: TLSSocket, authority: string, listener: SessionListener) {
    this.#session = session
    this.#socket = socket
    this.#authority = authority
    this.#listener = listener
    session.on('remoteSettings', () => this.#isOpened && listener.onRoom())
    session.on('goaway', (code, _last, debugData) => this.#end(endByGoaway(code, debugData)))
    session.on('error', () => this.#end({ reason: 'HTTP2ProtocolError', kind: 'protocol' }))
    session.on('close', () => this.#end({ reason: 'ECONNRESET', kind: 'lost' }))
  }

  opened(): Opened {
    this.#isOpened = true
    if (this.#early === null) return { kind: 'open', session: this }
    const { reason, kind, word } = this.#early
    this.close()
    return { kind: 'failed', reason, isProtocolError: kind === 'protocol', ...(word !== undefined && { word }) }
  }

  get maxStreams(): number {
    return Math.min(this.#session.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS, MAX_STREAMS)
  }

  get isBlocked(): boolean {
    return false
  }

  send(request: TransportRequest, listener: RequestListener): InFlight {
    const fault = requestFault(request, MAX_HEADER_BYTES)
    if (fault !== null) {
      listener.onOver({ kind: 'refused', reason: fault })
      return OVER
    }
    const reasonOf = () => this.#ending ?? (this.#session.destroyed ? 'ECONNRESET' : null)
    const onOver = (over: Requested): void =>
      listener.onOver(over.kind === 'unprocessed' ? { ...over, ...this.#parting } : over)
    return { cancel: requestOver(this.#session, this.#authority, request, reasonOf, onOver) }
  }

  close(): void {
    this.#session.destroy()
    // A peer that keeps its half open would keep the socket.
    this.#socket.destroySoon()
  }

  #end(end: SessionEnd): void {
    if (end.kind !== 'parting') this.#ending ??= end.reason
    if (end.word !== undefined) this.#parting ??= { reason: end.reason, word: end.word }
    if (this.#isOpened) this.#listener.onEnd(end)
    else this.#early ??= end
  }
}

/** One per connection: a shared agent keeps using sessions that got GOAWAY (http2-wrapper issue 89). */
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
 * The agent compares the socket's peer with the origin, but Bun spells out port 443, and an IP address gives no name.
 * The handshake has verified the host.
 */
export function presentOrigin(socket: TLSSocket, origin: URL): void {
  Object.defineProperties(socket, {
    servername: { value: origin.hostname },
    remotePort: { value: portOf(origin) },
    // Without a certificate the agent takes name and port as they are.
    getPeerX509Certificate: { value: () => undefined },
  })
}
