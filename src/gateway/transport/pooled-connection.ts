import type { Clock } from '../../clock.ts'
import type { InFlight, Opened, Requested, RequestListener, Session, SessionEnd, SessionListener } from './session.ts'
import { IDLE_MS } from './transport.ts'
import type { Protocol, TransportRequest } from './transport.ts'

/** Opens a connection to a gateway. Never rejects. `signal` gives it up, or closes what it opened. */
export type OpenSession = (listener: SessionListener, signal: AbortSignal) => Promise<Opened>

export interface PooledConnectionOptions {
  readonly clock: Clock
  /** Milliseconds that opening may take. */
  readonly deadlineMs: number
  readonly open: OpenSession
  /** There may be room for requests, or more of it. */
  readonly onRoom: () => void
  /** The connection takes no more requests. Told once. `word`: as in `TransportAnswer`. */
  readonly onRetired: (reason: string, kind: SessionEnd['kind'] | 'retired', word: string | undefined) => void
}

/**
 * How long the next request waits for the first answer of a new connection, in ms, before another connection may be opened
 * for it.
 */
const COLD_WAIT_MS = 3000

/**
 * opening → cold: one request at a time, since APNs allows one stream until it took a token → (the gateway took the
 * credential) → warm: as many as the peer allows at the moment → retired: what is in flight finishes → closed. From
 * any state it is retired by a failure, GOAWAY, a minute without requests, or its owner.
 */
export class PooledConnection implements SessionListener {
  readonly #options: PooledConnectionOptions
  readonly #life = new AbortController()
  #state: 'opening' | 'cold' | 'warm' | 'retired' = 'opening'
  #session: Session | null = null
  #inFlight = 0
  #requests = 0
  /** `null`: nobody looks whether the connection is idle. */
  #cancelRest: (() => void) | null = null
  #answers = 0
  /** The first request takes too long to be waited for. */
  #isOverdue = false
  #cancelWait: (() => void) | null = null

  constructor(options: PooledConnectionOptions) {
    this.#options = options
    void this.#open()
  }

  /** Whether the connection is too new to be judged, and may be soon. */
  get isNew(): boolean {
    return this.#state === 'opening' || (this.#state === 'cold' && !this.#isOverdue)
  }

  /** Whether the connection takes no requests because its socket takes no bytes. */
  get isBlocked(): boolean {
    return this.#session?.isBlocked === true
  }

  /** `null`: it is not open yet. */
  get protocol(): Protocol | null {
    return this.#session?.protocol ?? null
  }

  /** Connections to the gateway at the most, as far as is known of it. */
  get maxConnections(): number {
    return this.#session?.maxConnections ?? Number.POSITIVE_INFINITY
  }

  get hasOpened(): boolean {
    return this.#session !== null
  }

  /** How many answers the connection has brought. */
  get answers(): number {
    return this.#answers
  }

  /** Requests that the connection takes now. */
  get room(): number {
    if (this.#session === null || this.#session.isBlocked) return 0
    if (this.#state === 'warm') return this.#session.maxStreams - this.#inFlight
    return this.#state === 'cold' ? Math.min(this.#session.maxStreams, 1) - this.#inFlight : 0
  }

  /** There must be room. When the request is over, `over` is to be called; after a `cancel`, `leave`. */
  send(request: TransportRequest, listener: RequestListener): InFlight {
    this.#inFlight++
    this.#requests++
    if (this.#state === 'cold') this.#waitForFirst()
    return (this.#session as Session).send(request, listener)
  }

  over(requested: Requested): void {
    if (requested.kind === 'answer') {
      this.#answers++
      if (this.#state === 'cold' && tookCredential(requested.status)) this.#state = 'warm'
    }
    // A peer that refuses a stream has no use for the connection, or wants less on it.
    else if (requested.kind === 'unprocessed') this.retire(requested.reason)
    this.leave()
  }

  leave(): void {
    this.#inFlight--
    if (this.#cancelWait !== null) {
      this.#cancelWait()
      this.#cancelWait = null
    }
    this.#isOverdue = false
    if (this.#inFlight > 0) return
    if (this.#state === 'retired') this.#session?.close()
    else this.#rest()
  }

  /** It takes no more requests; when the last is over, it closes. */
  retire(reason: string, kind: SessionEnd['kind'] | 'retired' = 'retired', word?: string): void {
    if (this.#state === 'retired') return
    const isOpening = this.#state === 'opening'
    this.#state = 'retired'
    // Else it would keep the session, with its buffers and tables, for a minute.
    this.#cancelRest?.()
    if (isOpening) this.#life.abort()
    else if (this.#inFlight === 0) this.#session?.close()
    this.#options.onRetired(reason, kind, word)
  }

  onRoom(): void {
    if (this.#state !== 'retired') this.#options.onRoom()
  }

  onEnd({ reason, kind, word }: SessionEnd): void {
    this.retire(reason, kind, word)
  }

  async #open(): Promise<void> {
    const { clock, deadlineMs, open, onRoom } = this.#options
    const cancelDeadline = clock.after(deadlineMs, () => this.retire('deadline', 'lost'))
    const opened = await open(this, this.#life.signal)
    cancelDeadline()
    if (opened.kind === 'failed') {
      return this.retire(opened.reason, opened.isProtocolError === true ? 'protocol' : 'lost', opened.word)
    }
    this.#session = opened.session
    if (this.#state !== 'opening') return opened.session.close()
    this.#state = 'cold'
    onRoom()
    if (this.#inFlight === 0) this.#rest()
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
    if (this.#cancelRest !== null) return
    const before = this.#requests
    this.#cancelRest = this.#options.clock.after(IDLE_MS, () => {
      this.#cancelRest = null
      if (this.#inFlight > 0) return
      if (this.#requests !== before) this.#rest()
      else this.retire('idle')
    })
  }
}

/** APNs allows more than one stream once it took a token: any other refusal than these shows that it has. */
function tookCredential(status: number): boolean {
  return status !== 401 && status !== 403
}
