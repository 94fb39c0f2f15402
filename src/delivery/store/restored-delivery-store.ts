import type { OfflineWriter } from '../../database/offline-database.ts'
import { WAITING } from './waiting-store.ts'

const WAITING_OF_IT = `SELECT count(*) FROM push_exception e
  WHERE e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING}`

/** Ends all deliveries of a restored database, as `DeliveryStore.cancel` would; returns the number of pushes. */
export function finishOpenDeliveries(database: OfflineWriter, now: number): number {
  const [open] = database.all<{ pushes: number }>(
    'SELECT count(DISTINCT push) AS pushes FROM delivery WHERE finished_at IS NULL',
  )
  database.run(
    `UPDATE delivery SET finished_at = coalesce(finished_at, ?), 
       failed = max(failed + (${WAITING_OF_IT}), coalesce(addressed, 0) - accepted)
     WHERE finished_at IS NULL OR (${WAITING_OF_IT}) > 0`,
    now,
  )
  database.run(`UPDATE push_exception SET state = 'expired', reason = 'cancelled', due_at = ? WHERE ${WAITING}`, now)
  // The database of an older Bellhop has no such table.
  if (database.all(`SELECT 1 FROM sqlite_schema WHERE name = 'badge_lease'`).length > 0) {
    database.run('DELETE FROM badge_lease')
  }
  return open?.pushes ?? 0
}
