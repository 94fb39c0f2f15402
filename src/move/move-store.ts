import { eq, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, late } from '../database/late-statement.ts'
import { applicationMove as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'

/** The migration that brought the table. */
export const MOVE_SINCE = 40

export type MovePhase = (typeof table.$inferSelect)['phase']

/** Where an application is, or is going to be; as the row has it. */
export interface Move {
  /** `application.id` */
  readonly id: string
  /** `application.number` here. */
  readonly application: number
  readonly name: string
  readonly phase: MovePhase
  /** Of the other server, which it goes to; `null`: it came. */
  readonly adminUrl: string | null
  /** Where the other server answers calls; `null`: they never went elsewhere. */
  readonly url: string | null
  /** SHA-256 of the secret of the move that brought it; `null`: none did. */
  readonly digest: Uint8Array | null
  /** Names of its hooks. */
  readonly hooks: readonly string[]
}

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}

export type MoveStore = ReturnType<typeof createMoveStore>

/** Applications that have moved, or are about to. What writes runs in a transaction of the caller. */
export function createMoveStore({ database: { orm }, clock, key }: Options) {
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
    /** In order of names. */
    list: (): Move[] => all.all(),
    find: (id: string): Move | null => one.get({ id }) ?? null,

    /** The secret of a move to another server; `null`: there is none, or it does not open with this key. */
    secretOf(id: string): string | null {
      const sealed = one.get({ id })?.sealed ?? null
      return sealed && open(key, sealedFor(id), sealed)
    },

    /** Replaces what there was of this application. `secret`: of a move to another server; left out: as before. */
    put,

    setPhase: (id: string, phase: MovePhase): void => change.run({ id, phase, changedAt: clock.now() }),

    remove: (id: string): boolean => remove.all({ id }).length > 0,
  }
}

/** Whether this server neither serves nor sends for the application: `ELSEWHERE` says the same in SQL. */
export function isElsewhere({ phase }: Pick<Move, 'phase'>): boolean {
  return phase !== 'leaving' && phase !== 'here'
}

/** The move by which this server knows an application of this id or name; `null`: it is here, or was never. */
export function movedAway(moves: readonly Move[], idOrName: string): Move | null {
  const away = moves.filter(isElsewhere)
  return away.find(({ id }) => id === idOrName) ?? away.find(({ name }) => name === idOrName) ?? null
}

/** Where it is, as the end of a sentence that begins with its name. */
export function whereText({ phase, adminUrl, url }: Pick<Move, 'phase' | 'adminUrl' | 'url'>): string {
  if (phase === 'arriving' || phase === 'arrived') return 'is on its way to this server'
  if (phase === 'left') return `has moved to ${adminUrl}, which does not serve it yet`
  return phase === 'gone' ? `has moved to ${url}` : `is on its way to ${adminUrl}`
}

function sealedFor(id: string) {
  return { application: id, provider: 'move secret' } as const
}

/** At a start: an application whose copying a restart has ended goes on here. Runs in a transaction of the caller. */
export function thawFrozen({ orm }: Pick<Database, 'orm'>): void {
  orm.update(table).set({ phase: 'leaving' }).where(eq(table.phase, 'frozen')).run()
}

/** The moves that have something sealed, as its owners. */
export function moveOwners({ orm }: Pick<Database, 'orm'>) {
  return orm.select({ number: table.application, id: table.id, name: table.name }).from(table).all()
}

/** The secrets of moves, for a new key to seal. */
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
