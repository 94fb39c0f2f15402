import type { OfflineWriter } from '../database/offline-database.ts'

/** How many pushes were called off. */
export interface CancelledPushes {
  /** Being sent, or waiting to be tried again, at the time of the backup. */
  readonly open: number
  /** To be sent at a moment that has passed since. */
  readonly scheduled: number
}

const WAITING = `state IN ('retry', 'leased')`
const WAITING_OF_IT = `SELECT count(*) FROM push_exception e
  WHERE e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING}`
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
  if (schema < LIFE_SINCE) return database.transact(() => ({ open: finishOpen(database, now), scheduled: 0 }))
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
    finishOpen(database, now)
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

/** Ends all deliveries; of how many pushes. */
function finishOpen(database: OfflineWriter, now: number): number {
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
  return open?.pushes ?? 0
}
