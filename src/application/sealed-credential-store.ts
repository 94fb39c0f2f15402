import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { credential, providerToken } from '../database/schema.ts'
import type { ProviderName } from '../platform.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'

const sealed = sql`${sql.placeholder('sealed')}`

/** The credentials of all applications, for a new key to seal. */
export function createSealedCredentials({ orm }: Pick<Database, 'orm'>): SealedTable<ProviderName> {
  const which = and(
    eq(credential.application, sql.placeholder('number')),
    eq(credential.provider, sql.placeholder('provider')),
  )
  const all = late(() =>
    orm
      .select({ number: credential.application, provider: credential.provider, sealed: credential.sealed })
      .from(credential)
      .prepare(),
  )
  const put = late(() => orm.update(credential).set({ sealed }).where(which).prepare())
  const erase = late(() => orm.delete(credential).where(which).prepare())
  const tokens = createSealedTokens({ orm })
  return {
    rows: () => all.all(),
    put: ({ number, provider }, bytes) => put.run({ number, provider, sealed: bytes }),
    erase({ number, provider }) {
      erase.run({ number, provider })
      if (provider === 'apns') tokens.erase({ number, provider: 'apns token' })
    },
  }
}

/** The tokens that are made from the credentials for APNs, likewise. */
export function createSealedTokens({ orm }: Pick<Database, 'orm'>): SealedTable<'apns token'> {
  const which = eq(providerToken.application, sql.placeholder('number'))
  const all = late(() =>
    orm.select({ number: providerToken.application, sealed: providerToken.sealed }).from(providerToken).prepare(),
  )
  const put = late(() => orm.update(providerToken).set({ sealed }).where(which).prepare())
  const erase = late(() => orm.delete(providerToken).where(which).prepare())
  return {
    rows: () => all.all().map((row) => Object.assign(row, { provider: 'apns token' as const })),
    put: ({ number }, bytes) => put.run({ number, sealed: bytes }),
    erase: ({ number }) => erase.run({ number }),
  }
}
