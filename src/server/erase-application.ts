import type { Database } from '../database/database.ts'
import type { EraseRows } from '../database/sweep.ts'
import { createResultErasure } from '../delivery/store/result-erasure-store.ts'
import { createRegistryErasure } from '../device/registry-erasure-store.ts'
import { createPushRetention } from '../push/push-retention-store.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'

/** Rows erased in one transaction: a server beside this process is not to wait long. */
const STEP = 500

/**
 * Erases what an application has brought, so that nothing much is left for the deletion of its own row. In small
 * transactions, each of them moved out of the log: that of a million devices in one would need more of the disk than the
 * database has, and where the disk is full there is only the reserve.
 */
export function eraseContents(database: Database, application: number): void {
  const steps: readonly EraseRows[] = [
    ...createRegistryErasure({ database }),
    createResultErasure({ database }).eraseOf,
    // One of each device, for each push: with the push they would all be in one transaction.
    createReceiptStore({ database }).eraseOf,
    createPushRetention({ database }).eraseOf,
  ]
  const checkpoint = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
  for (const erase of steps) {
    while (database.transact(() => erase(application, STEP)) === STEP) checkpoint.all()
  }
}
