import type { Clock } from '../../../src/clock.ts'

/** A simulated machine's time, which passes only during `advance`. In milliseconds. */
export interface WorldClock extends Clock {
  /** Since the world began, unaffected by the time of day. */
  readonly passedMs: number
  /** Runs each timer at its time, equal ones in the order they were set. */
  advance(ms: number): Promise<void>
  /** Lets `ms` pass in a busy process: timers are up to `BUSY_MS` late. */
  lag(ms: number): Promise<void>
  /** The time, by `passedMs`, since which the process has run for `ms`, without standstills. */
  ranBefore(ms: number): number
  jump(byMs: number): void
  /** Lets `ms` pass while the process is stopped: due timers run next. */
  standStill(ms: number): void
  /** The process died: no timer runs until `resume`. */
  halt(): void
  resume(): void
}

/** Shorter than a standstill. */
const BUSY_MS = 9000

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** `settle`: runs everything that is ready. `startsAt`: ms since the Unix epoch. */
export function createWorldClock(startsAt: number, settle: () => Promise<void>): WorldClock {
  let base = startsAt
  let passed = 0
  let isHalted = false
  const timers = new Set<Timer>()
  const stands: { readonly from: number; readonly to: number }[] = []

  function nextDue(until: number): Timer | null {
    let next: Timer | null = null
    if (isHalted) return next
    for (const timer of timers) if (timer.due <= until && (next === null || timer.due < next.due)) next = timer
    return next
  }

  async function runUntil(until: number): Promise<void> {
    for (let timer = nextDue(until); timer !== null; timer = nextDue(until)) {
      passed = Math.max(passed, timer.due)
      timers.delete(timer)
      timer.callback()
      await settle()
    }
    passed = until
  }

  return {
    now: () => Math.floor(base + passed),
    monotonic: () => passed,
    get passedMs() {
      return passed
    },
    after(delayMs, callback) {
      const timer = { due: passed + Math.max(delayMs, 0), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance: (ms) => runUntil(passed + ms),
    async lag(ms) {
      for (const until = passed + ms; passed < until;) {
        passed = Math.min(passed + BUSY_MS, until)
        // In a row, like a delayed event loop.
        for (let timer = nextDue(passed); timer !== null; timer = nextDue(passed)) {
          timers.delete(timer)
          timer.callback()
        }
        await settle()
      }
    },
    jump: (byMs) => void (base += byMs),
    ranBefore(ms) {
      let from = passed - ms
      for (const stand of stands.toReversed()) if (stand.to > from) from -= stand.to - stand.from
      return from
    },
    standStill(ms) {
      stands.push({ from: passed, to: passed + ms })
      passed += ms
    },
    halt() {
      isHalted = true
      timers.clear()
    },
    resume() {
      isHalted = false
      timers.clear()
    },
  }
}
