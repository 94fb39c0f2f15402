import type { ServiceClock } from '../../src/time/service-clock.ts'

/** Passes for a service clock too, by which service time is the time of day. */
export interface FakeClock extends ServiceClock {
  /** Lets `ms` milliseconds pass: runs the timers that come due, in order, each at its own moment. */
  advance(ms: number): void
  /**
   * Puts the clock to `ms` since the Unix epoch, back or forth, as an operator or NTP does. No time passes: timers run
   * neither sooner nor later for it.
   */
  set(ms: number): void
  /** Lets `ms` milliseconds pass in which no timer runs, as when the process is stopped: what was due then runs next. */
  standStill(ms: number): void
}

interface Timer {
  /** Milliseconds of time passed since the clock was made. */
  readonly due: number
  readonly callback: () => void
}

/** A clock that stands still until it is moved. Starts at 2026-11-20 12:00 UTC. */
export function createFakeClock(startsAt = Date.UTC(2026, 10, 20, 12)): FakeClock {
  let base = startsAt
  let passed = 0
  const timers = new Set<Timer>()

  function nextDue(until: number): Timer | null {
    let next: Timer | null = null
    // Of two due at once the one set first comes first: a Set keeps their order.
    for (const timer of timers) if (timer.due <= until && (next === null || timer.due < next.due)) next = timer
    return next
  }

  return {
    now: () => base + passed,
    monotonic: () => passed,
    wallAt: (moment) => moment,
    after(delayMs, callback) {
      const timer = { due: passed + Math.max(delayMs, 0), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const until = passed + ms
      for (let timer = nextDue(until); timer !== null; timer = nextDue(until)) {
        passed = Math.max(passed, timer.due)
        timers.delete(timer)
        timer.callback()
      }
      passed = until
    },
    set(ms) {
      base = ms - passed
    },
    standStill(ms) {
      passed += ms
    },
  }
}
