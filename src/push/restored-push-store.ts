import type { CancelledPushes } from '../backup/restore.ts'
import type { OfflineWriter } from '../database/offline-database.ts'
import { finishOpenDeliveries } from '../delivery/store/restored-delivery-store.ts'
import { SCHEDULED } from './push-store.ts'

const WAVE_TO_COME = `EXISTS (SELECT 1 FROM push wave WHERE wave.parent = push.number
  AND wave.released_at IS NULL AND wave.cancelled_at IS NULL)`

/**
 * After a restore: cancels what was open at the time of the backup and has probably been sent since. Pushes and waves
 * to come stay. `schema`: the database's last migration.
 */
export function cancelOpenPushes(database: OfflineWriter, schema: number, now: number): CancelledPushes {
  if (schema < LIFE_SINCE) return database.transact(() => ({ open: finishOpenDeliveries(database, now), scheduled: 0 }))
  // Callers count a push by local time as one.
  const called = (sql: string) => {
    const rows = database.all<{ push: number }>(`${sql} RETURNING coalesce(parent, number) AS push`, now)
    return new Set(rows.map(({ push }) => push))
  }
  return database.transact(() => {
    const open = called(
      `UPDATE push SET cancelled_at = ? WHERE cancelled_at IS NULL
         AND EXISTS (SELECT 1 FROM delivery d WHERE d.push = push.number AND d.finished_at IS NULL)`,
    )
    finishOpenDeliveries(database, now)
    const wavesOver = called(
      `UPDATE push SET cancelled_at = ?1 WHERE ${SCHEDULED} AND parent IS NOT NULL AND send_at <= ?1`,
    )
    // With waves to come it continues, and `released_at` says since when a device must not have changed its zone.
    database.run(`UPDATE push SET released_at = send_at WHERE ${SCHEDULED} AND send_at <= ? AND ${WAVE_TO_COME}`, now)
    const scheduled = called(`UPDATE push SET cancelled_at = ?1 WHERE ${SCHEDULED} AND send_at <= ?1`)
    for (const push of new Set([...open, ...wavesOver])) {
      database.run(
        `UPDATE push SET cancelled_at = ? WHERE number = ? AND cancelled_at IS NULL AND NOT ${WAVE_TO_COME}`,
        now,
        push,
      )
    }
    for (const push of wavesOver) scheduled.add(push)
    for (const push of open) scheduled.delete(push)
    return { open: open.size, scheduled: scheduled.size }
  })
}

/** Before this migration, which brought cancelled and scheduled pushes, a push ended with its deliveries. */
const LIFE_SINCE = 4
