import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, push } from '../database/schema.ts'
import type { EraseRows, Sweep } from '../database/sweep.ts'
import { createDeliveryErasure } from '../delivery/store/delivery-erasure-store.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'

/** As long as feedback (test/api/contract/10-device-details.test.ts). */
const KEEP_MS = 90 * DAY_MS

/** In one step. */
const SWEEP_LIMIT = 50
const ROW_LIMIT = 500

interface PushRow extends Pick<StoredRow<typeof push>, 'number' | 'created_at'> {
  readonly over: 0 | 1
}

/** Erases old pushes. Dependent rows go first, so that transactions stay small. */
export function createPushRetention({ database }: { database: Pick<Database, 'statement'> }) {
  // A push is kept for as long after it, or its last wave, went out, and until its resend has finished. Numbers are in
  // order of time, so no index of times is needed.
  const oldest = database.statement<PushRow, [number, number, number]>(
    `SELECT number, created_at, coalesce(cancelled_at, released_at, created_at) < ?1
       AND (released_at IS NOT NULL OR cancelled_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM push wave WHERE wave.parent = push.number)
       AND NOT EXISTS (SELECT 1 FROM push again WHERE again.resend_of = push.number AND again.cancelled_at IS NULL
         AND (again.released_at IS NULL
           OR EXISTS (SELECT 1 FROM delivery d WHERE d.push = again.number AND d.finished_at IS NULL)))
       AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.push = push.number AND d.finished_at IS NULL) AS over
     FROM push WHERE number > ?2 ORDER BY number LIMIT ?3`,
  )
  const erase = database.statement<never, [number]>('DELETE FROM push WHERE number = ?')
  const eraseNewest = database.statement<{ number: number }, [application: number, limit: number]>(
    `DELETE FROM push WHERE number IN (SELECT number FROM push WHERE application = ? ORDER BY number DESC LIMIT ?)
     RETURNING number`,
  )
  const results = createDeliveryErasure({ database })
  const receipts = createReceiptStore({ database })

  /** Erases a push and up to `rows` dependent rows. Returns how many `rows` are left; 0: there is more to erase. */
  function erasePush(number: number, rows: number): number {
    let left = rows
    for (const { eraseOfPush } of [results, receipts]) {
      if (left > 0) left -= eraseOfPush(number, left)
    }
    if (left > 0) erase.run(number)
    return left
  }

  const sweep: Sweep = (now, after) => {
    const before = now - KEEP_MS
    const rows = oldest.all(before, after, SWEEP_LIMIT)
    let left = ROW_LIMIT
    let lookedTo = after
    for (const { number, over } of rows) {
      if (over === 1) left = erasePush(number, left)
      if (left === 0) return lookedTo
      lookedTo = number
    }
    const last = rows.at(-1)
    return last !== undefined && last.created_at < before && rows.length === SWEEP_LIMIT ? lookedTo : null
  }

  /** Newest first: waves come after their parent. */
  const eraseOf: EraseRows = (application, limit) => eraseNewest.all(application, limit).length

  return { sweep, eraseOf }
}
