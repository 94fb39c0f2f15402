import type { Database } from '../database/database.ts'

/** What an application sent on one day. */
export interface DailyTally {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  readonly platform: number
  /** Notifications addressed, taken by a gateway, opened. */
  readonly t: number
  readonly s: number
  readonly o: number
}

/** The counts of an application out of one registry and into another. */
export function createTallyTransfer({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  const list = database.reading<DailyTally, [application: number]>(
    'SELECT day, platform, t, s, o FROM tally WHERE application = ? ORDER BY day, platform',
  )
  // The larger of two, not their sum: the same list again changes nothing.
  const put = database.statement<never, [number, number, number, number, number, number]>(
    `INSERT INTO tally (application, day, platform, t, s, o) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET t = max(t, excluded.t), s = max(s, excluded.s), o = max(o, excluded.o)`,
  )

  return {
    /** Oldest first: two rows a day at most. */
    list: (application: number): readonly DailyTally[] => list.all(application),

    /** To be called inside a transaction. */
    put(application: number, { day, platform, t, s, o }: DailyTally): void {
      put.run(application, day, platform, t, s, o)
    },
  }
}
