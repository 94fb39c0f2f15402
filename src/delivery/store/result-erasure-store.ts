import type { Database } from '../../database/database.ts'
import type { EraseRows } from '../../database/sweep.ts'

/** Erases what became of recipients, in steps: a push may have one row for each of them. */
export function createResultErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const ofPush = database.statement<never, [push: number, limit: number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? LIMIT ?)`,
  )
  const ofApplication = database.statement<never, [application: number, limit: number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  // Each looked up by its key. Who waits for another attempt is found gone, and counted. No device has a number from 2^52
  // on; there are so many of them that none comes twice in a push.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `UPDATE push_exception SET device = 4503599627370496 + abs(random() % 4503599627370496)
     WHERE state NOT IN ('retry', 'leased') AND (push, platform, device) IN (
       SELECT p.number, e.platform, d.value
       FROM push p CROSS JOIN delivery e ON e.push = p.number CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )
  const eraseOf: EraseRows = (application, limit) => ofApplication.run(application, limit).changes
  return {
    /** Up to `limit` rows; how many there were. */
    eraseOfPush: (push: number, limit: number): number => ofPush.run(push, limit).changes,
    eraseOf,

    /**
     * Forgets which devices they were, by `device.id`, in pushes whose number is over `after` and not over `upTo`; for
     * which reason how many failed stays.
     */
    forgetDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
