import type { Clock } from '../../../src/clock.ts'

/** The time of a simulated machine: passes only while `advance` runs. Times are milliseconds. */
export interface WorldClock extends Clock {
  /** Time passed since the world began, whatever was done to the time of day. */
  readonly passedMs: number
  /** Lets `ms` pass: each timer at its moment, those of one moment in the order in which they were set. */
  advance(ms: number): Promise<void>
  /** Lets `ms` pass in a process that is so busy that what is due comes up to `BUSY_MS` late. */
  lag(ms: number): Promise<void>
  /** The moment, by `passedMs`, since which the process has run for `ms`: what it stood still does not count. */
  ranBefore(ms: number): number
  /** Puts the time of day ahead, or back, by so much. */
  jump(byMs: number): void
  /** Lets `ms` pass in which the process is stopped: what was due then runs next. */
  standStill(ms: number): void
  /** The process has died: nothing that it waited for comes, and nothing that it may still ask for until `resume`. */
  halt(): void
  resume(): void
}

/** Not so long that the process passes for one that stood still. */
const BUSY_MS = 9000

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** `settle`: lets everything run that is ready to. `startsAt`: ms since the Unix epoch. */
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
        // All in a row, as a loop does that has been held up.
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
