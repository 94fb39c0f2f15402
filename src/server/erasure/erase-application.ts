import type { Database } from '../../database/database.ts'
import type { Commit } from '../../database/group-commit.ts'
import type { EraseRows } from '../../database/sweep.ts'
import { createDeliveryErasure } from '../../delivery/store/delivery-erasure-store.ts'
import { createDeviceErasure } from '../../device/device-erasure-store.ts'
import { createPushRetention } from '../../push/push-retention-store.ts'
import { createReceiptStore } from '../../stats/receipt-store.ts'
import { createEventErasure } from '../../webhook/webhook-erasure-store.ts'

/** Small, so that a server beside this process does not wait long. */
const STEP = 500

/**
 * Erases an application's data, so that deleting its row is quick. One transaction for a million devices would need
 * more disk than the database has; on a full disk there is only the reserve.
 */
export function createEraseContents({ database }: { database: Database }, inTransaction: Commit) {
  const receipts = createReceiptStore({ database })
  const steps: readonly EraseRows[] = [
    ...createDeviceErasure({ database }).ofApplication,
    createEventErasure({ database }).eraseOf,
    // A push has a row for each device or language: too many for one transaction with the push.
    ...createDeliveryErasure({ database }).ofApplication,
    receipts.eraseOf,
    receipts.eraseCountsOf,
    createPushRetention({ database }).eraseOf,
  ]
  return async (application: number): Promise<void> => {
    for (const erase of steps) {
      let erased = STEP
      while (erased === STEP) erased = await inTransaction(() => erase(application, STEP))
    }
  }
}
