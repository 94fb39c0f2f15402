import type { Database } from './database.ts'

/** Rows erased in one transaction: a server beside this process is not to wait long. */
const STEP = 500

/**
 * Erases what an application has brought, so that nothing much is left for the deletion of its own row. In small
 * transactions, each of them moved out of the log: that of a million devices in one would need more of the disk than the
 * database has, and where the disk is full there is only the reserve.
 */
export function eraseContents(database: Database, application: number): void {
  const steps = [
    'DELETE FROM device WHERE id IN (SELECT id FROM device INDEXED BY device_by_token WHERE application = ? LIMIT ?)',
    'DELETE FROM label WHERE id IN (SELECT id FROM label WHERE application = ? LIMIT ?)',
    `DELETE FROM feedback WHERE (application, platform, token) IN (
       SELECT application, platform, token FROM feedback WHERE application = ? LIMIT ?)`,
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
    // One of each device, for each push: with the push they would all be in one transaction.
    `DELETE FROM opened WHERE (push, device) IN (
       SELECT push, device FROM opened
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
    'DELETE FROM push WHERE number IN (SELECT number FROM push WHERE application = ? ORDER BY number DESC LIMIT ?)',
  ].map((sql) => database.statement<{ one: 1 }, [application: number, limit: number]>(`${sql} RETURNING 1 AS one`))
  const checkpoint = database.statement('PRAGMA wal_checkpoint(PASSIVE)')
  for (const step of steps) {
    while (database.transact(() => step.all(application, STEP).length) === STEP) checkpoint.all()
  }
}
