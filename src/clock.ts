/** The only source of time. Tests pass one they can move. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now: () => number
  /** Milliseconds of time passed since some moment, whatever is done to the time of day. Parts of them too. */
  monotonic: () => number
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after: (delayMs: number, callback: () => void) => () => void
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS

/** Of UTC, which has no daylight saving; and the Unix epoch has no leap seconds. */
export const DAY_MS = 24 * HOUR_MS

/** setTimeout's longest delay, 2^31 - 1 ms (24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  // CLOCK_MONOTONIC, which stands still while the machine is suspended (clock_gettime(2)).
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** Runs `run` each `periodMs` milliseconds, first after one; the returned function ends it. */
export function every(clock: Clock, periodMs: number, run: () => void): () => void {
  let cancel = clock.after(periodMs, again)
  function again(): void {
    cancel = clock.after(periodMs, again)
    run()
  }
  return () => cancel()
}

/** Whether `work` was done within `limitMs` milliseconds. */
export async function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let cancel = () => {}
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(limitMs, () => resolve(false))
  })
  const inTime = await Promise.race([work.then(() => true as const), late])
  cancel()
  return inTime
}
