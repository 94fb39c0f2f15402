import { asc, eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { hook as table } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedStoreOptions, SealedTable } from '../sealing/sealed-table.ts'
import { createHookCallStore } from './hook-call-store.ts'
import type { Hook } from './hook.ts'
import type { SignatureName } from './sender-proof.ts'

/** The migration that brought the table. */
export const HOOK_SINCE = 38

export type HookProof =
  | { readonly kind: 'key'; readonly hash: Uint8Array }
  | { readonly kind: 'signature'; readonly signature: SignatureName; readonly secret: string }

export type HookStore = ReturnType<typeof createHookStore>

/** Stores senders' secrets sealed. */
export function createHookStore({ database, clock, key }: SealedStoreOptions) {
  const statements = prepareStatements(database.orm)

  function find(name: string): Hook | null {
    const row = statements.find.get({ name })
    return row === undefined ? null : hookOf(row)
  }

  return {
    find,
    calls: createHookCallStore({ database }),

    /** Ordered by name. `null`: of all applications. */
    list(application: number | null): readonly Hook[] {
      const rows = application === null ? statements.all.all() : statements.ofApplication.all({ application })
      return rows.map(hookOf)
    },

    /** `null`: no such hook, or its secret was sealed with another key. */
    proofOf(name: string): HookProof | null {
      const row = statements.find.get({ name })
      if (row === undefined) return null
      if (row.keyHash !== null) return { kind: 'key', hash: row.keyHash }
      const { signature, sealed } = row
      const secret = sealed && open(key, sealedFor(name), sealed)
      return signature === null || secret === null ? null : { kind: 'signature', signature, secret }
    },

    /** Replaces a hook of this name, which must be of the same application. `proof` `null` keeps the old one. */
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

    /** Also removes its calls. `false`: no such hook. */
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

/** Hooks with a sealed secret. */
export function hookOwners({ orm }: Pick<Database, 'orm'>) {
  const rows = orm.select({ number: table.number, name: table.name }).from(table).all()
  return rows.map((row) => Object.assign(row, { id: ownerOf(row.name) }))
}

/** The secrets of all hooks, to be sealed with a new key. */
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
    // A hook must not accept unsigned calls.
    erase: late(() => orm.delete(table).where(which)),
  })
}
