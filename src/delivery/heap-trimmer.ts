import type { Clock } from '../clock.ts'

/**
 * Sends after which the heap is collected. JavaScriptCore lets it grow by 32 MB and more before it collects, and then
 * often only what is new, while most of a broadcast's garbage has just become old. Measured, 1,000,000 devices on 2
 * busy cores: at most 118 MB, 125 with 10,000 sends, 128 with 12,000, over 180 without.
 */
const SENDS = 7500

/** A pause after a collection, as a multiple of its time: a heap that holds more takes longer. */
const PAUSE_TIMES = 3

/** Keeps the garbage of a broadcast small. `collect` returns when all is collected. */
export function createHeapTrimmer(clock: Pick<Clock, 'monotonic'>, collect: () => void): (sends: number) => void {
  let sent = 0
  /** Ms of the monotonic clock. */
  let notBefore = 0
  return (sends) => {
    sent += sends
    if (sent < SENDS) return
    const startedAt = clock.monotonic()
    if (startedAt < notBefore) return
    sent = 0
    collect()
    const endedAt = clock.monotonic()
    notBefore = endedAt + (endedAt - startedAt) * PAUSE_TIMES
  }
}
