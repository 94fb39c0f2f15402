import { eq, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { applicationUserKey as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { Application, SecretOwner } from './application.ts'
import { newUserKey } from './user-key.ts'
import type { UserKeys } from './user-key.ts'

/** What may be shown. Times are ms since the Unix epoch. */
export interface UserKeySummary {
  readonly createdAt: number
  /** Until when the key before it counts too; `null`: it does not. */
  readonly previousUntil: number | null
}

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
  /** Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

export type UserKeyStore = ReturnType<typeof createUserKeyStore>

/** The key that an application's backend proves users with, sealed with one that is not in the database. */
export function createUserKeyStore({ database, clock, key: sealingKey, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  /** `null` where there is none, or it does not open with this key. */
  function find(application: SecretOwner): UserKeys | null {
    const row = statements.find.get({ application: application.number })
    const text = row === undefined ? null : open(sealingKey, sealedFor(application), row.sealed)
    if (row === undefined || text === null) return null
    // The seal vouches for what is inside.
    const [key = '', before] = storedJson(text) as string[]
    const previous =
      before === undefined || row.previousUntil === null ? null : { key: before, until: row.previousUntil }
    return { key, previous }
  }

  return {
    find,

    /**
     * Makes a key, which is in this answer and nowhere else. The one there was counts for `overlapMs` more, and the one
     * before that no longer. Runs in a transaction of the caller.
     */
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
        .where(eq(table.application, sql.placeholder('application')))
        .prepare(),
    ),
    put: late(() =>
      orm
        .insert(table)
        .values({
          application: sql.placeholder('application'),
          sealed: sql.placeholder('sealed'),
          previousUntil: sql.placeholder('previousUntil'),
          createdAt: sql.placeholder('createdAt'),
        })
        .onConflictDoUpdate({
          target: table.application,
          set: {
            sealed: sql`excluded.sealed`,
            previousUntil: sql`excluded.previous_until`,
            createdAt: sql`excluded.created_at`,
          },
        })
        .prepare(),
    ),
  }
}

function sealedFor({ id }: SecretOwner) {
  return { application: id, provider: 'user key' } as const
}
