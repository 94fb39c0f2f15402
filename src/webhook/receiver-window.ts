/** Events on their way at once to a receiver of which nothing is known yet, and at the most. */
const FIRST_SIZE = 4
const MAX_SIZE = 32

/** What a failure leaves of the window: where one call in ten fails, the window stays at the most. */
const CUT = 0.75

/** After so many failures in a row the receiver fails, and not this event or that. */
const FAILURES_IN_A_ROW = 10

/** From one probe to the next of a receiver that takes nothing. */
export const PROBE_MS = 5000

/** What a try has changed: whether the receiver is now one that takes nothing, or takes events again. */
export type WindowChange = 'opened' | 'closed' | null

/**
 * How many events one receiver may be sent at once. Each that it takes makes it one more, each failure makes it a
 * quarter less, and no single failure stops the others.
 *
 * closed → (ten failures in a row) → open: one probe at a time, 5 s apart → (one is taken) → closed, as at first.
 */
export class ReceiverWindow {
  #size = FIRST_SIZE
  #failures = 0
  #notBefore = 0

  /** How many events may be on their way at `now`, ms of service time. */
  size(now: number): number {
    return now < this.#notBefore ? 0 : this.#size
  }

  get failures(): number {
    return this.#failures
  }

  taken(): WindowChange {
    const wasOpen = this.#failures >= FAILURES_IN_A_ROW
    this.#failures = 0
    this.#size = wasOpen ? FIRST_SIZE : Math.min(this.#size + 1, MAX_SIZE)
    return wasOpen ? 'closed' : null
  }

  failed(now: number): WindowChange {
    this.#failures++
    this.#size = Math.max(1, Math.floor(this.#size * CUT))
    if (this.#failures < FAILURES_IN_A_ROW) return null
    this.#size = 1
    this.pauseUntil(now + PROBE_MS)
    return this.#failures === FAILURES_IN_A_ROW ? 'opened' : null
  }

  /** Sends nothing before `moment`, ms of service time. */
  pauseUntil(moment: number): void {
    this.#notBefore = Math.max(this.#notBefore, moment)
  }
}
