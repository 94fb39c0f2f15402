import { eq, getTableColumns, isNull, max, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { adminLink, adminSession, administrator as table, secondFactor } from '../database/schema.ts'
import { actorText } from './administrator.ts'
import type { Administrator } from './administrator.ts'

interface ListedAdministrator extends Administrator {
  /** The last call; `null`: no session. */
  readonly seenAt: number | null
  readonly hasSecondFactor: boolean
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
}

export type AdministratorStore = ReturnType<typeof createAdministratorStore>

/** Names ignore the case of ASCII letters. */
export function createAdministratorStore({ database, clock }: Options) {
  const { orm } = database
  const { password: _, ...columns } = getTableColumns(table)
  const named = eq(table.name, sql.placeholder('name'))
  const statements = {
    find: late(() => orm.select(columns).from(table).where(named)),
    hash: late(() => orm.select({ password: table.password }).from(table).where(named)),
    any: late(() => orm.select({ number: table.number }).from(table).limit(1)),
    list: late(() =>
      orm
        .select({ ...columns, seenAt: max(adminSession.seenAt), hasSecondFactor: secondFactor.confirmedAt })
        .from(table)
        .leftJoin(adminSession, eq(adminSession.administrator, table.number))
        .leftJoin(secondFactor, eq(secondFactor.administrator, table.number))
        .groupBy(table.number)
        .orderBy(table.number),
    ),
    insert: late(() =>
      orm
        .insert(table)
        .values(given('name', 'password', 'createdAt'))
        .onConflictDoNothing()
        .returning(columns),
    ),
    endSetups: late(() => orm.delete(adminLink).where(isNull(adminLink.administrator))),
    setPassword: late(() => orm.update(table).set(assigned('password')).where(named).returning(columns)),
    remove: late(() => orm.delete(table).where(named).returning(columns)),
    endMade: late(() => orm.delete(adminLink).where(eq(adminLink.madeBy, sql.placeholder('madeBy')))),
  }
  const any = (): boolean => statements.any.get() !== undefined

  return {
    find: (name: string): Administrator | null => statements.find.get({ name }) ?? null,

    any,

    list: (): ListedAdministrator[] =>
      statements.list.all().map((row) => Object.assign(row, { hasSecondFactor: row.hasSecondFactor !== null })),

    /** `null`: unknown name. */
    hashOf: (name: string): string | null => statements.hash.get({ name })?.password ?? null,

    /** `password`: its hash. `null`: the name is taken. The first administrator ends all set-up links. */
    add(name: string, password: string): Administrator | null {
      return database.transact(() => {
        const isFirst = !any()
        const added = statements.insert.get({ name, password, createdAt: clock.now() }) ?? null
        // The start printed the link: it may be in a journal.
        if (isFirst) statements.endSetups.run()
        return added
      })
    },

    /** `password`: its hash. `null`: unknown name. Sessions continue. */
    setPassword: (name: string, password: string): Administrator | null =>
      statements.setPassword.get({ name, password }) ?? null,

    /** Also ends sessions and links, those that it made too. `null`: unknown name. */
    remove(name: string): Administrator | null {
      const removed = statements.remove.get({ name }) ?? null
      if (removed !== null) statements.endMade.run({ madeBy: actorText({ kind: 'administrator', ...removed }) })
      return removed
    },
  }
}
