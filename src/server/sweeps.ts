import type { Database } from '../database/database.ts'
import type { Sweep } from '../database/sweep.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { createFeedbackStore } from '../device/feedback-store.ts'
import { createRegistryDays } from '../device/registry-day-store.ts'
import { createIdempotencyStore } from '../push/idempotency-store.ts'
import { createPushRetention } from '../push/push-retention-store.ts'
import type { QuotaLedger } from '../usage/quota-ledger.ts'
import type { WebhookStore } from '../webhook/webhook-store.ts'

interface Dependencies {
  readonly database: Database
  readonly devices: Pick<DeviceStore, 'eraseLeft' | 'sweepLabels'>
  readonly ledger: Pick<QuotaLedger, 'sweep'>
  readonly webhooks: Pick<WebhookStore, 'sweep'>
  /** How long a device that has left is kept, in ms. */
  readonly keepGone: number
}

/** All that is erased when its time is over, in the order in which it is. */
export function createSweeps({ database, devices, ledger, webhooks, keepGone }: Dependencies): readonly Sweep[] {
  return [
    createRegistryDays({ database }).sweep,
    createFeedbackStore({ database }).sweep,
    createIdempotencyStore({ database }).sweep,
    createPushRetention({ database }).sweep,
    (now) => (devices.eraseLeft(now - keepGone) ? 0 : null),
    (_now, after) => devices.sweepLabels(after),
    (_now, after) => webhooks.sweep(after),
    (now, after) => ledger.sweep(now, after),
  ]
}
