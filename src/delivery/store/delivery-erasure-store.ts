import type { Database } from '../../database/database.ts'
import type { EraseRows } from '../../database/sweep.ts'
import { someOf, someResults } from './some-rows.ts'

/** In steps: a push may have one result for each recipient. */
export function createDeliveryErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const step = (sql: string): EraseRows => {
    const statement = database.statement<never, [of: number, limit: number]>(sql)
    return (of, limit) => statement.run(of, limit).changes
  }
  const ofPushes = 'push IN (SELECT number FROM push WHERE application = ?)'
  const ofKey = (from: string, last: string) =>
    someOf(from, `application, platform, credential, ${last}`, 'application = ?')
  // Device ids end below 2^52; random numbers beyond rarely meet in one push. A device that waits is then found gone,
  // and counted; one on its way needs its id for the answer.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `UPDATE push_exception SET device = 4503599627370496 + abs(random() % 4503599627370496)
     WHERE state <> 'leased' AND (push, platform, device) IN (
       SELECT p.number, e.platform, d.value
       FROM push p CROSS JOIN delivery e ON e.push = p.number CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )

  return {
    eraseOfPush: step(`DELETE FROM push_exception ${someResults('push = ?')}`),

    /** For an application that is being deleted, in this order. */
    ofApplication: [
      step(`DELETE FROM push_exception ${someResults(ofPushes)}`),
      step(`DELETE FROM delivery_language ${someOf('FROM delivery_language', 'push, platform, language', ofPushes)}`),
      step(`DELETE FROM refused_token ${ofKey('FROM refused_token', 'device')}`),
      step(`DELETE FROM accepted_device ${ofKey('FROM accepted_device', 'block')}`),
    ],

    /** Erases device ids from results of pushes with `after` < number <= `upTo`; counts by reason stay. */
    forgetDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
