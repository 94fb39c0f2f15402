import type { Database } from '../database/database.ts'

/** What an application did on one day. */
export interface Day {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  /** Notifications addressed. */
  readonly t: number
  /** Taken by a gateway. */
  readonly s: number
  /** Opens recorded. */
  readonly o: number
}

/** The counts by day, for people. */
export function createDailyStore({ database }: { database: Pick<Database, 'reading'> }) {
  const between = database.reading<Day, [application: number, first: number, last: number]>(
    `SELECT day, sum(t) AS t, sum(s) AS s, sum(o) AS o FROM tally WHERE application = ? AND day BETWEEN ? AND ?
     GROUP BY day ORDER BY day`,
  )
  const opens = database.reading<{ o: number }, [application: number, since: number]>(
    'SELECT coalesce(sum(o), 0) AS o FROM tally WHERE application = ? AND day >= ?',
  )

  return {
    /** Opens recorded on the day `since` and later. */
    opensSince: (application: number, since: number): number => opens.get(application, since)?.o ?? 0,

    /** The days `first` to `last` on which there was something, in order. */
    days: (application: number, first: number, last: number): Day[] => between.all(application, first, last),
  }
}
