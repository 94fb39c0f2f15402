import { and, between, eq, getTableColumns, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { tally } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'

/** Of one application. */
export interface Day {
  /** Days since the Unix epoch, UTC. */
  readonly day: number
  /** Notifications addressed. */
  readonly t: number
  /** Accepted by a gateway. */
  readonly s: number
  /** Opens reported. */
  readonly o: number
  /** Arrivals reported. */
  readonly received: number
}

export interface PlatformDay extends Day {
  readonly platform: Platform
}

interface TallyKey {
  readonly application: number
  readonly platform: Platform
}

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
  // The larger of two, so that importing a list again changes nothing.
  const put = database.statement<never, [number, number, number, number, number, number, number]>(
    `INSERT INTO tally (application, day, platform, t, s, o, received) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET t = max(t, excluded.t), s = max(s, excluded.s), o = max(o, excluded.o),
       received = max(received, excluded.received)`,
  )
  const dayOf = (now: number) => Math.floor(now / DAY_MS)

  return {
    addSent({ application, platform }: TallyKey, now: number, addressed: number, accepted: number): void {
      if (addressed > 0 || accepted > 0) addSent.run(application, dayOf(now), platform, addressed, accepted)
    },

    addReceipt({ application, platform }: TallyKey, event: 'opened' | 'received', now: number): void {
      add[event].run(application, dayOf(now), platform)
    },

    put(application: number, { day, platform, t, s, o, received }: PlatformDay): void {
      put.run(application, day, platform, t, s, o, received)
    },
  }
}

export function createTallyReader({ database }: { database: Pick<Database, 'readingOrm'> }) {
  const { application: column, ...columns } = getTableColumns(tally)
  const { day } = columns
  const ofApplication = eq(column, sql.placeholder('application'))
  const days = late(() =>
    database.readingOrm
      .select({ day, t: sumOf(tally.t), s: sumOf(tally.s), o: sumOf(tally.o), received: sumOf(tally.received) })
      .from(tally)
      .where(and(ofApplication, between(day, sql.placeholder('first'), sql.placeholder('last'))))
      .groupBy(day)
      .orderBy(day)
      .prepare(),
  )
  const list = late(() =>
    database.readingOrm.select(columns).from(tally).where(ofApplication).orderBy(day, tally.platform).prepare(),
  )

  return {
    /** With any counts, in order. */
    days: (application: number, first: number, last: number): Day[] => days.all({ application, first, last }),

    /** Oldest first. */
    list: (application: number): readonly PlatformDay[] => list.all({ application }),
  }
}

export const sumOf = (counted: SQLiteColumn) => sql<number>`coalesce(sum(${counted}), 0)`
