import type { Clock } from '../clock.ts'

/**
 * Sends after which the heap is collected. JavaScriptCore lets its heap grow by 32 MB and more before it collects, and
 * then often only what is new, while most of what a broadcast leaves has just become old. What a collection takes
 * depends on what lives and not on the garbage, so that with more sends calls to the API wait less often, and no less
 * long. Measured, 1,000,000 devices on 2 busy cores: 118 MB of memory at most, 125 with 10,000 sends, 128 with
 * 12,000, and more than 180 without.
 */
const SENDS = 7500

/** After a collection, three times as long as it took passes before the next: a heap that holds more takes longer. */
const PAUSE_TIMES = 3

/** Keeps the garbage of a broadcast small. */
export class HeapTrimmer {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #collect: () => void
  #sends = 0
  /** Of the monotonic clock, in ms. */
  #notBefore = 0

  /** `collect` collects all garbage, and returns when that is done. */
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
