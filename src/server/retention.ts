import { every, HOUR_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Commit } from '../database/group-commit.ts'
import type { Sweep } from '../database/sweep.ts'
import { noted } from '../log.ts'
import type { Log } from '../log.ts'

/** Work of one transaction, in ms, whatever the machine; to commit it takes up to three times as long (measured). */
const BUDGET_MS = 3

/** Between two steps of a sweep: what is answered meanwhile does not share a transaction with either. */
const PAUSE_MS = 100

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly commit: Commit
  readonly sweeps: readonly Sweep[]
}

/**
 * Erases what is over its time, now and then once an hour: one sweep after the other, as many steps as fit into
 * the budget in a transaction of their own turn. The returned function ends it.
 */
export function startRetention({ clock, log, commit, sweeps }: Dependencies): () => void {
  let cancelPause = () => {}
  let running = false
  /** The hour has come while a sweep was still at work. */
  let wanted = false
  let stopped = false

  function tidy(): void {
    wanted = running
    if (running) return
    running = true
    step(0, 0)
  }

  function step(at: number, after: number): void {
    const sweep = sweeps[at]
    if (sweep === undefined || stopped) {
      running = false
      if (wanted && !stopped) tidy()
      return
    }
    commit(() => steps(sweep, after)).then(
      (next) => {
        if (next === null) step(at + 1, 0)
        else if (!stopped) cancelPause = clock.after(PAUSE_MS, () => step(at, next))
      },
      (error: unknown) => {
        // The end of the service cuts it off: the next start sweeps again.
        if (!stopped) noted(log)(error)
        // The others may get further.
        step(at + 1, 0)
      },
    )
  }

  function steps(sweep: Sweep, after: number): number | null {
    const until = clock.monotonic() + BUDGET_MS
    let next: number | null = after
    do next = sweep(clock.now(), next)
    while (next !== null && clock.monotonic() < until)
    return next
  }

  tidy()
  const stop = every(clock, HOUR_MS, tidy)
  return () => {
    stopped = true
    stop()
    cancelPause()
  }
}
