import { Agent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { MAX_ANSWER_BYTES } from './transport.ts'
import { failureReason } from './failures.ts'
import { MAX_HEADER_BYTES, requestFault } from './request-fault.ts'
import { OVER } from './session.ts'
import type { InFlight, RequestListener, Requested, Session, SessionListener } from './session.ts'
import { DEADLINE } from './transport.ts'
import type { TransportRequest } from './transport.ts'

/** As many as browsers open to one host. Each carries one request at a time. */
const MAX_CONNECTIONS = 6

/** How long before the peer's timeout a connection is no longer used: a request that meets the close may be lost. */
const MARGIN_MS = SECOND_MS

/**
 * HTTP/1.1 on an open TLS connection (RFC 9112), by node:http: one request at a time. Ends when a request is given up,
 * the connection is lost, the peer asks for it, or idle shortly before the peer's timeout.
 */
export class Http11Session implements Session {
  readonly protocol = 'HTTP/1.1'
  readonly maxConnections = MAX_CONNECTIONS
  readonly isBlocked = false
  readonly #socket: TLSSocket
  readonly #authority: string
  readonly #clock: Clock
  readonly #listener: SessionListener
  readonly #agent: SocketAgent
  #exchange: Exchange | null = null
  #isClosing = false
  #isOver = false
  #cancelRest: (() => void) | null = null

  constructor(socket: TLSSocket, authority: string, clock: Clock, listener: SessionListener) {
    this.#socket = socket
    this.#authority = authority
    this.#clock = clock
    this.#listener = listener
    this.#agent = new SocketAgent(socket)
    socket.on('end', () => this.#closed('ECONNRESET'))
    socket.on('close', () => this.#closed('ECONNRESET'))
    socket.on('error', (error) => this.#closed(failureReason(error)))
  }

  get maxStreams(): number {
    return this.#isClosing ? 0 : 1
  }

  send(request: TransportRequest, listener: RequestListener): InFlight {
    const fault = requestFault(request, MAX_HEADER_BYTES)
    if (this.#isClosing || fault !== null) {
      listener.onOver(fault === null ? { kind: 'unprocessed', reason: 'closed' } : { kind: 'refused', reason: fault })
      return OVER
    }
    this.#cancelRest?.()
    this.#cancelRest = null
    const exchange = new Exchange(this.#agent, this.#authority, request, (requested, rest) => {
      this.#exchange = null
      this.#isClosing ||= requested.kind !== 'answer' || (rest !== null && rest <= MARGIN_MS)
      listener.onOver(requested)
      this.#after(requested, rest)
    })
    this.#exchange = exchange
    return {
      cancel: () => {
        if (this.#exchange !== exchange) return true
        this.#exchange = null
        this.#isClosing = true
        exchange.drop()
        const isTaken = this.#socket.writableLength === 0
        // A late answer would be taken for the next request's.
        this.#end(DEADLINE, 'lost')
        this.#socket.destroy()
        return isTaken
      },
    }
  }

  close(): void {
    this.#isClosing = true
    this.#isOver = true
    this.#cancelRest?.()
    this.#agent.destroy()
    // A peer that keeps its half open would keep the socket.
    this.#socket.destroySoon()
  }

  #after(requested: Requested, restMs: number | null): void {
    if (requested.kind !== 'answer') return this.#end(requested.reason, 'lost')
    if (this.#isClosing) return this.#end('closed', 'parting')
    if (restMs === null || this.#exchange !== null) return
    this.#cancelRest = this.#clock.after(restMs - MARGIN_MS, () => this.#end('idle', 'parting'))
  }

  #closed(reason: string): void {
    const exchange = this.#exchange
    // The peer may close an idle connection at any time (RFC 9112, 9.5).
    if (exchange === null) return this.#end(reason, 'parting')
    // The end may belong to the answer, which node:http reports first.
    setImmediate(() => exchange.lost(reason))
  }

  #end(reason: string, kind: 'lost' | 'parting'): void {
    if (this.#isOver) return
    this.#isClosing = true
    this.#isOver = true
    this.#cancelRest?.()
    this.#listener.onEnd({ reason, kind })
  }
}

class SocketAgent extends Agent {
  readonly #socket: TLSSocket

  constructor(socket: TLSSocket) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#socket = socket
  }

  override createConnection(): TLSSocket {
    return this.#socket
  }
}

class Exchange {
  readonly #request: ClientRequest
  readonly #onOver: (requested: Requested, restMs: number | null) => void
  #isOver = false

  constructor(
    agent: Agent,
    authority: string,
    { path, headers, own, body }: TransportRequest,
    onOver: (requested: Requested, restMs: number | null) => void,
  ) {
    this.#onOver = onOver
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const all = { ...headers, ...(own !== undefined && { [own[0]]: own[1] }), host: authority }
    this.#request = httpRequest({
      agent,
      method: 'POST',
      path,
      setHost: false,
      headers: { ...all, 'content-length': String(bytes.byteLength) },
    })
    this.#request.on('error', (error) => this.lost(failureReason(error)))
    this.#request.on('close', () => this.lost('ECONNRESET'))
    this.#request.on('response', (answer) => this.#read(answer))
    this.#request.on('upgrade', (_, socket) => {
      socket.destroy()
      this.lost('HTTPProtocolError')
    })
    this.#request.end(bytes)
  }

  drop(): void {
    this.#isOver = true
    this.#request.destroy()
  }

  lost(reason: string): void {
    this.#over({ kind: 'unknown', reason }, 0)
  }

  #read(answer: IncomingMessage): void {
    const pieces: Buffer[] = []
    let room = MAX_ANSWER_BYTES
    const answered = (): Requested => ({
      kind: 'answer',
      status: answer.statusCode ?? 0,
      header: (name) => {
        const value = answer.headers[name]
        return value === undefined ? null : String(value)
      },
      body: Buffer.concat(pieces).toString(),
    })
    answer.on('data', (piece: Buffer) => {
      if (room < 0) return
      pieces.push(piece.subarray(0, room))
      room -= piece.length
      if (room >= 0) return
      // The only way to skip the rest.
      this.#over(answered(), 0)
      answer.destroy()
    })
    answer.on('end', () => {
      if (answer.complete) this.#over(answered(), restOf(answer))
      else this.lost('ECONNRESET')
    })
    answer.on('error', (error) => this.lost(failureReason(error)))
    answer.on('aborted', () => this.lost('ECONNRESET'))
  }

  #over(requested: Requested, restMs: number | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onOver(requested, restMs)
  }
}

/** How long the peer keeps an idle connection, in ms; 0: it closes; `null`: not said. */
function restOf({ headers, httpVersion }: IncomingMessage): number | null {
  const connection = headers.connection?.toLowerCase() ?? ''
  if (connection.includes('close') || (httpVersion === '1.0' && !connection.includes('keep-alive'))) return 0
  const seconds = /\btimeout=(\d{1,5})\b/i.exec(String(headers['keep-alive'] ?? ''))?.[1]
  return seconds === undefined ? null : Number(seconds) * SECOND_MS
}
