import type { Database } from '../database/database.ts'
import type { EraseRows } from '../database/sweep.ts'
import { packToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'

interface Opener {
  readonly application: number
  readonly platform: Platform
  readonly token: string
}

/** Which devices have opened which push: a row each, so a push may have millions. Runs in transactions of the caller. */
export function createOpenedStore({ database }: { database: Pick<Database, 'statement'> }) {
  const add = database.statement<
    never,
    [push: number, now: number, application: number, platform: Platform, token: string | Uint8Array]
  >(
    `INSERT INTO opened (push, device, at) SELECT ?, id, ? FROM device WHERE application = ? AND platform = ? AND token = ?
     ON CONFLICT DO NOTHING`,
  )
  const ofPush = database.statement<never, [push: number, limit: number]>(
    `DELETE FROM opened WHERE (push, device) IN (SELECT push, device FROM opened WHERE push = ? LIMIT ?)`,
  )
  const ofApplication = database.statement<never, [application: number, limit: number]>(
    `DELETE FROM opened WHERE (push, device) IN (
       SELECT push, device FROM opened
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  // Each looked up by its key: the opens of these pushes may be millions.
  const ofDevices = database.statement<never, [application: number, after: number, upTo: number, devices: string]>(
    `DELETE FROM opened WHERE (push, device) IN (
       SELECT p.number, d.value FROM push p CROSS JOIN json_each(?4) d
       WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3)`,
  )
  const eraseOf: EraseRows = (application, limit) => ofApplication.run(application, limit).changes
  return {
    /** The first time is kept; `now` in ms since the Unix epoch. */
    add(push: number, { application, platform, token }: Opener, now: number): void {
      add.run(push, now, application, platform, packToken(token))
    },

    /** Up to `limit` rows; how many there were. */
    eraseOfPush: (push: number, limit: number): number => ofPush.run(push, limit).changes,
    eraseOf,

    /** Of devices, by `device.id`, in pushes whose number is over `after` and not over `upTo`. */
    eraseOfDevices: (application: number, devices: readonly number[], after: number, upTo: number): void =>
      void ofDevices.run(application, after, upTo, JSON.stringify(devices)),
  }
}
