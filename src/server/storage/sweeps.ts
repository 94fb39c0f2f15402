import type { Sweep } from '../../database/sweep.ts'
import { createFeedbackStore } from '../../device/feedback-store.ts'
import { createRegistryDays } from '../../device/registry-day-store.ts'
import { createIdempotencyStore } from '../../push/idempotency-store.ts'
import { createPushRetention } from '../../push/push-retention-store.ts'
import type { WebhookStore } from '../../webhook/webhook-store.ts'
import type { Service } from '../service.ts'

/** In the order of erasing. */
export function createSweeps(
  {
    database,
    devices,
    ledger,
    config: { keepGone },
  }: Pick<Service, 'database' | 'devices' | 'ledger'> & {
    readonly config: Pick<Service['config'], 'keepGone'>
  },
  webhooks: Pick<WebhookStore, 'sweep'>,
): readonly Sweep[] {
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
