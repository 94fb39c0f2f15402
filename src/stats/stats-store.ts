import { eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { tally as table } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'
import { tagOf } from '../text/language-tag.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { createReceiptStore } from './receipt-store.ts'
import type { Receipt } from './receipt.ts'
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
    /** Its `push.number`, `null` where the application has no push with this id. */
    numberOf(application: number, id: string): number | null
    /** Which text of it a device with this locale gets; `null`: it has one. */
    textFor(push: number, locale: string | null): string | null
    /** Names of the buttons that it has itself. */
    actionsOf(push: number): readonly string[]
  }
  readonly events: Pick<EventStore, 'pushOpened'>
}

/** What an application hears of its counts, and what its app reports. */
export function createStatsStore({ database, pushes, events }: Dependencies) {
  const sum = (column: SQLiteColumn) => sql<number>`coalesce(sum(${column}), 0)`
  const sums = late(() =>
    database.orm
      .select({ t: sum(table.t), o: sum(table.o), s: sum(table.s) })
      .from(table)
      .where(eq(table.application, sql.placeholder('application')))
      .prepare(),
  )
  const tally = createTallyStore({ database })
  const receipts = createReceiptStore({ database })

  return {
    analytics: (application: number): Analytics => sums.get({ application }) ?? { t: 0, o: 0, s: 0 },

    /**
     * One report at `now` (ms since the Unix epoch): for the push, where that is the application's own, and for the day;
     * an action for the push alone. False, and nothing changed, where the device has said the same of the push before.
     */
    record(application: number, platform: Platform, receipt: Receipt, now: number): boolean {
      const { push, event } = receipt
      const number = push === null ? null : pushes.numberOf(application, push)
      if (push !== null && number !== null) {
        const reported = {
          number,
          textFor: (locale: string | null) => pushes.textFor(number, locale),
          declared: () => pushes.actionsOf(number),
        }
        const counted = receipts.add(reported, { application, platform }, receipt, now)
        if (counted === null) return false
        // An arrival is of each device of each push: a status counts them, a call each would be a flood.
        if (event !== 'received') {
          const { action, token } = receipt
          const named = {
            ...(action !== null && { action }),
            ...(token !== null && counted.isOfDevice && { token }),
            ...(counted.text !== null && { language: tagOf(counted.text) }),
          }
          events.pushOpened(application, { id: push, event, platform: `${platform}` as const, ...named }, now)
        }
      }
      if (event !== 'action') tally.addReceipt({ application, platform }, event, now)
      return true
    },
  }
}
