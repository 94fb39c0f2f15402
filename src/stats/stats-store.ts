import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from '../database/database.ts'
import { tally as table } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'
import { createOpenedStore } from './opened-store.ts'
import { createTallyStore } from './tally-store.ts'

/** Endpoint 15: all-time sums of an application. */
export interface Analytics {
  /** Notifications addressed: one for each device of each push's audience. */
  readonly t: number
  /** Opens recorded. */
  readonly o: number
  /** Taken by a gateway, which is not the same as shown. */
  readonly s: number
}

export type StatsStore = ReturnType<typeof createStatsStore>

interface Dependencies {
  readonly database: Pick<Database, 'orm' | 'statement'>
  readonly pushes: {
    /** Counts one open of a push; its number, `null` where the application has no push with this id. */
    countOpen(application: number, id: string): number | null
  }
}

/** What an application hears of its counts, and the opens that it reports. */
export function createStatsStore({ database, pushes }: Dependencies) {
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`
  const sums = database.orm
    .select({ t: sum(table.t), o: sum(table.o), s: sum(table.s) })
    .from(table)
    .where(eq(table.application, sql.placeholder('application')))
    .prepare()
  const tally = createTallyStore({ database })
  const opens = createOpenedStore({ database })

  return {
    analytics: (application: number): Analytics => sums.get({ application }) ?? { t: 0, o: 0, s: 0 },

    /**
     * One open at `now` (ms since the Unix epoch). It counts for the push too, where that is the application's own; of
     * the device with this `token` the first is kept.
     */
    opened(application: number, platform: Platform, now: number, push?: string | null, token?: string | null): void {
      tally.addOpen({ application, platform }, now)
      const number = push ? pushes.countOpen(application, push) : null
      if (number === null || !token) return
      opens.add(number, { application, platform, token }, now)
    },
  }
}
