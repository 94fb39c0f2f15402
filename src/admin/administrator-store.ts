import { eq, getTableColumns, isNull, max, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { adminLink, adminSession, administrator as table, secondFactor } from '../database/schema.ts'
import type { Administrator } from './administrator.ts'

interface ListedAdministrator extends Administrator {
  /** The last call of a session that there still is; `null`: there is none. */
  readonly seenAt: number | null
  /** Whether a code is asked of them. */
  readonly hasSecondFactor: boolean
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
}

export type AdministratorStore = ReturnType<typeof createAdministratorStore>

/** Administrators, and the hashes of their passwords. Names are told apart without regard to the case of ASCII letters. */
export function createAdministratorStore({ database, clock }: Options) {
  const { orm } = database
  const { password: _, ...columns } = getTableColumns(table)
  const named = eq(table.name, sql.placeholder('name'))
  const statements = {
    find: late(() => orm.select(columns).from(table).where(named).prepare()),
    hash: late(() => orm.select({ password: table.password }).from(table).where(named).prepare()),
    any: late(() => orm.select({ number: table.number }).from(table).limit(1).prepare()),
    list: late(() =>
      orm
        .select({ ...columns, seenAt: max(adminSession.seenAt), hasSecondFactor: secondFactor.confirmedAt })
        .from(table)
        .leftJoin(adminSession, eq(adminSession.administrator, table.number))
        .leftJoin(secondFactor, eq(secondFactor.administrator, table.number))
        .groupBy(table.number)
        .orderBy(table.number)
        .prepare(),
    ),
    insert: late(() =>
      orm
        .insert(table)
        .values({
          name: sql.placeholder('name'),
          password: sql.placeholder('password'),
          createdAt: sql.placeholder('now'),
        })
        .onConflictDoNothing()
        .returning(columns)
        .prepare(),
    ),
    endSetups: late(() => orm.delete(adminLink).where(isNull(adminLink.administrator)).prepare()),
    setPassword: late(() =>
      orm
        .update(table)
        .set({ password: sql`${sql.placeholder('password')}` })
        .where(named)
        .returning(columns)
        .prepare(),
    ),
    remove: late(() => orm.delete(table).where(named).returning(columns).prepare()),
  }
  const any = (): boolean => statements.any.get() !== undefined

  return {
    find: (name: string): Administrator | null => statements.find.get({ name }) ?? null,

    /** Whether there is anybody at all. */
    any,

    /** In the order they were added. */
    list: (): ListedAdministrator[] =>
      statements.list.all().map((row) => Object.assign(row, { hasSecondFactor: row.hasSecondFactor !== null })),

    /** The hash of a password; `null` where nobody has this name. */
    hashOf: (name: string): string | null => statements.hash.get({ name })?.password ?? null,

    /** `password`: its hash. `null`: somebody has this name already. The first ends all links that make an administrator. */
    add(name: string, password: string): Administrator | null {
      return database.transact(() => {
        const isFirst = !any()
        const added = statements.insert.get({ name, password, now: clock.now() }) ?? null
        // What the start has printed may lie in a journal.
        if (isFirst) statements.endSetups.run()
        return added
      })
    },

    /** `password`: its hash. `null`: nobody has this name. Their sessions are over: see `endAll` of the sessions. */
    setPassword: (name: string, password: string): Administrator | null =>
      statements.setPassword.get({ name, password }) ?? null,

    /** Takes sessions and links along. `null`: nobody has this name. */
    remove: (name: string): Administrator | null => statements.remove.get({ name }) ?? null,
  }
}
