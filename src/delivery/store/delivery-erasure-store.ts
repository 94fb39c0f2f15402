import type { Database } from '../../database/database.ts'
import type { EraseRows } from '../../database/sweep.ts'

/** Erases what became of recipients, in steps: a push may have one row for each of them. In transactions of the caller. */
export function createDeliveryErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const ofPush = database.statement<never, [push: number, limit: number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? LIMIT ?)`,
  )
  const steps = [
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
    `DELETE FROM delivery_language WHERE (push, platform, language) IN (
       SELECT push, platform, language FROM delivery_language
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
    `DELETE FROM refused_token WHERE (application, platform, credential, device) IN (
       SELECT application, platform, credential, device FROM refused_token WHERE application = ? LIMIT ?)`,
    `DELETE FROM accepted_device WHERE (application, platform, credential, block) IN (
       SELECT application, platform, credential, block FROM accepted_device WHERE application = ? LIMIT ?)`,
  ].map((sql) => database.statement<never, [application: number, limit: number]>(sql))
  // Each looked up by its key. No device has a number from 2^52 on; there are so many of them that none comes twice in a
  // push. Who waits for another attempt is then found gone, and counted; who is on the way is known by the number that is
  // here, until the answer.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `UPDATE push_exception SET device = 4503599627370496 + abs(random() % 4503599627370496)
     WHERE state <> 'leased' AND (push, platform, device) IN (
       SELECT p.number, e.platform, d.value
       FROM push p CROSS JOIN delivery e ON e.push = p.number CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )

  return {
    /** Up to `limit` rows; how many there were. */
    eraseOfPush: (push: number, limit: number): number => ofPush.run(push, limit).changes,

    /** Of an application that is to go, in this order. */
    ofApplication: steps.map(
      (step): EraseRows =>
        (application, limit) =>
          step.run(application, limit).changes,
    ),

    /**
     * Forgets whom pushes have failed for, by `device.id`, in those whose number is over `after` and not over `upTo`; for
     * which reason how many did stays.
     */
    forgetDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
