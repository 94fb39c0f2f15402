import { asc, eq, sql } from 'drizzle-orm'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { hook as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'
import { createHookCallStore } from './hook-call-store.ts'
import type { Hook } from './hook.ts'
import type { SignatureName } from './sender-proof.ts'

/** The migration that brought the table. */
export const HOOK_SINCE = 38

/** How a call proves that it comes from who may call. */
export type HookProof =
  | { readonly kind: 'key'; readonly hash: Uint8Array }
  | { readonly kind: 'signature'; readonly signature: SignatureName; readonly secret: string }

interface Options {
  readonly database: Pick<Database, 'orm'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}

export type HookStore = ReturnType<typeof createHookStore>

/** Hooks, the secrets of their senders sealed. What writes runs in a transaction of the caller. */
export function createHookStore({ database, clock, key }: Options) {
  const statements = prepareStatements(database.orm)

  function find(name: string): Hook | null {
    const row = statements.find.get({ name })
    return row === undefined ? null : hookOf(row)
  }

  return {
    find,
    calls: createHookCallStore({ database }),

    /** In order of their names; of one application or of all. */
    list(application: number | null): readonly Hook[] {
      const rows = application === null ? statements.all.all() : statements.ofApplication.all({ application })
      return rows.map(hookOf)
    },

    /** `null`: there is no such hook, or its secret does not open with this key. */
    proofOf(name: string): HookProof | null {
      const row = statements.find.get({ name })
      if (row === undefined) return null
      if (row.keyHash !== null) return { kind: 'key', hash: row.keyHash }
      const { signature, sealed } = row
      const secret = sealed && open(key, sealedFor(name), sealed)
      return signature === null || secret === null ? null : { kind: 'signature', signature, secret }
    },

    /** Replaces one of this name, which must be of the same application. `proof`: `null` keeps the one there is. */
    put(
      { name, application, template }: Pick<Hook, 'name' | 'application' | 'template'>,
      proof: HookProof | null,
    ): Hook {
      const now = clock.now()
      const before = find(name)
      if (before === null) {
        if (proof === null) throw new Error(`hook ${name} has no proof that could be kept`)
        statements.insert.run({ name, application, template, ...storedProof(name, proof), createdAt: now })
      } else {
        if (before.application !== application) throw new Error(`hook ${name} belongs to another application`)
        statements.change.run({ name, template, changedAt: now })
        if (proof !== null) statements.prove.run({ name, ...storedProof(name, proof) })
      }
      return find(name) as Hook
    },

    /** With what is kept of its calls; returns whether there was one. */
    remove: (name: string): boolean => statements.remove.all({ name }).length > 0,
  }

  function storedProof(name: string, proof: HookProof) {
    if (proof.kind === 'key') return { keyHash: proof.hash, signature: null, sealed: null }
    return { keyHash: null, signature: proof.signature, sealed: seal(key, sealedFor(name), proof.secret) }
  }
}

function hookOf(row: typeof table.$inferSelect): Hook {
  const { number, name, application, template, signature, createdAt, changedAt } = row
  return { number, name, application, template, signature, createdAt, changedAt }
}

const ownerOf = (name: string): string => `hook ${name}`

function sealedFor(name: string) {
  return { application: ownerOf(name), provider: 'hook secret' } as const
}

function prepareStatements(orm: Database['orm']) {
  const named = eq(table.name, sql.placeholder('name'))
  const every = () => orm.select().from(table).orderBy(asc(table.name))
  return {
    find: late(() => orm.select().from(table).where(named)),
    all: late(() => every()),
    ofApplication: late(() => every().where(eq(table.application, sql.placeholder('application')))),
    insert: late(() =>
      orm.insert(table).values({
        ...given('name', 'application', 'template', 'keyHash', 'signature', 'sealed', 'createdAt'),
        changedAt: sql.placeholder('createdAt'),
      }),
    ),
    change: late(() => orm.update(table).set(assigned('template', 'changedAt')).where(named)),
    prove: late(() =>
      orm
        .update(table)
        .set(assigned('keyHash', 'signature', 'sealed'))
        .where(named),
    ),
    remove: late(() => orm.delete(table).where(named).returning({ number: table.number })),
  }
}

/** The hooks that have something sealed, as its owners. */
export function hookOwners({ orm }: Pick<Database, 'orm'>) {
  const rows = orm.select({ number: table.number, name: table.name }).from(table).all()
  return rows.map((row) => Object.assign(row, { id: ownerOf(row.name) }))
}

/** The secrets of senders, of all hooks, for a new key to seal. */
export function createSealedHooks({ orm }: Pick<Database, 'orm'>): SealedTable<'hook secret'> {
  const which = eq(table.number, sql.placeholder('number'))
  return sealedTable('hook secret', {
    all: late(() =>
      orm
        .select({ number: table.number, sealed: sql<Uint8Array>`${table.sealed}` })
        .from(table)
        .where(sql`${table.sealed} IS NOT NULL`),
    ),
    put: late(() => orm.update(table).set(assigned('sealed')).where(which)),
    // Nothing may be taken unsigned.
    erase: late(() => orm.delete(table).where(which)),
  })
}
