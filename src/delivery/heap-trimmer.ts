import type { Clock } from '../clock.ts'

/**
 * Sends after which the heap is collected. JavaScriptCore lets it grow by 32 MB and more before it collects, and then
 * often only what is new, while most of a broadcast's garbage has just become old. A collection takes as long as what
 * lives, not as the garbage, so more sends make calls to the API wait less often and no longer. Measured, 1,000,000
 * devices on 2 busy cores: at most 118 MB, 125 with 10,000 sends, 128 with 12,000, over 180 without.
 */
const SENDS = 7500

/** A pause after a collection, as a multiple of its time: a heap that holds more takes longer. */
const PAUSE_TIMES = 3

/** Keeps the garbage of a broadcast small. */
export class HeapTrimmer {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #collect: () => void
  #sends = 0
  /** Of the monotonic clock, in ms. */
  #notBefore = 0

  /** `collect` returns when all garbage is collected. */
  constructor(clock: Pick<Clock, 'monotonic'>, collect: () => void) {
    this.#clock = clock
    this.#collect = collect
  }

  sent(count: number): void {
    this.#sends += count
    if (this.#sends < SENDS) return
    const startedAt = this.#clock.monotonic()
    if (startedAt < this.#notBefore) return
    this.#sends = 0
    this.#collect()
    const endedAt = this.#clock.monotonic()
    this.#notBefore = endedAt + (endedAt - startedAt) * PAUSE_TIMES
  }
}
