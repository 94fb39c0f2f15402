import type { Clock } from '../../clock.ts'
import type { InFlight, Opened, Requested, RequestListener, Session, SessionEnd, SessionListener } from './session.ts'
import { IDLE_MS } from './transport.ts'
import type { Protocol, TransportRequest } from './transport.ts'

/** Never rejects. `signal` gives up, or closes what was opened. */
export type OpenSession = (listener: SessionListener, signal: AbortSignal) => Promise<Opened>

/** `retired`: the pool has no more use for it. */
export interface Retirement extends Omit<SessionEnd, 'kind'> {
  readonly kind: SessionEnd['kind'] | 'retired'
}

export interface PoolOwner {
  onRoom(): void
  onRetired(connection: PooledConnection, retirement: Retirement): void
}

/** How long requests wait for a new connection's first answer before another may open. */
const COLD_WAIT_MS = 3000

/** How long a peer may take to allow more streams after it accepted the credential: APNs does so after its answer. */
const WIDEN_MS = 100

/**
 * opening → cold: one request at a time, since APNs allows one stream until it accepts a token → (the gateway accepted
 * the credential) → warm: as many as the peer allows → retired: requests in flight finish → closed. A failure, GOAWAY,
 * a minute without requests, or the owner retires it from any state.
 */
export class PooledConnection implements SessionListener {
  readonly #clock: Clock
  readonly #owner: PoolOwner
  readonly #life = new AbortController()
  #state: 'opening' | 'cold' | 'warm' | 'retired' = 'opening'
  #session: Session | null = null
  #inFlight = 0
  #requests = 0
  #cancelRest: (() => void) | null = null
  #answers = 0
  #isOverdue = false
  #cancelWiden: (() => void) | null = null
  #cancelWait: (() => void) | null = null

  constructor(clock: Clock, deadlineMs: number, open: OpenSession, owner: PoolOwner) {
    this.#clock = clock
    this.#owner = owner
    void this.#open(open, deadlineMs)
  }

  get isNew(): boolean {
    if (this.#state === 'warm') return this.#cancelWiden !== null && (this.#session?.maxStreams ?? 0) <= 1
    return this.#state === 'opening' || (this.#state === 'cold' && !this.#isOverdue)
  }

  get isBlocked(): boolean {
    return this.#session?.isBlocked === true
  }

  get protocol(): Protocol | null {
    return this.#session?.protocol ?? null
  }

  get maxConnections(): number {
    return this.#session?.maxConnections ?? Number.POSITIVE_INFINITY
  }

  get hasOpened(): boolean {
    return this.#session !== null
  }

  get answers(): number {
    return this.#answers
  }

  get room(): number {
    if (this.#session === null || this.#session.isBlocked) return 0
    if (this.#state === 'warm') return this.#session.maxStreams - this.#inFlight
    return this.#state === 'cold' ? Math.min(this.#session.maxStreams, 1) - this.#inFlight : 0
  }

  /** There must be room. Then call `over`, or `leave` after a `cancel`. */
  send(request: TransportRequest, listener: RequestListener): InFlight {
    this.#inFlight++
    this.#requests++
    if (this.#state === 'cold') this.#waitForFirst()
    return (this.#session as Session).send(request, listener)
  }

  over(requested: Requested): void {
    if (requested.kind === 'answer') {
      this.#answers++
      if (this.#state === 'cold' && tookCredential(requested.status)) this.#warmUp()
    }
    // A peer that refuses a stream wants fewer, or none, here.
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

  retire(reason: string, kind: Retirement['kind'] = 'retired', word?: string): void {
    if (this.#state === 'retired') return
    const isOpening = this.#state === 'opening'
    this.#state = 'retired'
    // A timer would keep the session and its buffers for a minute.
    this.#cancelRest?.()
    this.#cancelWiden?.()
    if (isOpening) this.#life.abort()
    else if (this.#inFlight === 0) this.#session?.close()
    this.#owner.onRetired(this, { reason, kind, word })
  }

  onRoom(): void {
    if (this.#state !== 'retired') this.#owner.onRoom()
  }

  onEnd({ reason, kind, word }: SessionEnd): void {
    this.retire(reason, kind, word)
  }

  async #open(open: OpenSession, deadlineMs: number): Promise<void> {
    const cancelDeadline = this.#clock.after(deadlineMs, () => this.retire('deadline', 'lost'))
    const opened = await open(this, this.#life.signal)
    cancelDeadline()
    if (opened.kind === 'failed') {
      return this.retire(opened.reason, opened.isProtocolError === true ? 'protocol' : 'lost', opened.word)
    }
    this.#session = opened.session
    if (this.#state !== 'opening') return opened.session.close()
    this.#state = 'cold'
    this.#owner.onRoom()
    if (this.#inFlight === 0) this.#rest()
  }

  #warmUp(): void {
    this.#state = 'warm'
    // HTTP/1.1 never allows more.
    if (this.#session?.protocol !== 'HTTP/2' || this.#session.maxStreams > 1) return
    this.#cancelWiden = this.#clock.after(WIDEN_MS, () => {
      this.#cancelWiden = null
      this.#owner.onRoom()
    })
  }

  #waitForFirst(): void {
    this.#cancelWait = this.#clock.after(COLD_WAIT_MS, () => {
      this.#isOverdue = true
      this.#owner.onRoom()
    })
  }

  #rest(): void {
    if (this.#cancelRest !== null) return
    const before = this.#requests
    this.#cancelRest = this.#clock.after(IDLE_MS, () => {
      this.#cancelRest = null
      if (this.#inFlight > 0) return
      if (this.#requests !== before) this.#rest()
      else this.retire('idle')
    })
  }
}

/** Any other refusal shows that APNs accepted the token. */
function tookCredential(status: number): boolean {
  return status !== 401 && status !== 403
}
