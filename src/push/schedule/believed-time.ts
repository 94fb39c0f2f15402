import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/**
 * How long a time the clock has jumped to must hold, in milliseconds. A mistaken setting is corrected within seconds; a
 * correction by NTP after a boot lasts, and delays what is due by no more than this.
 */
const HOLD_MS = MINUTE_MS

/** Drift allowed between two readings. */
const TOLERANCE_MS = SECOND_MS

/**
 * The time of day for scheduled pushes, ms since the Unix epoch. A jump ahead counts once it has held for `HOLD_MS`, a
 * jump back immediately. The first reading is believed. Must be read every second.
 */
export function createBelievedTime(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  /** The least offset of the time of day to monotonic time, since when; offsets ascend. */
  const steps: { readonly offset: number; readonly since: number }[] = []

  return () => {
    const at = clock.monotonic()
    const offset = clock.now() - at
    let since = at
    for (let last = steps.at(-1); last !== undefined && last.offset > offset - TOLERANCE_MS; last = steps.at(-1)) {
      since = last.since
      steps.pop()
    }
    steps.push({ offset, since })
    while (steps[1] !== undefined && steps[1].since + HOLD_MS <= at) steps.shift()
    return Math.floor(at + (steps[0]?.offset ?? offset))
  }
}
