import { desc, lt, sql } from 'drizzle-orm'
import { DAY_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { adminLog as table } from '../database/schema.ts'
import { actorText } from './administrator.ts'
import type { Actor } from './administrator.ts'

/** How long it is kept what administrators did. */
const KEPT_MS = 400 * DAY_MS

/** Entries erased in one step of a sweep. */
const STEP = 1000

/** Something that was done. `at`: ms since the Unix epoch. */
export interface AdminLogEntry {
  readonly number: number
  readonly at: number
  /** `administrator ann`, `token ci`, `command`. */
  readonly who: string
  readonly action: string
  /** What it was done to; `''`: nothing in particular. */
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'statement'>
  readonly clock: Pick<Clock, 'now'>
}

export type AdminLogStore = ReturnType<typeof createAdminLogStore>

/** What was done on the admin side, and by whom. It is added to, and nothing in it changes. */
export function createAdminLogStore({ database, clock }: Options) {
  const { orm } = database
  const statements = {
    insert: late(() =>
      orm
        .insert(table)
        .values({
          at: sql.placeholder('at'),
          who: sql.placeholder('who'),
          action: sql.placeholder('action'),
          subject: sql.placeholder('subject'),
          detail: sql.placeholder('detail'),
        })
        .prepare(),
    ),
    page: late(() =>
      orm
        .select()
        .from(table)
        .where(lt(table.number, sql.placeholder('before')))
        .orderBy(desc(table.number))
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
  }
  const eraseSome = database.statement<{ number: number }, [before: number, limit: number]>(
    'DELETE FROM admin_log WHERE number IN (SELECT number FROM admin_log WHERE at < ? ORDER BY at LIMIT ?) RETURNING number',
  )

  return {
    add(actor: Actor, action: string, subject = '', detail: AdminLogEntry['detail'] = {}): void {
      const who = actorText(actor)
      statements.insert.run({ at: clock.now(), who, action, subject, detail: JSON.stringify(detail) })
    },

    /** The last first; those before the number `before`. */
    page(before: number, limit: number): AdminLogEntry[] {
      return statements.page.all({ before, limit }).map(({ number, at, who, action, subject, detail }) => {
        return { number, at, who, action, subject, detail: storedJson(detail) as AdminLogEntry['detail'] }
      })
    },

    /** Erases what is too old, a step at a time. */
    sweep: (now: number): number | null => (eraseSome.all(now - KEPT_MS, STEP).length === STEP ? 0 : null),
  }
}
