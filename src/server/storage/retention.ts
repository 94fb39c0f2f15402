import { every, HOUR_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { Sweep } from '../../database/sweep.ts'
import { noted } from '../../log.ts'
import type { Log } from '../../log.ts'

/** Work in one transaction, in ms on any machine; its commit takes up to three times as long (measured). */
const BUDGET_MS = 3

/** Between two steps, so that calls in between share no transaction with them. */
const PAUSE_MS = 100

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly commit: Commit
  readonly sweeps: readonly Sweep[]
}

/**
 * Erases expired data now and then hourly: one sweep after the other, as many steps as fit the budget in a transaction
 * of their own. Returns a function that ends it.
 */
export function startRetention({ clock, log, commit, sweeps }: Dependencies): () => void {
  let cancelPause = () => {}
  let running = false
  /** The hour came while a sweep was running. */
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
        // A stop interrupts it; the next start sweeps again.
        if (!stopped) noted(log)(error)
        // Other sweeps may still succeed.
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
