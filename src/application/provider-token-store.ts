import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { providerToken } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SecretOwner } from './application.ts'

/**
 * The APNs provider token each application uses, sealed. A server that crashes and starts again and again goes on
 * with it: Apple refuses new ones more often than every 20 minutes.
 */
export interface ProviderTokenStore {
  /** `null` when there is none, or it does not open with this key. */
  load(application: SecretOwner): string | null
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
      .select({ sealed: providerToken.sealed })
      .from(providerToken)
      .where(eq(providerToken.application, sql.placeholder('application')))
      .prepare(),
  )
  const put = late(() =>
    orm
      .insert(providerToken)
      .values({ application: sql.placeholder('application'), sealed: sql.placeholder('sealed') })
      .onConflictDoUpdate({ target: providerToken.application, set: { sealed: sql`excluded.sealed` } })
      .prepare(),
  )
  const sealedFor = ({ id }: SecretOwner) => ({ application: id, provider: 'apns token' }) as const

  return {
    load(application) {
      const row = find.get({ application: application.number })
      return row === undefined ? null : open(key, sealedFor(application), row.sealed)
    },
    save(application, token) {
      put.run({ application: application.number, sealed: seal(key, sealedFor(application), token) })
    },
  }
}
