import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { application, applicationUserKey as userKey } from '../database/schema.ts'
import type { SealedRecord, SealedTable } from '../sealing/sealed-table.ts'

/** Which migration brought the table. */
export const USER_KEY_SINCE = 20

/** What users are proven with, of all applications, for a new key to seal. */
export function createSealedUserKeys({ orm }: Pick<Database, 'orm'>): SealedTable<SealedRecord> {
  const which = eq(userKey.application, sql.placeholder('number'))
  const all = late(() =>
    orm
      .select({
        number: application.number,
        application: application.id,
        name: application.name,
        sealed: userKey.sealed,
      })
      .from(userKey)
      .innerJoin(application, eq(application.number, userKey.application))
      .prepare(),
  )
  const put = late(() =>
    orm
      .update(userKey)
      .set({ sealed: sql`${sql.placeholder('sealed')}` })
      .where(which)
      .prepare(),
  )
  const erase = late(() => orm.delete(userKey).where(which).prepare())
  return {
    records: () => all.all().map((row) => Object.assign(row, { provider: 'user key' as const })),
    put: ({ number }, sealed) => put.run({ number, sealed }),
    erase: ({ number }) => erase.run({ number }),
  }
}
