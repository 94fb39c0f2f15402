import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Platform } from '../device/device.ts'

/** Whose counts: one row for each of these and the day. */
interface TallyKey {
  readonly application: number
  readonly platform: Platform
}

/** Counts by application, UTC day and platform. `now` is ms since the Unix epoch. Runs in transactions of the caller. */
export function createTallyStore({ database }: { database: Pick<Database, 'statement'> }) {
  const addSent = database.statement<never, [number, number, Platform, number, number]>(
    `INSERT INTO tally (application, day, platform, t, s) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET t = t + excluded.t, s = s + excluded.s`,
  )
  const addOne = (column: 'o' | 'received') =>
    database.statement<never, [application: number, day: number, platform: Platform]>(
      `INSERT INTO tally (application, day, platform, ${column}) VALUES (?, ?, ?, 1)
       ON CONFLICT DO UPDATE SET ${column} = ${column} + 1`,
    )
  const add = { opened: addOne('o'), received: addOne('received') } as const
  const dayOf = (now: number) => Math.floor(now / DAY_MS)

  return {
    /** Notifications addressed, and taken by a gateway. */
    addSent({ application, platform }: TallyKey, now: number, addressed: number, accepted: number): void {
      if (addressed > 0 || accepted > 0) addSent.run(application, dayOf(now), platform, addressed, accepted)
    },

    /** One report of an app. */
    addReceipt({ application, platform }: TallyKey, event: 'opened' | 'received', now: number): void {
      add[event].run(application, dayOf(now), platform)
    },
  }
}
