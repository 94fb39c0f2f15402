import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, push } from '../database/schema.ts'
import type { EraseRows, Sweep } from '../database/sweep.ts'
import { createDeliveryErasure } from '../delivery/store/delivery-erasure-store.ts'
import { createReceiptStore } from '../stats/receipt-store.ts'

/** Finished pushes; the feedback is kept as long (test/api/contract/10-device-details.test.ts). */
const KEEP_MS = 90 * DAY_MS

/** Pushes looked at in one step, and rows erased that hang on them. */
const SWEEP_LIMIT = 50
const ROW_LIMIT = 500

interface PushRow extends Pick<StoredRow<typeof push>, 'number' | 'created_at'> {
  readonly over: 0 | 1
}

/** Ends pushes for good. What hangs on one of them by the thousand goes before it, so that no transaction grows with it. */
export function createPushRetention({ database }: { database: Pick<Database, 'statement'> }) {
  // What waits for its moment, or went out late, is kept for as long from then on; a push by local time as long as any
  // of its waves, and one that is sent again as long as that goes on. Numbers are in the order of time, so no index of
  // times is needed.
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

  /** Erases a push with what hangs on it, as far as `rows` go; how many of them are left, 0 when some of the push is left. */
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

  /** The newest first, since waves come after the push that they are of. */
  const eraseOf: EraseRows = (application, limit) => eraseNewest.all(application, limit).length

  return { sweep, eraseOf }
}
