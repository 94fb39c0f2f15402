/** The only source of time. Tests move their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch, as every moment in src (`at`, `since`, `expiresAt`), unless its comment differs. */
  now: () => number
  /** Milliseconds with fractions, from an arbitrary start; ignores changes of the time of day. */
  monotonic: () => number
  /** Runs `callback` once, after `delayMs` milliseconds. The returned function cancels it. */
  after: (delayMs: number, callback: () => void) => () => void
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS

/** UTC has no daylight saving, and the Unix epoch no leap seconds. */
export const DAY_MS = 24 * HOUR_MS

/** setTimeout's longest delay, 2^31 - 1 ms (24.8 days); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  // CLOCK_MONOTONIC, which stops while the machine is suspended (clock_gettime(2)).
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** First after one period. The returned function ends it. */
export function every(clock: Clock, periodMs: number, run: () => void): () => void {
  let cancel = clock.after(periodMs, again)
  function again(): void {
    cancel = clock.after(periodMs, again)
    run()
  }
  return () => cancel()
}

export function sleep(clock: Pick<Clock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

/** `late` after `limitMs` milliseconds; does not stop the work. */
export async function within<Value, const Late>(
  clock: Pick<Clock, 'after'>,
  limitMs: number,
  work: Promise<Value>,
  late: Late,
): Promise<Value | Late> {
  const end = Promise.withResolvers<Late>()
  const cancel = clock.after(limitMs, () => end.resolve(late))
  try {
    return await Promise.race([work, end.promise])
  } finally {
    cancel()
  }
}

/** Aborts after `limitMs` milliseconds, unless disposed of earlier. */
export function abortAfter(
  clock: Pick<Clock, 'after'>,
  limitMs: number,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const cancel = clock.after(limitMs, () => controller.abort())
  return { signal: controller.signal, [Symbol.dispose]: cancel }
}
