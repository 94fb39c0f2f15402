import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/**
 * How long a time of day must hold that the clock has jumped to, in milliseconds. A clock that was put wrong by mistake is
 * put right within seconds; one that NTP corrects after a boot stays, and what is due waits no longer than this.
 */
const HOLD_MS = MINUTE_MS

/** A clock may wander this much between two readings. */
const TOLERANCE_MS = SECOND_MS

/**
 * The time of day by which scheduled pushes go out, ms since the Unix epoch: what the clock has shown at least, beside the
 * time that has passed, for `HOLD_MS`. A jump ahead counts when it has held; a jump back at once. The first reading is
 * believed. To be read every second.
 */
export function createBelievedTime(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  /** By how much the time of day was ahead of the time passed, at least, since when; each by more than the one before. */
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
