import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { tally as table } from '../database/schema.ts'
import type { Platform } from '../device/device.ts'
import { tagOf } from '../text/language-tag.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { createReceiptStore } from './receipt-store.ts'
import type { Receipt } from './receipt.ts'
import { createTallyStore, sumOf } from './tally-store.ts'
import type { Day } from './tally-store.ts'

export type StatsStore = ReturnType<typeof createStatsStore>

interface Dependencies {
  readonly database: Pick<Database, 'orm' | 'statement'>
  readonly pushes: {
    /** `null`: no such push. */
    numberOf(application: number, id: string): number | null
    /** `null`: it has one text. */
    textFor(push: number, locale: string | null): string | null
    actionsOf(push: number): readonly string[]
  }
  readonly events: Pick<EventStore, 'pushOpened'>
}

export function createStatsStore({ database, pushes, events }: Dependencies) {
  const sums = late(() =>
    database.orm
      .select({ t: sumOf(table.t), o: sumOf(table.o), s: sumOf(table.s) })
      .from(table)
      .where(eq(table.application, sql.placeholder('application')))
      .prepare(),
  )
  const tally = createTallyStore({ database })
  const receipts = createReceiptStore({ database })

  return {
    /** Sums since the application was created. */
    analytics: (application: number): Pick<Day, 't' | 'o' | 's'> => sums.get({ application }) ?? { t: 0, o: 0, s: 0 },

    /** Returns `false` if the device has reported the same before. */
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
        // Each device reports its arrival: the status counts those.
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
