import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { application, webhook } from '../database/schema.ts'
import type { SealedRecord, SealedTable } from '../sealing/sealed-table.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'

/** The secrets that events are signed with, of all applications, for a new key to seal. */
export function createSealedWebhooks({ orm }: Pick<Database, 'orm'>): SealedTable<SealedRecord> {
  const all = late(() =>
    orm
      .select({
        number: application.number,
        application: application.id,
        name: application.name,
        sealed: webhook.sealed,
      })
      .from(webhook)
      .innerJoin(application, eq(application.number, webhook.application))
      .prepare(),
  )
  const put = late(() =>
    orm
      .update(webhook)
      .set({ sealed: sql`${sql.placeholder('sealed')}` })
      .where(eq(webhook.application, sql.placeholder('number')))
      .prepare(),
  )
  const eraseWebhook = createWebhookErasure({ orm })
  return {
    records: () => all.all().map((row) => Object.assign(row, { provider: 'webhook secret' as const })),
    put: ({ number }, sealed) => put.run({ number, sealed }),
    // Nothing may be sent unsigned.
    erase: ({ number }) => void eraseWebhook(number),
  }
}
