import { eq, sql } from 'drizzle-orm'
import { given, late } from '../database/late-statement.ts'
import { application, providerToken } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SealedStoreOptions } from '../sealing/sealed-table.ts'
import type { SecretOwner } from './application.ts'

export type ProviderTokenStore = ReturnType<typeof createProviderTokenStore>

/** Sealed, for restarts: Apple allows one in 20 minutes. */
export function createProviderTokenStore({ database: { orm }, key }: Omit<SealedStoreOptions, 'clock'>) {
  const find = late(() =>
    orm
      .select({ id: application.id, sealed: providerToken.sealed })
      .from(providerToken)
      .innerJoin(application, eq(application.number, providerToken.application)),
  )
  const put = late(() =>
    orm
      .insert(providerToken)
      .values(given('application', 'sealed'))
      .onConflictDoUpdate({ target: providerToken.application, set: { sealed: sql`excluded.sealed` } }),
  )
  const sealedFor = ({ id }: Pick<SecretOwner, 'id'>) => ({ application: id, provider: 'apns token' }) as const

  return {
    /** Those whose seal opens with this key. Applications may share a signing key. */
    all: (): readonly string[] =>
      find.all().flatMap(({ id, sealed }) => {
        const token = open(key, sealedFor({ id }), sealed)
        return token === null ? [] : [token]
      }),
    save({ number, id }: SecretOwner, token: string): void {
      put.run({ application: number, sealed: seal(key, sealedFor({ id }), token) })
    },
  }
}
