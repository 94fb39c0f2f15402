import { eq, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { applicationUserKey as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SealedStoreOptions } from '../sealing/sealed-table.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import type { Application, SecretOwner } from './application.ts'
import { newUserKey } from './user-key.ts'
import type { UserKeys } from './user-key.ts'

/** The schema that brought the table. */
export const USER_KEY_SINCE = 20

export interface UserKeySummary {
  readonly createdAt: number
  /** Of the previous key; `null`: it is not valid. */
  readonly previousUntil: number | null
}

interface Options extends SealedStoreOptions {
  readonly random?: (length: number) => Uint8Array
}

export type UserKeyStore = ReturnType<typeof createUserKeyStore>

export function createUserKeyStore({ database, clock, key: sealingKey, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  /** `null`: none, or its seal does not open with this key. */
  function find(application: SecretOwner): UserKeys | null {
    const row = statements.find.get({ application: application.number })
    const text = row === undefined ? null : open(sealingKey, sealedFor(application), row.sealed)
    if (row === undefined || text === null) return null
    const [key = '', before] = storedJson(text) as string[]
    const previous =
      before === undefined || row.previousUntil === null ? null : { key: before, until: row.previousUntil }
    return { key, previous }
  }

  return {
    find,

    /** Returns the key, this once; the old one stays valid for `overlapMs`. */
    rotate(application: SecretOwner, overlapMs: number): UserKeySummary & { readonly key: string } {
      const now = clock.now()
      const before = overlapMs > 0 ? find(application) : null
      const key = newUserKey(random)
      const shown = { createdAt: now, previousUntil: before && now + overlapMs }
      const keys = before === null ? [key] : [key, before.key]
      const sealed = seal(sealingKey, sealedFor(application), JSON.stringify(keys))
      statements.put.run({ application: application.number, sealed, ...shown })
      return { key, ...shown }
    },

    /** Needs no key. */
    summary({ number }: Pick<Application, 'number'>): UserKeySummary | null {
      const row = statements.find.get({ application: number })
      if (row === undefined) return null
      const { createdAt, previousUntil } = row
      return { createdAt, previousUntil: previousUntil !== null && clock.now() < previousUntil ? previousUntil : null }
    },
  }
}

function prepareStatements(orm: Database['orm']) {
  return {
    find: late(() =>
      orm
        .select()
        .from(table)
        .where(eq(table.application, sql.placeholder('application'))),
    ),
    put: late(() =>
      orm
        .insert(table)
        .values(given('application', 'sealed', 'previousUntil', 'createdAt'))
        .onConflictDoUpdate({
          target: table.application,
          set: {
            sealed: sql`excluded.sealed`,
            previousUntil: sql`excluded.previous_until`,
            createdAt: sql`excluded.created_at`,
          },
        }),
    ),
  }
}

function sealedFor({ id }: SecretOwner) {
  return { application: id, provider: 'user key' } as const
}

export function createSealedUserKeys({ orm }: Pick<Database, 'orm'>): SealedTable<'user key'> {
  const which = eq(table.application, sql.placeholder('number'))
  return sealedTable('user key', {
    all: late(() => orm.select({ number: table.application, sealed: table.sealed }).from(table)),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    erase: late(() => orm.delete(table).where(which)),
  })
}
