import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { tally } from '../database/schema.ts'

/** What an application sent on one day. */
export interface DailyTally {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  readonly platform: number
  /** Notifications addressed, taken by a gateway, opened, received. */
  readonly t: number
  readonly s: number
  readonly o: number
  readonly received: number
}

/** The counts of an application out of one registry and into another. */
export function createTallyTransfer({ database }: { database: Pick<Database, 'readingOrm' | 'statement'> }) {
  const { application: ofApplication, ...columns } = getTableColumns(tally)
  const list = late(() =>
    database.readingOrm
      .select(columns)
      .from(tally)
      .where(eq(ofApplication, sql.placeholder('application')))
      .orderBy(tally.day, tally.platform)
      .prepare(),
  )
  // The larger of two, not their sum: the same list again changes nothing.
  const put = database.statement<never, [number, number, number, number, number, number, number]>(
    `INSERT INTO tally (application, day, platform, t, s, o, received) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET t = max(t, excluded.t), s = max(s, excluded.s), o = max(o, excluded.o),
       received = max(received, excluded.received)`,
  )

  return {
    /** Oldest first: two rows a day at most. */
    list: (application: number): readonly DailyTally[] => list.all({ application }),

    /** To be called inside a transaction. */
    put(application: number, { day, platform, t, s, o, received }: DailyTally): void {
      put.run(application, day, platform, t, s, o, received)
    },
  }
}
