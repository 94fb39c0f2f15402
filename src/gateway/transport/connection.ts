import type { ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { requestOver } from './http2-request.ts'
import type { Requested } from './http2-request.ts'
import { IDLE_MS } from './transport.ts'
import type { TransportRequest } from './transport.ts'
import { COLD_WAIT_MS, tookCredential } from './warm-up.ts'

/** A session that has had its peer's SETTINGS. */
export type Opened =
  | { readonly kind: 'open'; readonly session: ClientHttp2Session; readonly socket: TLSSocket }
  | { readonly kind: 'failed'; readonly reason: string }

export interface ConnectionOptions {
  readonly clock: Clock
  /** Milliseconds that opening may take. */
  readonly deadlineMs: number
  /** `:authority`. */
  readonly authority: string
  /** Never rejects. `signal` gives it up, or closes what it opened. */
  readonly open: (signal: AbortSignal) => Promise<Opened>
  /** There may be room for requests, or more of it. */
  readonly onRoom: () => void
  /** The connection takes no more requests. Told once. */
  readonly onRetired: (reason: string) => void
}

/**
 * Requests in flight on one connection at the most, whatever the peer allows: with more, a session of Bun's gets slower
 * (measured, 1.4.5: 1000 cost a fifth more CPU than four times 250).
 */
const MAX_STREAMS = 250

/**
 * opening → cold: one request at a time, since APNs allows one stream until it took a token → (the gateway took the
 * credential) → warm: as many as the peer allows at the moment → retired: what is in flight finishes → closed. From
 * any state it is retired by a failure, GOAWAY, a minute without requests, or its owner.
 */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #life = new AbortController()
  #state: 'opening' | 'cold' | 'warm' | 'retired' = 'opening'
  #opened: (Opened & { kind: 'open' }) | null = null
  #limit = 0
  #inFlight = 0
  #requests = 0
  #resting = false
  /** What ended the session, and with it every stream on it. */
  #ending: string | null = null
  #hasParted = false
  #answers = 0
  /** The first request takes too long to be waited for. */
  #isOverdue = false
  #cancelWait: (() => void) | null = null

  constructor(options: ConnectionOptions) {
    this.#options = options
    void this.#open()
  }

  /** Whether the connection is too new to be judged, and may be soon. */
  get isNew(): boolean {
    return this.#state === 'opening' || (this.#state === 'cold' && !this.#isOverdue)
  }

  get hasOpened(): boolean {
    return this.#opened !== null
  }

  /** Whether the peer has ended it as agreed, by GOAWAY without an error. */
  get hasParted(): boolean {
    return this.#hasParted
  }

  /** How many answers the connection has brought. */
  get answers(): number {
    return this.#answers
  }

  /** Requests that the connection takes now. */
  get room(): number {
    if (this.#state === 'warm') return this.#limit - this.#inFlight
    return this.#state === 'cold' ? Math.min(this.#limit, 1) - this.#inFlight : 0
  }

  /**
   * There must be room. Calls back once; the returned function gives the request up, without a call back, and says
   * whether the gateway had room for all of it.
   */
  send(request: TransportRequest, onOver: (exchanged: Requested) => void): () => boolean {
    const { session } = this.#opened as Opened & { kind: 'open' }
    this.#inFlight++
    this.#requests++
    if (this.#state === 'cold') this.#waitForFirst()
    const reasonOf = () => this.#ending ?? (session.destroyed ? 'ECONNRESET' : null)
    const cancel = requestOver(session, this.#options.authority, request, reasonOf, (exchanged) => {
      if (exchanged.kind === 'answer') {
        this.#answers++
        if (this.#state === 'cold' && tookCredential(exchanged)) this.#state = 'warm'
      }
      // A peer that refuses a stream has no use for the session, or wants less on it.
      if (exchanged.kind === 'unsent') this.retire(exchanged.reason)
      this.#leave()
      onOver(exchanged)
    })
    return () => {
      const taken = cancel()
      this.#leave()
      return taken
    }
  }

  /** It takes no more requests; when the last is over, it closes. */
  retire(reason: string): void {
    if (this.#state === 'retired') return
    const opening = this.#state === 'opening'
    this.#state = 'retired'
    if (opening) this.#life.abort()
    else if (this.#inFlight === 0) this.#close()
    this.#options.onRetired(reason)
  }

  async #open(): Promise<void> {
    const { clock, deadlineMs, open, onRoom } = this.#options
    const cancelDeadline = clock.after(deadlineMs, () => this.retire('deadline'))
    const opened = await open(this.#life.signal)
    cancelDeadline()
    if (opened.kind === 'failed') return this.retire(opened.reason)
    this.#opened = opened
    if (this.#state !== 'opening') return this.#close()

    const { session } = opened
    const measure = (): void => {
      this.#limit = Math.min(session.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS, MAX_STREAMS)
    }
    session.on('remoteSettings', () => {
      measure()
      onRoom()
    })
    session.on('goaway', (code) => {
      this.#hasParted ||= code === 0 && this.#state !== 'retired'
      this.#end(code === 0 ? null : 'HTTP2GoAway')
    })
    session.on('error', () => this.#end('HTTP2ProtocolError'))
    session.on('close', () => this.#end('ECONNRESET'))
    measure()
    this.#state = 'cold'
    onRoom()
    if (this.#inFlight === 0) this.#rest()
  }

  #end(reason: string | null): void {
    this.#ending ??= reason
    this.retire(reason ?? 'HTTP2GoAway')
  }

  #leave(): void {
    this.#inFlight--
    this.#cancelWait?.()
    this.#isOverdue = false
    if (this.#inFlight > 0) return
    if (this.#state === 'retired') this.#close()
    else this.#rest()
  }

  #waitForFirst(): void {
    const { clock, onRoom } = this.#options
    this.#cancelWait = clock.after(COLD_WAIT_MS, () => {
      this.#isOverdue = true
      // Another connection may be opened.
      onRoom()
    })
  }

  /** Nothing is in flight. */
  #rest(): void {
    if (this.#resting) return
    this.#resting = true
    const before = this.#requests
    this.#options.clock.after(IDLE_MS, () => {
      this.#resting = false
      if (this.#state === 'retired' || this.#inFlight > 0) return
      if (this.#requests !== before) this.#rest()
      else this.retire('idle')
    })
  }

  #close(): void {
    if (this.#opened === null) return
    const { session, socket } = this.#opened
    session.destroy()
    // A peer that does not close its half would keep the socket open for ever.
    socket.destroySoon()
  }
}
