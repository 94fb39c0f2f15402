import type { Database } from '../../database/database.ts'
import type { EraseRows } from '../../database/sweep.ts'

/** Erases results of recipients, in steps: a push may have a row for each of them. */
export function createResultErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const ofPush = eraseBy(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? LIMIT ?)`,
  )
  const ofApplication = eraseBy(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  const countsOfApplication = eraseBy(
    `DELETE FROM delivery_language WHERE (push, platform, language) IN (
       SELECT push, platform, language FROM delivery_language
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  // By key. A recipient that still waits is found unregistered later, and counted. No device has an id from 2^52 on,
  // and there are so many of them that none is drawn twice for a push.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `UPDATE push_exception SET device = 4503599627370496 + abs(random() % 4503599627370496)
     WHERE state NOT IN ('retry', 'leased') AND (push, platform, device) IN (
       SELECT p.number, e.platform, d.value
       FROM push p CROSS JOIN delivery e ON e.push = p.number CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )

  /** Up to `limit` rows of a push or an application; returns how many there were. */
  function eraseBy(sql: string): EraseRows {
    const erase = database.statement<never, [number: number, limit: number]>(sql)
    return (number, limit) => erase.run(number, limit).changes
  }

  return {
    eraseOfPush: ofPush,
    eraseOf: ofApplication,
    /** Counts by language. */
    eraseCountsOf: countsOfApplication,

    /** Forgets device ids in pushes numbered over `after` and up to `upTo`; keeps how many failed, and why. */
    forgetDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
