import { eq, getTableColumns, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { adminToken as table } from '../database/schema.ts'
import { adminDigest, newAdminSecret } from './admin-secret.ts'
import type { TokenPurpose } from './token-purpose.ts'

/** A token as it may be shown. Times are ms since the Unix epoch. */
export interface AdminToken {
  readonly name: string
  readonly createdAt: number
  /** To the minute; `null`: never. */
  readonly usedAt: number | null
  readonly purpose: TokenPurpose
  /** When it expires; `null`: never. */
  readonly expiresAt: number | null
}

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** Bytes, as many as asked for. Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

export type AdminTokenStore = ReturnType<typeof createAdminTokenStore>

/** Tokens by which programs use the admin side, each for a purpose, until they end or are revoked. */
export function createAdminTokenStore({ database, clock, random }: Options) {
  const { orm } = database
  const { digest: _, ...columns } = getTableColumns(table)
  const named = eq(table.name, sql.placeholder('name'))
  const statements = {
    find: late(() =>
      orm
        .select(columns)
        .from(table)
        .where(eq(table.digest, sql.placeholder('digest')))
        .prepare(),
    ),
    list: late(() => orm.select(columns).from(table).orderBy(table.createdAt, table.name).prepare()),
    insert: late(() =>
      orm
        .insert(table)
        .values({
          name: sql.placeholder('name'),
          digest: sql.placeholder('digest'),
          createdAt: sql.placeholder('now'),
          purpose: sql.placeholder('purpose'),
          expiresAt: sql.placeholder('expiresAt'),
        })
        .onConflictDoNothing()
        .returning(columns)
        .prepare(),
    ),
    use: late(() =>
      orm
        .update(table)
        .set({ usedAt: sql`${sql.placeholder('now')}` })
        .where(named)
        .prepare(),
    ),
    remove: late(() => orm.delete(table).where(named).returning(columns).prepare()),
  }

  return {
    list: (): AdminToken[] => statements.list.all(),

    /** The token, which is in this answer and nowhere else; `null`: there is one of this name. */
    add(name: string, { purpose, expiresAt }: Pick<AdminToken, 'purpose' | 'expiresAt'>): string | null {
      const { text, digest } = newAdminSecret('token', random)
      const made = statements.insert.get({ name, digest, now: clock.now(), purpose, expiresAt })
      return made === undefined ? null : text
    },

    /**
     * `null`: there is none, or it was revoked. `isOver`: it has expired. `isStale`: that it is
     * used is to be written down.
     */
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

    /** It is used. */
    use: (name: string): void => statements.use.run({ name, now: clock.now() }),

    /** Whether there was one of this name. */
    revoke: (name: string): boolean => statements.remove.get({ name }) !== undefined,
  }
}
