import { eq, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { application as table } from '../database/schema.ts'
import { DEFAULT_LIMITS } from './application.ts'
import type { Application, Limits } from './application.ts'
import { hashSecret } from './secret.ts'

export interface ApplicationStore {
  /**
   * Secret and id are made here; the secret is in this answer and nowhere else. A name is 1-100 characters without
   * control characters or white space at its ends, and no other application's name or id.
   */
  create(
    name: string,
  ):
    | { readonly kind: 'created'; readonly application: Application; readonly secret: string }
    | { readonly kind: 'name-taken' }
    | { readonly kind: 'name-invalid' }
  find(idOrName: string): Application | null
  /** In the order of their creation. */
  list(): Application[]
  /** The old secret counts for `overlapMs` more, default 0: it is worth nothing from then on. The one before it is in any case. */
  rotateSecret(
    id: string,
    overlapMs?: number,
  ):
    | {
        readonly kind: 'rotated'
        readonly secret: string
        /** Ms since the Unix epoch; `null`: the old one does not count. */
        readonly previousUntil: number | null
      }
    | NotFound
  /** Takes the application's devices, pushes and credentials with it. */
  remove(id: string): { readonly kind: 'removed' } | NotFound
  /** What is left out stays as it is. The values are trusted: whole numbers of 0 and more, rates also fractions. */
  setLimits(id: string, limits: Partial<Limits>): Changed | NotFound
  setSimulated(id: string, simulated: boolean): Changed | NotFound
}

interface Changed {
  readonly kind: 'changed'
  readonly application: Application
}

interface NotFound {
  readonly kind: 'not-found'
}

interface Options {
  readonly database: Pick<Database, 'orm' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
  /** Default the system's. */
  readonly random?: (length: number) => Uint8Array
}

const NOT_FOUND: NotFound = { kind: 'not-found' }

export function createApplicationStore({ database, clock, random = randomBytes }: Options): ApplicationStore {
  const statements = prepareStatements(database.orm)

  function byId(id: string): Application | null {
    const row = statements.byId.get({ id })
    return row === undefined ? null : applicationOf(row)
  }

  function find(idOrName: string): Application | null {
    const row = statements.byId.get({ id: idOrName }) ?? statements.byName.get({ name: idOrName })
    return row === undefined ? null : applicationOf(row)
  }

  /** Runs `change` on an application that exists, in one transaction. */
  function change(id: string, change: (application: Application) => unknown): Changed | NotFound {
    return database.transact(() => {
      const before = byId(id)
      if (before === null) return NOT_FOUND
      change(before)
      return { kind: 'changed', application: byId(id) ?? before }
    })
  }

  return {
    find,
    list: () => statements.list.all().map(applicationOf),

    create(name) {
      if (!isName(name)) return { kind: 'name-invalid' }
      return database.transact(() => {
        if (find(name) !== null) return { kind: 'name-taken' }
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

    rotateSecret(id, overlapMs = 0) {
      const secret = newSecret(random)
      const previousUntil = overlapMs > 0 ? clock.now() + overlapMs : null
      const changed = statements.setSecret.all({ id, secretHash: hashSecret(secret), previousUntil })
      return changed.length === 0 ? NOT_FOUND : { kind: 'rotated', secret, previousUntil }
    },

    remove: (id) => (statements.remove.all({ id }).length === 0 ? NOT_FOUND : { kind: 'removed' }),

    setLimits: (id, limits) => change(id, (before) => statements.setLimits.run({ id, ...before.limits, ...limits })),

    setSimulated: (id, simulated) =>
      change(id, () => statements.setSimulated.run({ id, simulated: Number(simulated) })),
  }
}

function prepareStatements(orm: Database['orm']) {
  const id = eq(table.id, sql.placeholder('id'))
  const limits = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]
  return {
    byId: late(() => orm.select().from(table).where(id).prepare()),
    byName: late(() =>
      orm
        .select()
        .from(table)
        .where(eq(table.name, sql.placeholder('name')))
        .prepare(),
    ),
    list: late(() => orm.select().from(table).orderBy(table.number).prepare()),
    insert: late(() =>
      orm
        .insert(table)
        .values({
          id: sql.placeholder('id'),
          name: sql.placeholder('name'),
          secretHash: sql.placeholder('secretHash'),
          rate: sql.placeholder('rate'),
          burst: sql.placeholder('burst'),
          backendRate: sql.placeholder('backendRate'),
          backendBurst: sql.placeholder('backendBurst'),
          quota: sql.placeholder('quota'),
          quotaPeriod: sql.placeholder('quotaPeriod'),
          confirmAbove: sql.placeholder('confirmAbove'),
          holdSeconds: sql.placeholder('holdSeconds'),
          maxLabels: sql.placeholder('maxLabels'),
          maxDevices: sql.placeholder('maxDevices'),
          pushId: sql.placeholder('pushId'),
          secretEverywhere: sql.placeholder('secretEverywhere'),
          verifyUsers: sql.placeholder('verifyUsers'),
          createdAt: sql.placeholder('createdAt'),
        })
        .returning()
        .prepare(),
    ),
    setSecret: late(() =>
      orm
        .update(table)
        .set({
          // The values of before stand on the right.
          previousSecretHash: sql`CASE WHEN ${sql.placeholder('previousUntil')} IS NULL THEN NULL ELSE ${table.secretHash} END`,
          previousUntil: sql`${sql.placeholder('previousUntil')}`,
          secretHash: sql`${sql.placeholder('secretHash')}`,
        })
        .where(id)
        .returning({ id: table.id })
        .prepare(),
    ),
    setLimits: late(() =>
      orm
        .update(table)
        .set(Object.fromEntries(limits.map((name) => [name, sql`${sql.placeholder(name)}`])))
        .where(id)
        .prepare(),
    ),
    setSimulated: late(() =>
      orm
        .update(table)
        .set({ simulated: sql`${sql.placeholder('simulated')}` })
        .where(id)
        .prepare(),
    ),
    remove: late(() => orm.delete(table).where(id).returning({ id: table.id }).prepare()),
  }
}

function applicationOf(row: typeof table.$inferSelect): Application {
  const { number, id, name, secretHash, previousSecretHash, previousUntil, simulated } = row
  const previousSecret =
    previousSecretHash === null || previousUntil === null ? null : { hash: previousSecretHash, until: previousUntil }
  const { rate, burst, backendRate, backendBurst, quota, quotaPeriod } = row
  const { confirmAbove, holdSeconds, maxLabels, maxDevices } = row
  const { pushId, secretEverywhere, verifyUsers, adoptImported } = row
  const calls = { rate, burst, backendRate, backendBurst, quota, quotaPeriod }
  const bounds = { confirmAbove, holdSeconds, maxLabels, maxDevices }
  const limits = { ...calls, ...bounds, pushId, secretEverywhere, verifyUsers, adoptImported }
  return { number, id, name, secretHash, previousSecret, limits, simulated }
}

function isName(name: string): boolean {
  const length = Array.from(name).length
  return length >= 1 && length <= 100 && name === name.trim() && !/\p{Cc}/u.test(name)
}

/** 80 random bits in base32 (RFC 4648, lower case): public, but not to be guessed either. */
function newId(random: (length: number) => Uint8Array): string {
  const bits = Array.from(random(10), (byte) => byte.toString(2).padStart(8, '0')).join('')
  const digits = bits.match(/.{5}/g) ?? []
  return `app_${digits.map((digit) => BASE32.charAt(Number.parseInt(digit, 2))).join('')}`
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 256 random bits. The prefix lets secret scanners know it. */
function newSecret(random: (length: number) => Uint8Array): string {
  return `bhs_${Buffer.from(random(32)).toString('base64url')}`
}
