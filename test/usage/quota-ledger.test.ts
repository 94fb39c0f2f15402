import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DEFAULT_LIMITS } from '../../src/application/application.ts'
import type { Limits } from '../../src/application/application.ts'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { createQuotaLedger } from '../../src/usage/quota-ledger.ts'
import type { QuotaLedger } from '../../src/usage/quota-ledger.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { raise } from '../support/raise.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

const directory = directoryOfEachTest('quota-ledger')
let database: Database
let clock: FakeClock
let ledger: QuotaLedger

beforeEach(() => {
  database = openDatabase(directory())
  clock = createFakeClock(Date.parse('2026-11-20T12:00:00Z'))
  ledger = createQuotaLedger({ database, clock })
})

afterEach(() => database[Symbol.dispose]())

describe('the quota', () => {
  test('allows so many calls a period and refuses the next, until the period ends', () => {
    const app = application({ quota: 3 })
    expect(charges(app, 3)).toEqual([true, true, true])
    expect(ledger.charge(app, true)).toEqual({ allowed: false, retryAfterSeconds: 10.5 * 86_400 })
    expect(ledger.used(app)).toBe(3)
  })

  test('of a day ends at midnight UTC', () => {
    const app = application({ quota: 1, quotaPeriod: 'day' })
    ledger.charge(app, true)
    expect(ledger.charge(app, true)).toEqual({ allowed: false, retryAfterSeconds: 43_200 })
    clock.advance(12 * HOUR_MS - 1)
    expect(ledger.charge(app, true)).toEqual({ allowed: false, retryAfterSeconds: 1 })
    clock.advance(1)
    expect(ledger.charge(app, true)).toEqual({ allowed: true })
    expect(ledger.used(app)).toBe(1)
  })

  test('of a month outlives the day and ends with the month', () => {
    const app = application({ quota: 1 })
    ledger.charge(app, true)
    clock.advance(DAY_MS)
    expect(ledger.charge(app, true).allowed).toBe(false)
    clock.set(Date.parse('2026-12-01T00:00:00Z'))
    expect(ledger.charge(app, true).allowed).toBe(true)
  })

  test('of 0 is unlimited, and counted all the same', () => {
    const app = application({ quota: 0 })
    charges(app, 50)
    expect(ledger.charge(app, true)).toEqual({ allowed: true })
    expect(ledger.used(app)).toBe(51)
  })

  test('may be used up to four fifths without the secret, whoever made the calls; the rest is for the backend', () => {
    const app = application({ quota: 10 })
    const refused = { allowed: false, retryAfterSeconds: 10.5 * 86_400 } as const
    for (let call = 0; call < 8; call++) expect(ledger.charge(app, call % 2 === 0).allowed).toBe(true)
    expect(ledger.charge(app, false)).toEqual(refused)
    expect(charges(app, 2)).toEqual([true, true])
    expect(ledger.charge(app, true)).toEqual(refused)
    expect(ledger.charge(app, false)).toEqual(refused)
    expect(ledger.used(app)).toBe(10)
    const unlimited = application({ quota: 0 })
    for (let call = 0; call < 20; call++) expect(ledger.charge(unlimited, false).allowed).toBe(true)
  })

  test('of four fifths is remembered over a crash, and said once a period', () => {
    const said: string[] = []
    const onMostUsed = (_: unknown, { name }: { readonly name: string }) => void said.push(name)
    ledger = createQuotaLedger({ database, clock, onMostUsed })
    const app = application({ quota: 5, quotaPeriod: 'day' })
    charges(app, 3)
    expect(said).toEqual([])
    charges(app, 10)
    expect(said).toEqual(['2026-11-20'])
    expect(ledger.charge(withLimits(app, { quota: 10 }), false).allowed).toBe(true)
    flush()
    using after = openDatabase(directory())
    const restarted = createQuotaLedger({ database: after, clock, onMostUsed })
    expect(restarted.charge(app, false).allowed).toBe(false)
    clock.advance(DAY_MS)
    expect(restarted.charge(app, false).allowed).toBe(true)
    charges(app, 10, restarted)
    expect(said).toEqual(['2026-11-20', '2026-11-20', '2026-11-21'])
  })

  test('counts each application alone', () => {
    const [one, other] = [application({ quota: 1 }), application({ quota: 1 })]
    ledger.charge(one, true)
    expect(ledger.charge(one, true).allowed).toBe(false)
    expect(ledger.charge(other, true).allowed).toBe(true)
  })

  test('changed at run time holds at the next call', () => {
    const app = application({ quota: 1 })
    ledger.charge(app, true)
    expect(ledger.charge(withLimits(app, { quota: 2 }), true).allowed).toBe(true)
    expect(ledger.charge(withLimits(app, { quota: 1 }), true).allowed).toBe(false)
  })

  test('whose period changes at run time is held against what that period has already seen', () => {
    const app = application({ quota: 3 })
    const daily = withLimits(app, { quotaPeriod: 'day' })
    charges(app, 2)
    clock.advance(DAY_MS)
    ledger.charge(app, true)
    expect(ledger.charge(app, true).allowed).toBe(false)
    expect(ledger.used(daily)).toBe(1)
    expect(ledger.charge(daily, true).allowed).toBe(true)
    expect(ledger.charge(daily, true).allowed).toBe(true)
    expect(ledger.charge(daily, true)).toEqual({ allowed: false, retryAfterSeconds: 43_200 })
    expect(ledger.used(app)).toBe(5)
  })

  test('finds its count again after a clock that was put back over the end of a period', () => {
    const app = application({ quota: 2, quotaPeriod: 'day' })
    const today = clock.now()
    charges(app, 2)
    clock.set(today + DAY_MS)
    ledger.charge(app, true)
    clock.set(today)
    expect(ledger.charge(app, true).allowed).toBe(false)
    flush()
    flush()
    clock.set(today + 2 * DAY_MS)
    ledger.charge(app, true)
    clock.set(today)
    expect(ledger.used(app)).toBe(2)
    expect(rows(app)).toMatchObject({ '2026-11-20': 2, '2026-11-21': 1 })
  })
})

