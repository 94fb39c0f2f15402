import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { alert as table, alertCondition as condition } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedStoreOptions, SealedTable } from '../sealing/sealed-table.ts'
import type { Alert, AlertKind, AlertTarget } from './alert.ts'
import type { Knowledge } from './alert-book.ts'

export const ALERT_SINCE = 41

export type AlertStore = ReturnType<typeof createAlertStore>

/** Stores targets sealed. */
export function createAlertStore({ database, clock, key }: SealedStoreOptions) {
  const statements = prepareStatements(database.orm)
  const list = (): readonly Alert[] =>
    statements.all.all().map((row) => Object.assign(row, { kinds: storedJson(row.kinds) as AlertKind[] }))

  return {
    /** Ordered by number. */
    list,

    /** By name or number. */
    find: (called: string): Alert | null =>
      list().find(({ name, number }) => name === called || String(number) === called) ?? null,

    /** `null`: sealed with another key, or damaged. */
    targetOf({ number, name }: Pick<Alert, 'number' | 'name'>): AlertTarget | null {
      const row = statements.sealed.get({ number })
      const text = row === undefined ? null : open(key, sealedFor(name), row.sealed)
      // Safe to parse: the seal proves that we wrote it.
      return text === null ? null : JSON.parse(text)
    },

    /** `name` must be unused. */
    add(
      { name, channel, place, kinds }: Pick<Alert, 'name' | 'channel' | 'place' | 'kinds'>,
      target: AlertTarget,
    ): void {
      const sealed = seal(key, sealedFor(name), JSON.stringify(target))
      statements.insert.run({ name, channel, place, sealed, kinds: JSON.stringify(kinds), createdAt: clock.now() })
    },

    /** Also removes its conditions. */
    remove: ({ number }: Pick<Alert, 'number'>): void => statements.remove.run({ number }),

    /** `problem`: why the try failed; `null`: it succeeded. */
    note({ number }: Pick<Alert, 'number'>, problem: string | null): void {
      if (problem === null) statements.told.run({ number, toldAt: clock.now() })
      else statements.failed.run({ number, problem })
    },

    knowledge: (): readonly Knowledge[] =>
      statements.conditions.all().map((row) => Object.assign(row, { told: row.told === 1 })),

    /** Does nothing if the alert has been removed. */
    learn(one: Knowledge): void {
      statements.learn.run({ ...one, told: one.told ? 1 : 0 })
    },

    forget: ({ alert, about }: Pick<Knowledge, 'alert' | 'about'>): void => statements.forget.run({ alert, about }),
  }
}

const ownerOf = (name: string): string => `alert ${name}`

function sealedFor(name: string) {
  return { application: ownerOf(name), provider: 'alert target' } as const
}

function prepareStatements(orm: Database['orm']) {
  const which = eq(table.number, sql.placeholder('number'))
  const place = (name: string) => sql`${sql.placeholder(name)}`
  const { sealed: _sealed, ...shown } = getTableColumns(table)
  return {
    all: late(() => orm.select(shown).from(table).orderBy(asc(table.number))),
    sealed: late(() => orm.select({ sealed: table.sealed }).from(table).where(which)),
    insert: late(() => orm.insert(table).values(given('name', 'channel', 'place', 'sealed', 'kinds', 'createdAt'))),
    remove: late(() => orm.delete(table).where(which)),
    told: late(() =>
      orm
        .update(table)
        .set({ ...assigned('toldAt'), problem: null })
        .where(which),
    ),
    failed: late(() => orm.update(table).set(assigned('problem')).where(which)),
    conditions: late(() => orm.select().from(condition)),
    learn: late(() =>
      orm
        .insert(condition)
        .select(
          orm
            .select({
              alert: table.number,
              about: place('about').as('about'),
              kind: place('kind').as('kind'),
              what: place('what').as('what'),
              next: place('next').as('next'),
              since: place('since').as('since'),
              endedAt: place('endedAt').as('ended_at'),
              told: place('told').as('told'),
            })
            .from(table)
            .where(eq(table.number, sql.placeholder('alert'))),
        )
        .onConflictDoUpdate({
          target: [condition.alert, condition.about],
          set: { what: sql`excluded.what`, endedAt: sql`excluded.ended_at`, told: sql`excluded.told` },
        }),
    ),
    forget: late(() =>
      orm
        .delete(condition)
        .where(and(eq(condition.alert, sql.placeholder('alert')), eq(condition.about, sql.placeholder('about')))),
    ),
  }
}

export function alertOwners({ orm }: Pick<Database, 'orm'>) {
  const rows = orm.select({ number: table.number, name: table.name }).from(table).all()
  return rows.map((row) => Object.assign(row, { id: ownerOf(row.name) }))
}

/** For a new key to seal. */
export function createSealedAlerts({ orm }: Pick<Database, 'orm'>): SealedTable<'alert target'> {
  const which = eq(table.number, sql.placeholder('number'))
  return sealedTable('alert target', {
    all: late(() => orm.select({ number: table.number, sealed: table.sealed }).from(table)),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    erase: late(() => orm.delete(table).where(which)),
  })
}
