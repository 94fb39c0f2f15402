import type { Clock } from '../../clock.ts'
import type { TransportAnswer } from './transport.ts'

/**
 * Keeps a new connection from being flooded, and one that may have ended unseen. Until a gateway has answered, a client
 * does not know how many streams it allows (APNs: one, until a request with a valid token succeeded), and opens a
 * connection for each request that may not fit: 50 requests at once made 28 connections, which Apple takes for an attack.
 *
 * cold → enter() → probing (the others wait) → leave(true) → warm: all enter.
 *                                → leave(false) of the one, or 3 s → cold: the next in line goes alone.
 * warm → cool() → cold. probing, once it was warm → (500 ms) → warm. warm → restart() → cold, as if it never was warm.
 */
export class WarmUp<Call extends WaitingCall> {
  readonly #clock: Clock
  #state: 'cold' | 'probing' | 'warm' = 'cold'
  #wasWarm = false
  /** The one that went alone. */
  #probe: Call | null = null
  #cancelWait: (() => void) | null = null
  #line: Call[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `undefined`: go. Else wait for it, and ask again. */
  enter(call: Call): Promise<void> | undefined {
    if (this.#state === 'warm') return undefined
    if (this.#state === 'cold') {
      this.#state = 'probing'
      this.#probe = call
      // What it allows is known from before. One device that is never answered must not hold up all others.
      this.#cancelWait = this.#wasWarm
        ? this.#clock.after(COOL_WAIT_MS, () => this.#enterAll())
        : this.#clock.after(COLD_WAIT_MS, () => this.#enterNext())
      return undefined
    }
    return new Promise((resolve) => {
      call.wake = resolve
      this.#line.push(call)
    })
  }

  /** One that had entered is over; `answered`: the gateway took its credential. */
  leave(call: Call, answered: boolean): void {
    if (this.#state === 'warm' || (!answered && call !== this.#probe)) return
    this.#cancelWait?.()
    if (answered) {
      this.#enterAll()
      return
    }
    this.#state = 'cold'
    this.#wakeNext()
  }

  /** Nothing has been in flight for a while. */
  cool(): void {
    if (this.#state !== 'warm') return
    this.#state = 'cold'
    this.#wasWarm = true
  }

  /** Its connection may be a new one. */
  restart(): void {
    if (this.#state === 'warm') this.#state = 'cold'
    this.#wasWarm = false
  }

  /** Sends all who wait away, to ask elsewhere. */
  wakeAll(): void {
    for (const call of this.#line.splice(0)) call.wake?.()
  }

  #enterAll(): void {
    this.#state = 'warm'
    this.wakeAll()
  }

  #enterNext(): void {
    if (this.#state !== 'probing') return
    this.#state = 'cold'
    this.#wakeNext()
  }

  #wakeNext(): void {
    let next = this.#line.shift()
    // Its turn must not be lost on one that has given up.
    while (next?.expired === true) next = this.#line.shift()
    next?.wake?.()
  }
}

/** How long others wait for the first answer of a connection that was at rest. In ms. */
const COOL_WAIT_MS = 500

/**
 * How long the next one waits for the first answer of a connection that is new, in ms. 300 handshakes at once take two
 * seconds on two cores, and whoever follows before a handshake is over has fetch open a second connection.
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
