import type { Clock } from '../../clock.ts'

/** A request is at most an eighth of its deadline late. */
const TICKS_A_DEADLINE = 8

/**
 * One coarse timer for equal deadlines: a timer each would cost more than the rest of sending. Counts ticks, not the
 * time of day, so neither a clock set forward nor a stopped process ends all requests at once.
 */
export class Deadlines<Call extends object> {
  readonly #clock: Clock
  readonly #tickMs: number
  readonly #onLate: (call: Call) => void
  /** The tick in which each began, in order. */
  readonly #calls = new Map<Call, number>()
  #tick = 0
  #armed = false

  constructor(clock: Clock, deadlineMs: number, onLate: (call: Call) => void) {
    this.#clock = clock
    this.#tickMs = Math.max(deadlineMs / TICKS_A_DEADLINE, 1)
    this.#onLate = onLate
  }

  get size(): number {
    return this.#calls.size
  }

  add(call: Call): void {
    this.#calls.set(call, this.#tick)
    if (!this.#armed) this.#arm()
  }

  delete(call: Call): void {
    this.#calls.delete(call)
  }

  #arm(): void {
    this.#armed = true
    this.#clock.after(this.#tickMs, () => {
      this.#tick++
      for (const [call, began] of this.#calls) {
        if (this.#tick - began <= TICKS_A_DEADLINE) break
        this.#onLate(call)
      }
      if (this.#calls.size > 0) this.#arm()
      else this.#armed = false
    })
  }
}
