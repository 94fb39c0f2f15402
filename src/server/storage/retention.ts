import { every, HOUR_MS } from '../../clock.ts'
import type { Sweep } from '../../database/sweep.ts'
import { createFeedbackStore } from '../../device/feedback-store.ts'
import { createRegistryDays } from '../../device/registry-day-store.ts'
import { logError } from '../../log.ts'
import { createIdempotencyStore } from '../../push/idempotency-store.ts'
import { createPushRetention } from '../../push/push-retention-store.ts'
import type { WebhookStore } from '../../webhook/webhook-store.ts'
import type { Service } from '../service.ts'

/** Work in one transaction, in ms on any machine; its commit takes up to three times as long (measured). */
const BUDGET_MS = 3

/** Between two steps, so that calls in between share no transaction with them. */
const PAUSE_MS = 100

interface Dependencies extends Pick<Service, 'clock' | 'log' | 'commit'> {
  readonly sweeps: readonly Sweep[]
}

/**
 * Erases expired data now and then hourly: one sweep after the other, as many steps as fit the budget in a transaction
 * of their own. Returns a function that ends it.
 */
export function startRetention({ clock, log, commit, sweeps }: Dependencies): () => void {
  let cancelPause = () => {}
  let running = false
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
        if (!stopped) logError(log)(error)
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

interface SweptParts extends Pick<Service, 'database' | 'devices' | 'ledger'> {
  readonly config: Pick<Service['config'], 'keepGone'>
}

export function createSweeps(
  { database, devices, ledger, config }: SweptParts,
  webhooks: Pick<WebhookStore, 'sweep'>,
): readonly Sweep[] {
  return [
    createRegistryDays({ database }).sweep,
    createFeedbackStore({ database }).sweep,
    createIdempotencyStore({ database }).sweep,
    createPushRetention({ database }).sweep,
    (now) => (devices.eraseLeft(now - config.keepGone) ? 0 : null),
    (_now, after) => devices.sweepLabels(after),
    (_now, after) => webhooks.sweep(after),
    (now, after) => ledger.sweep(now, after),
  ]
}