describe('the ledger', () => {
  test('after a crash knows every call of the last commit', () => {
    const app = application({ quota: 5 })
    charges(app, 4)
    flush()
    ledger.charge(app, true)
    using after = openDatabase(directory())
    const restarted = createQuotaLedger({ database: after, clock })
    expect(restarted.used(app)).toBe(4)
    expect(charges(app, 2, restarted)).toEqual([true, false])
  })

  test('rides in the transaction that the writes of a turn share', async () => {
    const app = application({})
    const group = createGroupCommit(database, raise)
    group.alongside(() => ledger.flush())
    charges(app, 2)
    await group.commit(() => undefined)
    expect(rows(app)).toEqual({ '2026-11': 2, '2026-11-20': 2 })
    charges(app, 3)
    await group.commit(() => undefined)
    expect(rows(app)).toEqual({ '2026-11': 5, '2026-11-20': 5 })
  })

  test('writes again what a rolled-back transaction took away, without another call', () => {
    const [one, other] = [application({}), application({})]
    charges(one, 2)
    flush()
    charges(one, 1)
    charges(other, 4)
    for (const attempt of ['first', 'second']) {
      expect(() => rolledBack(() => ledger.flush(), attempt)).toThrow(attempt)
      expect(rows(one)).toMatchObject({ '2026-11': 2 })
      expect(rows(other)).toEqual({})
      expect(ledger.dirty).toBe(true)
    }
    flush()
    expect(rows(one)).toEqual({ '2026-11': 3, '2026-11-20': 3 })
    expect(rows(other)).toEqual({ '2026-11': 4, '2026-11-20': 4 })
  })

  test('writes what a rolled-back transaction took away also when its period is over', () => {
    const app = application({ quotaPeriod: 'day' })
    charges(app, 2)
    expect(() => rolledBack(() => ledger.flush(), 'disk full')).toThrow('disk full')
    clock.advance(DAY_MS)
    charges(app, 1)
    flush()
    expect(rows(app)).toEqual({ '2026-11': 3, '2026-11-20': 2, '2026-11-21': 1 })
  })

  test('keeps a rolled-back count in sight when the clock goes forth and back over the end of its period', () => {
    const app = application({ quotaPeriod: 'day' })
    const today = clock.now()
    charges(app, 2)
    expect(() => rolledBack(() => ledger.flush(), 'disk full')).toThrow('disk full')
    clock.set(today + DAY_MS)
    ledger.charge(app, true)
    clock.set(today)
    expect(ledger.used(app)).toBe(2)
  })

  test('is dirty from a call until its count is known to be on disk', () => {
    const app = application({ quota: 1 })
    expect(ledger.dirty).toBe(false)
    ledger.charge(app, true)
    expect(ledger.dirty).toBe(true)
    flush()
    flush()
    expect(ledger.dirty).toBe(false)
    ledger.charge(app, true)
    expect(ledger.dirty).toBe(false)
  })

  test('writes nothing when nothing changed', () => {
    const app = application({})
    ledger.charge(app, true)
    flush()
    const before = written()
    flush()
    flush()
    expect(written()).toBe(before)
  })

  test('does not fail the shared transaction for an application that was deleted meanwhile', () => {
    const [deleted, kept] = [application({}), application({})]
    ledger.charge(deleted, true)
    flush()
    charges(deleted, 3)
    ledger.charge(kept, true)
    database.statement<never, [number]>('DELETE FROM application WHERE number = ?').run(deleted.number)
    flush()
    expect(rows(deleted)).toEqual({})
    expect(rows(kept)).toMatchObject({ '2026-11': 1 })
    flush()
    expect(ledger.dirty).toBe(false)
  })

  test('prunes days after 62 days and months after 13 months', () => {
    const sweep = () => database.transact(() => expect(ledger.sweep(clock.now(), 0)).toBeNull())
    const app = application({})
    ledger.charge(app, true)
    flush()
    clock.advance(61 * DAY_MS)
    sweep()
    expect(rows(app)).toEqual({ '2026-11': 1, '2026-11-20': 1 })
    clock.advance(DAY_MS)
    sweep()
    expect(rows(app)).toEqual({ '2026-11': 1 })
    clock.set(Date.parse('2027-11-30T23:59:59Z'))
    sweep()
    expect(rows(app)).toEqual({ '2026-11': 1 })
    clock.set(Date.parse('2027-12-01T00:00:00Z'))
    sweep()
    expect(rows(app)).toEqual({})
  })
})

