import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { applicationUserKey as userKey } from '../database/schema.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'

/** Which migration brought the table. */
export const USER_KEY_SINCE = 20

/** What users are proven with, of all applications, for a new key to seal. */
export function createSealedUserKeys({ orm }: Pick<Database, 'orm'>): SealedTable<'user key'> {
  const which = eq(userKey.application, sql.placeholder('number'))
  const sealed = sql`${sql.placeholder('sealed')}`
  const all = late(() => orm.select({ number: userKey.application, sealed: userKey.sealed }).from(userKey).prepare())
  const put = late(() => orm.update(userKey).set({ sealed }).where(which).prepare())
  const erase = late(() => orm.delete(userKey).where(which).prepare())
  return {
    rows: () => all.all().map((row) => Object.assign(row, { provider: 'user key' as const })),
    put: ({ number }, bytes) => put.run({ number, sealed: bytes }),
    erase: ({ number }) => erase.run({ number }),
  }
}
