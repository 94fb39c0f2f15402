import type { CancelledPushes } from '../backup/restore.ts'
import type { OfflineWriter } from '../database/offline-database.ts'
import { finishOpenDeliveries } from '../delivery/store/restored-delivery-store.ts'

const SCHEDULED = 'released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL'
const WAVE_TO_COME = `EXISTS (SELECT 1 FROM push wave WHERE wave.parent = push.number
  AND wave.released_at IS NULL AND wave.cancelled_at IS NULL)`

/**
 * Calls off what was not over at the time of a backup and has probably been sent since: it would be sent once more.
 * What it leaves is what `push/cancel-store.ts` and `DeliveryStore.cancel` leave. A push for a moment that is still to
 * come stays, and so do the waves to come of one by local time. `schema` is the number of the database's last migration,
 * `now` ms since the Unix epoch.
 */
export function cancelOpenPushes(database: OfflineWriter, schema: number, now: number): CancelledPushes {
  if (schema < LIFE_SINCE) return database.transact(() => ({ open: finishOpenDeliveries(database, now), scheduled: 0 }))
  // Callers know of a push by local time as one, not of its waves.
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
    // One with waves to come goes on; that it was released says since when a device must have stayed where it is.
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

/** The migration that brought cancelled and scheduled pushes; before it a push was over when its deliveries were. */
const LIFE_SINCE = 4
