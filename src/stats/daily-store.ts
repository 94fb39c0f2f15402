import { and, between, eq, gte, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { tally } from '../database/schema.ts'

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
  /** Arrivals recorded. */
  readonly received: number
}

/** The counts by day, for people. */
export function createDailyStore({ database }: { database: Pick<Database, 'readingOrm'> }) {
  const { day } = tally
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`
  const ofApplication = eq(tally.application, sql.placeholder('application'))
  const days = late(() =>
    database.readingOrm
      .select({ day, t: sum(tally.t), s: sum(tally.s), o: sum(tally.o), received: sum(tally.received) })
      .from(tally)
      .where(and(ofApplication, between(day, sql.placeholder('first'), sql.placeholder('last'))))
      .groupBy(day)
      .orderBy(day)
      .prepare(),
  )
  const opens = late(() =>
    database.readingOrm
      .select({ o: sum(tally.o) })
      .from(tally)
      .where(and(ofApplication, gte(day, sql.placeholder('since'))))
      .prepare(),
  )

  return {
    /** Opens recorded on the day `since` and later. */
    opensSince: (application: number, since: number): number => opens.get({ application, since })?.o ?? 0,

    /** The days `first` to `last` on which there was something, in order. */
    days: (application: number, first: number, last: number): Day[] => days.all({ application, first, last }),
  }
}
