import type { Clock } from '../../clock.ts'
import type { Openings } from './openings.ts'
import type { TransportAnswer } from './transport.ts'

/**
 * Keeps a new connection from being flooded, and one that may have ended unseen. Until a gateway has answered, a client
 * does not know how many streams it allows (APNs: one, until a request with a valid token succeeded), and opens a
 * connection for each request that may not fit: 50 requests at once made 28 connections, which Apple takes for an attack.
 *
 * queued (the others wait) → (room among all that are opening) → cold.
 * cold → enter() → probing (the others wait) → leave(true) → warm: all enter.
 *                                → leave(false) of the one, or 3 s → cold: the next in line goes alone.
 * warm → cool() → cold, trusted. Trusted: → (500 ms after the first went alone) → warm, whatever was answered.
 * warm → doubt() → cold, not trusted → (the doubt was unfounded) cool(). Any → end() → over: all ask elsewhere.
 */
export class WarmUp<Call extends WaitingCall> {
  readonly #clock: Clock
  readonly #openings: Openings
  #state: 'queued' | 'cold' | 'probing' | 'warm' | 'over' = 'queued'
  /** It has a place among those that are opening. */
  #isOpening = false
  #wasWarm = false
  /** What it allows is known, from when it was warm. */
  #isTrusted = false
  /** The one that went alone. */
  #probe: Call | null = null
  #cancelWait: (() => void) | null = null
  #line: Call[] = []

  constructor(clock: Clock, openings: Openings) {
    this.#clock = clock
    this.#openings = openings
    openings.enter(() => this.#begin())
  }

  /** `undefined`: go. Else wait for it, and ask again. */
  enter(call: Call): Promise<void> | undefined {
    if (this.#state === 'warm' || this.#state === 'over') return undefined
    if (this.#state === 'cold') {
      this.#state = 'probing'
      this.#probe = call
      // One device that is never answered, or is refused again and again, must not hold up all others.
      if (this.#isTrusted) this.#cancelWait ??= this.#clock.after(COOL_WAIT_MS, () => this.#enterAll())
      else this.#cancelWait = this.#clock.after(COLD_WAIT_MS, () => this.#enterNext())
      return undefined
    }
    return new Promise((resolve) => {
      call.wake = resolve
      this.#line.push(call)
    })
  }

  /** One that had entered is over; `answered`: the gateway took its credential. */
  leave(call: Call, answered: boolean): void {
    if (this.#state === 'warm' || this.#state === 'over' || (!answered && call !== this.#probe)) return
    this.#opened()
    if (answered) {
      this.#enterAll()
      return
    }
    if (!this.#isTrusted) this.#endWait()
    this.#state = 'cold'
    this.#wakeNext()
  }

  /** One that was waiting has given up, perhaps when it was its turn. */
  forgo(): void {
    if (this.#state === 'cold' && !this.#wakeNext()) this.#opened()
  }

  /** Nothing has been in flight for a while; or a doubt was unfounded. */
  cool(): void {
    if (this.#state === 'warm') this.#state = 'cold'
    if (!this.#wasWarm || this.#isTrusted) return
    this.#endWait()
    this.#isTrusted = true
  }

  /** Its connection may be a new one. */
  doubt(): void {
    if (this.#state === 'warm') this.#state = 'cold'
    if (!this.#isTrusted) return
    this.#endWait()
    this.#isTrusted = false
  }

  /** Nobody is to enter any more: sends all who wait away, to ask elsewhere. */
  end(): void {
    this.#endWait()
    this.#state = 'over'
    this.#opened()
    this.#wakeAll()
  }

  #begin(): void {
    this.#isOpening = true
    if (this.#state === 'over') return this.#opened()
    this.#state = 'cold'
    // If all have given up, nobody will open it soon.
    const isWaitedFor = this.#line.length > 0
    if (!this.#wakeNext() && isWaitedFor) this.#opened()
  }

  #opened(): void {
    if (!this.#isOpening) return
    this.#isOpening = false
    this.#openings.leave()
  }

  #enterAll(): void {
    this.#endWait()
    this.#state = 'warm'
    this.#wasWarm = true
    this.#isTrusted = false
    this.#wakeAll()
  }

  #wakeAll(): void {
    for (const call of this.#line.splice(0)) call.wake?.()
  }

  #endWait(): void {
    this.#cancelWait?.()
    this.#cancelWait = null
  }

  #enterNext(): void {
    this.#endWait()
    this.#opened()
    if (this.#state !== 'probing') return
    this.#state = 'cold'
    this.#wakeNext()
  }

  /** Whether there was one to wake. */
  #wakeNext(): boolean {
    let next = this.#line.shift()
    // Its turn must not be lost on one that has given up.
    while (next?.expired === true) next = this.#line.shift()
    next?.wake?.()
    return next !== undefined
  }
}

/** How long others wait for one to be taken on a connection that was at rest. In ms. */
const COOL_WAIT_MS = 500

/**
 * How long the next one waits for the first answer of a connection that is new, in ms. Whoever follows before its
 * handshake is over has fetch open a second connection: see `openings.ts`.
 */
export const COLD_WAIT_MS = 3000

export interface WaitingCall {
  expired: boolean
  wake: (() => void) | null
}

/** Whether it shows that the gateway took the credential: APNs then allows more than one stream. */
export function tookCredential(answer: TransportAnswer): boolean {
  return answer.kind === 'answer' && answer.status !== 401 && answer.status !== 403
}
