import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { EraseRows } from '../database/sweep.ts'
import { createDeliveryErasure } from '../delivery/store/delivery-erasure-store.ts'
import { createDeviceErasure } from '../device/device-erasure-store.ts'
import { createPushRetention } from '../push/push-retention-store.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'
import { createEventErasure } from '../webhook/webhook-erasure-store.ts'

/** Rows erased in one transaction: a server beside this process is not to wait long. */
const STEP = 500

/**
 * Makes what erases all that an application has brought, so that nothing much is left for the deletion of its own row. In
 * small transactions: that of a million devices in one would need more of the disk than the database has, and where the
 * disk is full there is only the reserve.
 */
export function createEraseContents({ database }: { database: Database }, inTransaction: Commit) {
  const receipts = createReceiptStore({ database })
  const steps: readonly EraseRows[] = [
    ...createDeviceErasure({ database }).ofApplication,
    createEventErasure({ database }).eraseOf,
    // One of each device, or language, for each push: with the push they would all be in one transaction.
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
