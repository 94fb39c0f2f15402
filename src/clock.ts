/** The only source of time. Tests pass one they can move. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now: () => number
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after: (delayMs: number, callback: () => void) => () => void
}

/** setTimeout's longest delay, 2^31 - 1 ms (24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}
