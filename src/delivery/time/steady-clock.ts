import type { Clock } from '../../clock.ts'

/** A clock may wander this much, all in all, before times to live follow it. */
const TOLERANCE_MS = 1000

/** Where the clock was not read for longer than this, the process stood still, or its machine did. */
const STOOD_STILL_MS = 10_000

/** The time of day went on, or back, by other than the time in which the service ran. */
export interface ClockJump {
  /** Negative: back. */
  readonly byMs: number
  /** The new time of day, ms since the Unix epoch. */
  readonly now: number
  /** What was accepted since then, and until `now`, came after it. Ms since the Unix epoch. */
  readonly since: number
  /** Longer than 0: the process was stopped for so long, which is a part of `byMs`. */
  readonly stoodStillMs: number
}

/** The time of day that does not jump between two readings: a jump is told of before it shows. */
export interface SteadyClock extends Clock {
  /** Reads the clock for the first time after a rest. */
  start(): void
  /** Whether at `monotonic` it has not been read for so long that the process must have stood still. */
  stoodStill(monotonic: number): boolean
  /** Goes on with the time of day as it is; `null` where it is what was to be expected. */
  follow(): ClockJump | null
  /** Nothing is open that a jump could end: until the next `start` this is the time of day. */
  rest(): void
}

/** `usualMs`: the time between two readings of a process that runs. */
export function createSteadyClock(clock: Clock, usualMs: number): SteadyClock {
  /** Both clocks at the last reading; `null` at rest. */
  let last: { readonly now: number; readonly monotonic: number } | null = null
  let wanderedMs = 0

  /** How long the service has run in `passedMs` since the last reading. */
  function ranMs(passedMs: number): number {
    return passedMs > STOOD_STILL_MS ? usualMs : passedMs
  }

  return {
    now: () => (last === null ? clock.now() : Math.floor(last.now + ranMs(clock.monotonic() - last.monotonic))),
    monotonic: () => clock.monotonic(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    start() {
      last ??= { now: clock.now(), monotonic: clock.monotonic() }
    },
    stoodStill: (monotonic) => last !== null && monotonic - last.monotonic > STOOD_STILL_MS,
    follow() {
      const [now, monotonic] = [clock.now(), clock.monotonic()]
      if (last === null) return null
      const before = last
      last = { now, monotonic }
      const passedMs = monotonic - before.monotonic
      const ran = ranMs(passedMs)
      // Small steps add up here, so that many of them are no more time than there was.
      wanderedMs += now - before.now - ran
      if (Math.abs(wanderedMs) < TOLERANCE_MS) return null
      const byMs = Math.round(wanderedMs)
      wanderedMs = 0
      return { byMs, now, since: now - Math.ceil(ran), stoodStillMs: Math.round(passedMs - ran) }
    },
    rest() {
      last = null
      wanderedMs = 0
    },
  }
}
