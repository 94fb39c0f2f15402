import { eq, getTableColumns, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { adminToken as table } from '../database/schema.ts'
import { adminDigest, newAdminSecret } from './admin-secret.ts'
import type { TokenPurpose } from './token-purpose.ts'

export interface AdminToken {
  readonly name: string
  readonly createdAt: number
  /** To the minute; `null`: never. */
  readonly usedAt: number | null
  readonly purpose: TokenPurpose
  /** `null`: never. */
  readonly expiresAt: number | null
}

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
}

export type AdminTokenStore = ReturnType<typeof createAdminTokenStore>

export function createAdminTokenStore({ database, clock, random }: Options) {
  const { orm } = database
  const { digest: _, ...columns } = getTableColumns(table)
  const named = eq(table.name, sql.placeholder('name'))
  const statements = {
    find: late(() =>
      orm
        .select(columns)
        .from(table)
        .where(eq(table.digest, sql.placeholder('digest'))),
    ),
    list: late(() => orm.select(columns).from(table).orderBy(table.createdAt, table.name)),
    insert: late(() =>
      orm
        .insert(table)
        .values(given('name', 'digest', 'createdAt', 'purpose', 'expiresAt'))
        .onConflictDoNothing()
        .returning(columns),
    ),
    use: late(() => orm.update(table).set(assigned('usedAt')).where(named)),
    remove: late(() => orm.delete(table).where(named).returning(columns)),
  }

  return {
    list: (): AdminToken[] => statements.list.all(),

    /** Returns the token, only here; `null`: the name is taken. */
    add(name: string, { purpose, expiresAt }: Pick<AdminToken, 'purpose' | 'expiresAt'>): string | null {
      const { text, digest } = newAdminSecret('token', random)
      const made = statements.insert.get({ name, digest, createdAt: clock.now(), purpose, expiresAt })
      return made === undefined ? null : text
    },

    /** `null`: unknown or revoked. `isOver`: expired. `isStale`: call `use`. */
    find(text: string): { readonly token: AdminToken; readonly isOver: boolean; readonly isStale: boolean } | null {
      const token = statements.find.get({ digest: adminDigest(text) })
      if (token === undefined) return null
      const now = clock.now()
      return {
        token,
        isOver: token.expiresAt !== null && token.expiresAt <= now,
        isStale: token.usedAt === null || Math.abs(now - token.usedAt) >= MINUTE_MS,
      }
    },

    use: (name: string): void => statements.use.run({ name, usedAt: clock.now() }),

    revoke: (name: string): boolean => statements.remove.get({ name }) !== undefined,
  }
}
