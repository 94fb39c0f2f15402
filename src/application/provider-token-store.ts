import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { application, providerToken } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SecretOwner } from './application.ts'

/**
 * The APNs provider token each application has made last, sealed. A server that crashes and starts again and again goes on
 * with it: Apple refuses new ones more often than every 20 minutes.
 */
export interface ProviderTokenStore {
  /** Of all applications, since several may have the same signing key. One that does not open with this key is left out. */
  all(): readonly string[]
  save(application: SecretOwner, token: string): void
}

export function createProviderTokenStore(options: {
  readonly database: Pick<Database, 'orm'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}): ProviderTokenStore {
  const { key } = options
  const { orm } = options.database
  const find = late(() =>
    orm
      .select({ id: application.id, sealed: providerToken.sealed })
      .from(providerToken)
      .innerJoin(application, eq(application.number, providerToken.application))
      .prepare(),
  )
  const put = late(() =>
    orm
      .insert(providerToken)
      .values({ application: sql.placeholder('application'), sealed: sql.placeholder('sealed') })
      .onConflictDoUpdate({ target: providerToken.application, set: { sealed: sql`excluded.sealed` } })
      .prepare(),
  )
  const sealedFor = ({ id }: Pick<SecretOwner, 'id'>) => ({ application: id, provider: 'apns token' }) as const

  return {
    all: () =>
      find.all().flatMap(({ id, sealed }) => {
        const token = open(key, sealedFor({ id }), sealed)
        return token === null ? [] : [token]
      }),
    save({ number, id }, token) {
      put.run({ application: number, sealed: seal(key, sealedFor({ id }), token) })
    },
  }
}
