import { constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { Agent } from 'http2-wrapper'
import { codeOf } from '../../text/error-code.ts'
import { failureReason } from './failures.ts'
import { MAX_HEADER_BYTES, requestFault } from './request-fault.ts'
import { portOf } from './secure-socket.ts'
import { endByGoaway, OVER } from './session.ts'
import type { InFlight, Opened, Requested, RequestListener, Session, SessionEnd, SessionListener } from './session.ts'
import { MAX_ANSWER_BYTES } from './transport.ts'
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
    return { kind: 'failed', reason, isProtocolError: kind === 'protocol', word }
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

/**
 * `reasonOf`: what ended the session. Calls `onOver` once, when the stream is closed. The returned function cancels
 * without a call, and returns whether the gateway had room for the whole request.
 */
export function requestOver(
  session: ClientHttp2Session,
  authority: string,
  { path, headers, own, body }: TransportRequest,
  reasonOf: () => string | null,
  onOver: (exchanged: Requested) => void,
): () => boolean {
  if (session.closed || session.destroyed) {
    onOver({ kind: 'unprocessed', reason: reasonOf() ?? 'HTTP2GoAway' })
    return () => true
  }
  let stream: ClientHttp2Stream
  try {
    stream = session.request({
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': authority,
      ':path': path,
      ...headers,
      ...(own !== undefined && { [own[0]]: own[1] }),
    })
  } catch (error) {
    onOver({ kind: 'refused', reason: failureReason(error) })
    return () => true
  }

  let status = 0
  let answerHeaders: IncomingHttpHeaders = {}
  const pieces: Buffer[] = []
  let room = MAX_ANSWER_BYTES
  let whole = false
  let failure: unknown = null
  let over = false

  stream.on('response', (received) => {
    status = received[':status'] ?? 0
    answerHeaders = received
  })
  // An unread answer would keep its stream open.
  stream.on('data', (piece: Buffer) => {
    if (room < 0) return
    pieces.push(piece.subarray(0, room))
    room -= piece.length
    if (room < 0) cancel(stream)
  })
  stream.on('end', () => {
    // Reset and lost streams end too, and Bun hides a reset without an error.
    whole = status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR
    // The gateway answered before it took the whole body, and may never take the rest.
    if (whole && !stream.writableFinished) cancel(stream)
  })
  stream.on('error', (error) => (failure = error))
  // Bun only reports an unsent frame, and the peer's view of the session then differs from ours.
  stream.on('frameError', () => session.destroy(new Error('frame error')))
  stream.on('close', () => {
    if (over) return
    over = true
    onOver(describe())
  })
  stream.end(body)

  function describe(): Requested {
    if (room < 0) return new Answer(status, answerHeaders, pieces)
    if (whole) {
      const promised = answerHeaders['content-length'] ?? null
      const isShort = promised !== null && Number(promised) !== MAX_ANSWER_BYTES - room
      return isShort
        ? { kind: 'unknown', reason: 'HTTP2ContentLengthMismatch' }
        : new Answer(status, answerHeaders, pieces)
    }
    if (status === 0 && codeOf(failure) === GOAWAY) return { kind: 'unprocessed', reason: 'HTTP2GoAway' }
    const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && codeOf(failure) === 'ERR_HTTP2_STREAM_ERROR'
    if (status === 0 && refused) return { kind: 'unprocessed', reason: 'HTTP2RefusedStream' }
    return { kind: 'unknown', reason: reasonOf() ?? 'HTTP2StreamReset' }
  }

  return () => {
    over = true
    const taken = stream.writableFinished
    cancel(stream)
    return taken
  }
}

/** Bun's error for streams that a GOAWAY calls unprocessed. */
const GOAWAY = 'ERR_HTTP2_GOAWAY_SESSION'

/** Sends RST_STREAM once. `stream.close(code)` may send it twice (Bun 1.4.5), which counts as a flood. */
function cancel(stream: ClientHttp2Stream): void {
  Object.assign(stream, { rstCode: constants.NGHTTP2_CANCEL })
  stream.destroy()
}

class Answer {
  readonly kind = 'answer'
  readonly status: number
  readonly body: string
  readonly #headers: IncomingHttpHeaders

  constructor(status: number, headers: IncomingHttpHeaders, pieces: readonly Buffer[]) {
    this.status = status
    this.body = pieces.length === 0 ? '' : Buffer.concat(pieces).toString()
    this.#headers = headers
  }

  header(name: string): string | null {
    const value = this.#headers[name]
    return value === undefined ? null : String(value)
  }
}