const flush = (): void => database.transact(() => ledger.flush())

interface App {
  readonly number: number
  readonly limits: Limits
}

let made = 0

function application(limits: Partial<Limits>): App {
  made += 1
  const { lastInsertRowid } = database
    .statement<never, [string]>(
      `INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
       VALUES (?, 'Shop', x'00', 10, 100, 100, 1000, 0, 'month', 0)`,
    )
    .run(`app-${made}`)
  return { number: Number(lastInsertRowid), limits: { ...DEFAULT_LIMITS, ...limits } }
}

function withLimits(app: App, limits: Partial<Limits>): App {
  return { ...app, limits: { ...app.limits, ...limits } }
}

function charges(app: App, calls: number, its = ledger): boolean[] {
  return Array.from({ length: calls }, () => its.charge(app, true).allowed)
}

function rolledBack(work: () => void, message: string): void {
  database.transact(() => {
    work()
    throw new Error(message)
  })
}

/** What is committed of an application's counts, by period. */
function rows(app: App): Record<string, number> {
  const read = database.reading<{ period: string; used: number }, [number]>(
    'SELECT period, used FROM quota WHERE application = ? ORDER BY period',
  )
  return Object.fromEntries(read.all(app.number).map(({ period, used }) => [period, used]))
}

/** Rows written on the writing connection since it was opened. */
function written(): number {
  return database.statement<{ total: number }, []>('SELECT total_changes() AS total').get()?.total ?? Number.NaN
}
