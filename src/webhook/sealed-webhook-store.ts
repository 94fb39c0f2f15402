import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { assigned, late } from '../database/late-statement.ts'
import { webhook } from '../database/schema.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'

/** The secrets that events are signed with, of all applications, for a new key to seal. */
export function createSealedWebhooks({ orm }: Pick<Database, 'orm'>): SealedTable<'webhook secret'> {
  const which = eq(webhook.application, sql.placeholder('number'))
  const all = late(() => orm.select({ number: webhook.application, sealed: webhook.sealed }).from(webhook))
  const put = late(() => orm.update(webhook).set(assigned('sealed')).where(which))
  const eraseWebhook = createWebhookErasure({ orm })
  return {
    rows: () => all.all().map((row) => Object.assign(row, { provider: 'webhook secret' as const })),
    put: ({ number }, bytes) => put.run({ number, sealed: bytes }),
    // Nothing may be sent unsigned.
    erase: ({ number }) => void eraseWebhook(number),
  }
}
