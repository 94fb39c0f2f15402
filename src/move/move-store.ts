import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { assigned, late } from '../database/late-statement.ts'
import { applicationMove as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedStoreOptions, SealedTable } from '../sealing/sealed-table.ts'

export const MOVE_SINCE = 40

export type MovePhase = (typeof table.$inferSelect)['phase']

/** A row: where an application is, or where it is going. */
export interface Move {
  readonly id: string
  /** On this server. */
  readonly application: number
  readonly name: string
  readonly phase: MovePhase
  /** Of the other server; `null`: the application came from there. */
  readonly adminUrl: string | null
  /** Where the other server answers calls, once it does. */
  readonly url: string | null
  /** SHA-256 of the secret of the move that brought it, if one did. */
  readonly digest: Uint8Array | null
  readonly hooks: readonly string[]
}

export type MoveStore = ReturnType<typeof createMoveStore>

export function createMoveStore({ database: { orm }, clock, key }: SealedStoreOptions) {
  const which = eq(table.id, sql.placeholder('id'))
  const all = late(() => orm.select().from(table).orderBy(table.name))
  const one = late(() => orm.select().from(table).where(which))
  const change = late(() => orm.update(table).set(assigned('phase', 'changedAt')).where(which))
  const remove = late(() => orm.delete(table).where(which).returning({ id: table.id }))

  function put({ secret, ...row }: Move & { readonly secret?: string | null }): void {
    const sealedNow = (text: string) => Buffer.from(seal(key, sealedFor(row.id), text))
    const sealed = secret === undefined ? {} : { sealed: secret === null ? null : sealedNow(secret) }
    const digest = row.digest && Buffer.from(row.digest)
    const values = { ...row, ...sealed, digest, hooks: [...row.hooks], changedAt: clock.now() }
    orm.insert(table).values(values).onConflictDoUpdate({ target: table.id, set: values }).run()
  }

  return {
    /** Ordered by name. */
    list: (): Move[] => all.all(),
    find: (id: string): Move | null => one.get({ id }) ?? null,

    /** The secret of a move to another server; `null`: none, or sealed with another key. */
    secretOf(id: string): string | null {
      const sealed = one.get({ id })?.sealed ?? null
      return sealed && open(key, sealedFor(id), sealed)
    },

    /** Replaces the application's row. `secret`: of a move to another server; `undefined` keeps the old one. */
    put,

    setPhase: (id: string, phase: MovePhase): void => change.run({ id, phase, changedAt: clock.now() }),

    remove: (id: string): boolean => remove.all({ id }).length > 0,
  }
}

/** Whether this server neither serves nor sends for it. `ELSEWHERE` is the same in SQL. */
export function isElsewhere({ phase }: Pick<Move, 'phase'>): boolean {
  return phase !== 'leaving' && phase !== 'here'
}

/** `null`: the application is here, or was never here. */
export function movedAway(moves: readonly Move[], idOrName: string): Move | null {
  const away = moves.filter(isElsewhere)
  return away.find(({ id }) => id === idOrName) ?? away.find(({ name }) => name === idOrName) ?? null
}

/** Completes a sentence that begins with the application's name. */
export function whereText({ phase, adminUrl, url }: Pick<Move, 'phase' | 'adminUrl' | 'url'>): string {
  if (phase === 'arriving' || phase === 'arrived') return 'is on its way to this server'
  if (phase === 'left') return `has moved to ${adminUrl}, which does not serve it yet`
  return phase === 'gone' ? `has moved to ${url}` : `is on its way to ${adminUrl}`
}

function sealedFor(id: string) {
  return { application: id, provider: 'move secret' } as const
}

/** At start: a restart ends copying, and the application stays. */
export function thawFrozen({ orm }: Pick<Database, 'orm'>): void {
  orm.update(table).set({ phase: 'leaving' }).where(eq(table.phase, 'frozen')).run()
}

/** Moves with a sealed secret. */
export function moveOwners({ orm }: Pick<Database, 'orm'>) {
  return orm.select({ number: table.application, id: table.id, name: table.name }).from(table).all()
}

/** For a new key to seal. */
export function createSealedMoves({ orm }: Pick<Database, 'orm'>): SealedTable<'move secret'> {
  const which = eq(table.application, sql.placeholder('number'))
  return sealedTable('move secret', {
    all: late(() =>
      orm
        .select({ number: table.application, sealed: sql<Uint8Array>`${table.sealed}` })
        .from(table)
        .where(sql`${table.sealed} IS NOT NULL`),
    ),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    erase: late(() => orm.update(table).set({ sealed: null }).where(which)),
  })
}
