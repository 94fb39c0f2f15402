import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { given, late } from '../../database/late-statement.ts'
import { adminLink as table, administrator } from '../../database/schema.ts'
import { adminDigest, newAdminSecret } from '../admin-secret.ts'
import { actorText } from '../administrator.ts'
import type { Actor, Administrator } from '../administrator.ts'

export const LINK_MS = 30 * MINUTE_MS

/** One-time. */
export type AdminLink = { readonly expiresAt: number } & (
  | { readonly kind: 'setup' }
  | { readonly kind: 'sign-in'; readonly administrator: Administrator }
)

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
}

export type AdminLinkStore = ReturnType<typeof createAdminLinkStore>

export function createAdminLinkStore({ database, clock, random }: Options) {
  const { orm } = database
  const mine = eq(table.digest, sql.placeholder('digest'))
  const { number, name, createdAt } = administrator
  const statements = {
    find: late(() =>
      orm
        .select({ expiresAt: table.expiresAt, administrator: { number, name, createdAt } })
        .from(table)
        .leftJoin(administrator, eq(administrator.number, table.administrator))
        .where(and(mine, gt(table.expiresAt, sql.placeholder('now')))),
    ),
    insert: late(() => orm.insert(table).values(given('digest', 'administrator', 'expiresAt', 'madeBy'))),
    remove: late(() => orm.delete(table).where(mine)),
    endAll: late(() =>
      orm
        .delete(table)
        .where(
          or(eq(table.administrator, sql.placeholder('administrator')), eq(table.madeBy, sql.placeholder('madeBy'))),
        ),
    ),
    sweep: late(() => orm.delete(table).where(lt(table.expiresAt, sql.placeholder('now')))),
  }

  function find(text: string): AdminLink | null {
    const row = statements.find.get({ digest: adminDigest(text), now: clock.now() })
    if (row === undefined) return null
    const { expiresAt, administrator: of } = row
    return of === null ? { kind: 'setup', expiresAt } : { kind: 'sign-in', administrator: of, expiresAt }
  }

  return {
    /** Returns the link's secret. `of`: `null` to create an administrator. `by`: `null` for the service. */
    make(of: Pick<Administrator, 'number'> | null, by: Actor | null): string {
      const { text, digest } = newAdminSecret('link', random)
      statements.insert.run({
        digest,
        administrator: of?.number ?? null,
        expiresAt: clock.now() + LINK_MS,
        madeBy: by && actorText(by),
      })
      return text
    },

    /** `null`: unknown, used or expired. */
    find,

    use(text: string): AdminLink | null {
      return database.transact(() => {
        const link = find(text)
        if (link !== null) statements.remove.run({ digest: adminDigest(text) })
        return link
      })
    },

    /** Those for an administrator, and those that it made. */
    endAll({ number: of, name: who }: Pick<Administrator, 'number' | 'name'>): void {
      const madeBy = actorText({ kind: 'administrator', number: of, name: who })
      statements.endAll.run({ administrator: of, madeBy })
    },

    sweep(now: number): null {
      statements.sweep.run({ now })
      return null
    },
  }
}
