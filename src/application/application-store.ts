import { and, eq, or, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { application as table } from '../database/schema.ts'
import { base32 } from '../text/base32.ts'
import { DEFAULT_LIMITS } from './application.ts'
import type { Application, Limits } from './application.ts'
import { ELSEWHERE } from './elsewhere.ts'
import { hashSecret } from './secret.ts'

type Created =
  | { readonly kind: 'created'; readonly application: Application; readonly secret: string }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'name-invalid' }
type Changed = { readonly kind: 'changed'; readonly application: Application } | typeof NOT_FOUND

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
  readonly random?: (length: number) => Uint8Array
}

const NOT_FOUND = { kind: 'not-found' } as const

const LIMITS = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]

export type ApplicationStore = ReturnType<typeof createApplicationStore>

export function createApplicationStore({ database, clock, random = randomBytes }: Options) {
  const statements = prepareStatements(database.orm)

  function byId(id: string): Application | null {
    const row = statements.byId.get({ id })
    return row === undefined ? null : applicationOf(row)
  }

  function find(idOrName: string): Application | null {
    const row = statements.byId.get({ id: idOrName }) ?? statements.byName.get({ name: idOrName })
    return row === undefined ? null : applicationOf(row)
  }

  function change(id: string, change: (application: Application) => unknown): Changed {
    return database.transact(() => {
      const before = byId(id)
      if (before === null) return NOT_FOUND
      change(before)
      return { kind: 'changed', application: byId(id) ?? before }
    })
  }

  return {
    find,
    /** In order of creation. */
    list: (): Application[] => statements.list.all().map(applicationOf),

    /**
     * Returns the secret; only its hash is stored. A name is 1-100 characters without control characters or white space
     * at its ends, and no other application's name or id.
     */
    create(name: string): Created {
      if (!isName(name)) return { kind: 'name-invalid' }
      return database.transact(() => {
        if (statements.taken.get({ name }) !== undefined) return { kind: 'name-taken' }
        const secret = newSecret(random)
        const row = statements.insert.get({
          ...DEFAULT_LIMITS,
          id: newId(random),
          name,
          secretHash: hashSecret(secret),
          createdAt: clock.now(),
        })
        return { kind: 'created', application: applicationOf(row), secret }
      })
    },

    /** The old secret stays valid for `overlapMs`; an older one does not. */
    rotateSecret(id: string, overlapMs = 0) {
      const secret = newSecret(random)
      const previousUntil = overlapMs > 0 ? clock.now() + overlapMs : null
      const changed = statements.setSecret.all({ id, secretHash: hashSecret(secret), previousUntil })
      return changed.length === 0 ? NOT_FOUND : ({ kind: 'rotated', secret, previousUntil } as const)
    },

    /** Also removes the application's devices, pushes and credentials. */
    remove: (id: string) => (statements.remove.all({ id }).length === 0 ? NOT_FOUND : ({ kind: 'removed' } as const)),

    /** Does not check the values. */
    setLimits: (id: string, limits: Partial<Limits>): Changed =>
      change(id, (before) => statements.setLimits.run({ id, ...before.limits, ...limits })),

    setSimulated: (id: string, simulated: boolean): Changed =>
      change(id, () => statements.setSimulated.run({ id, simulated: Number(simulated) })),
  }
}

function prepareStatements(orm: Database['orm']) {
  const id = eq(table.id, sql.placeholder('id'))
  // Absent is NULL: drizzle writes a boolean parameter that is null as 0.
  const known = LIMITS.filter((name) => name !== 'adoptImported')
  const name = sql.placeholder('name')
  const isHere = sql`${table.number} NOT IN ${sql.raw(ELSEWHERE)}`
  return {
    byId: late(() => orm.select().from(table).where(and(id, isHere))),
    byName: late(() =>
      orm
        .select()
        .from(table)
        .where(and(eq(table.name, name), isHere)),
    ),
    /** Also by one that another server has, or will have. */
    taken: late(() =>
      orm
        .select({ id: table.id })
        .from(table)
        .where(or(eq(table.id, name), eq(table.name, name))),
    ),
    list: late(() => orm.select().from(table).where(isHere).orderBy(table.number)),
    insert: late(() =>
      orm
        .insert(table)
        .values(given('id', 'name', 'secretHash', 'createdAt', ...known))
        .returning(),
    ),
    setSecret: late(() =>
      orm
        .update(table)
        .set({
          // On the right are the values before the update.
          previousSecretHash: sql`CASE WHEN ${sql.placeholder('previousUntil')} IS NULL THEN NULL ELSE ${table.secretHash} END`,
          previousUntil: sql`${sql.placeholder('previousUntil')}`,
          secretHash: sql`${sql.placeholder('secretHash')}`,
        })
        .where(id)
        .returning({ id: table.id }),
    ),
    setLimits: late(() =>
      orm
        .update(table)
        .set(assigned(...LIMITS))
        .where(id),
    ),
    setSimulated: late(() => orm.update(table).set(assigned('simulated')).where(id)),
    remove: late(() => orm.delete(table).where(id).returning({ id: table.id })),
  }
}

function applicationOf(row: typeof table.$inferSelect): Application {
  const { number, id, name, secretHash, previousSecretHash, previousUntil, simulated } = row
  const previousSecret =
    previousSecretHash === null || previousUntil === null ? null : { hash: previousSecretHash, until: previousUntil }
  const limits = Object.fromEntries(LIMITS.map((limit) => [limit, row[limit]])) as unknown as Limits
  return { number, id, name, secretHash, previousSecret, limits, simulated }
}

function isName(name: string): boolean {
  const length = Array.from(name).length
  return length >= 1 && length <= 100 && name === name.trim() && !/\p{Cc}/u.test(name)
}

/** 80 random bits: public, but hard to guess. */
function newId(random: (length: number) => Uint8Array): string {
  return `app_${base32(random(10)).toLowerCase()}`
}

/** 256 random bits. Secret scanners recognise the prefix. */
function newSecret(random: (length: number) => Uint8Array): string {
  return `bhs_${Buffer.from(random(32)).toString('base64url')}`
}
