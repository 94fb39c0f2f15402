import { eq, getTableColumns, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { adminLink, adminToken as table } from '../database/schema.ts'
import { adminDigest, newAdminSecret } from './admin-secret.ts'
import { actorText } from './administrator.ts'
import type { Actor, Administrator } from './administrator.ts'
import type { TokenPurpose } from './token-purpose.ts'

export interface AdminToken {
  readonly name: string
  readonly createdAt: number
  /** To the minute; `null`: never. */
  readonly usedAt: number | null
  readonly purpose: TokenPurpose
  /** `null`: never. */
  readonly expiresAt: number | null
  /** `administrator ann`; `null`: unknown. */
  readonly madeBy: string | null
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
        .values(given('name', 'digest', 'createdAt', 'purpose', 'expiresAt', 'madeBy'))
        .onConflictDoNothing()
        .returning(columns),
    ),
    use: late(() => orm.update(table).set(assigned('usedAt')).where(named)),
    remove: late(() => orm.delete(table).where(named).returning(columns)),
    endMade: late(() => orm.delete(adminLink).where(eq(adminLink.madeBy, sql.placeholder('revoked')))),
    inherit: late(() =>
      orm
        .update(table)
        .set(assigned('madeBy'))
        .where(eq(table.madeBy, sql.placeholder('revoked'))),
    ),
  }

  const list = (): AdminToken[] => statements.list.all()
  const isOver = ({ expiresAt }: AdminToken) => expiresAt !== null && expiresAt <= clock.now()

  function madeBy(maker: string): readonly string[] {
    const working = list().filter((token) => !isOver(token))
    const found: string[] = []
    const makers = new Set([maker])
    // Also over those that are added meanwhile.
    for (const one of makers) {
      for (const token of working.filter((each) => each.madeBy === one)) {
        found.push(token.name)
        makers.add(`token ${token.name}`)
      }
    }
    return found
  }

  return {
    list,

    /** The names of tokens that work, made by an administrator or with a token of theirs. */
    madeBy: ({ number, name }: Pick<Administrator, 'number' | 'name'>) =>
      madeBy(actorText({ kind: 'administrator', number, name })),

    /** Returns the token, only here; `null`: the name is taken. */
    add(
      name: string,
      { purpose, expiresAt }: Pick<AdminToken, 'purpose' | 'expiresAt'>,
      by: Actor | null = null,
    ): string | null {
      const { text, digest } = newAdminSecret('token', random)
      const made = statements.insert.get({
        name,
        digest,
        createdAt: clock.now(),
        purpose,
        expiresAt,
        madeBy: by && actorText(by),
      })
      return made === undefined ? null : text
    },

    /** `null`: unknown or revoked. `isOver`: expired. `isStale`: call `use`. */
    find(text: string): { readonly token: AdminToken; readonly isOver: boolean; readonly isStale: boolean } | null {
      const token = statements.find.get({ digest: adminDigest(text) })
      if (token === undefined) return null
      const now = clock.now()
      return {
        token,
        isOver: isOver(token),
        isStale: token.usedAt === null || Math.abs(now - token.usedAt) >= MINUTE_MS,
      }
    },

    use: (name: string): void => statements.use.run({ name, usedAt: clock.now() }),

    /**
     * Also ends the links that it made. The tokens that it made count as made by its maker; returns those that work.
     * `null`: unknown name.
     */
    revoke(name: string): readonly string[] | null {
      const token = statements.remove.get({ name })
      if (token === undefined) return null
      const revoked = `token ${token.name}`
      const left = madeBy(revoked)
      statements.endMade.run({ revoked })
      statements.inherit.run({ revoked, madeBy: token.madeBy })
      return left
    },
  }
}
