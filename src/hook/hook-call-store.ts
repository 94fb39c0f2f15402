import { and, desc, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { hook as hooks, hookCall as table } from '../database/schema.ts'
import type { HookOutcome } from './hook.ts'

/** One call, or several in a row with the same outcome. */
export interface HookCall {
  /** Of the last call. */
  readonly at: number
  readonly outcome: HookOutcome
  /** `push.id`, or why there was no push. */
  readonly detail: string
  readonly repeats: number
}

const KEPT_CALLS = 50

/** Outcomes of each hook's last calls. */
export function createHookCallStore({ database: { orm } }: { readonly database: Pick<Database, 'orm'> }) {
  const ofHook = eq(table.hook, sql.placeholder('hook'))
  const newest = () => orm.select().from(table).where(ofHook).orderBy(desc(table.number))
  const isThere = late(() =>
    orm
      .select({ number: hooks.number })
      .from(hooks)
      .where(eq(hooks.number, sql.placeholder('hook'))),
  )
  const last = late(() => newest().limit(1))
  const beyond = late(() => newest().limit(1).offset(KEPT_CALLS))
  const all = late(() => newest().limit(KEPT_CALLS))
  const insert = late(() => orm.insert(table).values(given('hook', 'at', 'outcome', 'detail')))
  const again = late(() =>
    orm
      .update(table)
      .set({ ...assigned('at'), repeats: sql`${table.repeats} + 1` })
      .where(eq(table.number, sql.placeholder('number'))),
  )
  const drop = late(() => orm.delete(table).where(and(ofHook, lte(table.number, sql.placeholder('number')))))

  return {
    note(hook: number, outcome: HookOutcome, detail: string, now: number): void {
      // The hook may have been deleted while its push was accepted.
      if (isThere.get({ hook }) === undefined) return
      const before = last.get({ hook })
      if (before !== undefined && before.outcome === outcome && before.detail === detail) {
        again.run({ number: before.number, at: now })
        return
      }
      insert.run({ hook, at: now, outcome, detail })
      const oldest = beyond.get({ hook })
      if (oldest !== undefined) drop.run({ hook, number: oldest.number })
    },

    /** Newest first. */
    of: (hook: number): readonly HookCall[] =>
      all.all({ hook }).map(({ at, outcome, detail, repeats }) => ({ at, outcome, detail, repeats })),
  }
}
