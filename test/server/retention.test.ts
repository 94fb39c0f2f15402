import { expect, test } from 'bun:test'
import type { Database } from '../../src/database/database.ts'
import type { Statement, Value } from '../../src/database/statement.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { startRetention } from '../../src/server/storage/retention.ts'
import { createSweeps } from '../../src/server/storage/retention.ts'
import { createQuotaLedger } from '../../src/usage/quota-ledger.ts'
import { createWebhookStore } from '../../src/webhook/webhook-store.ts'
import { newCaller } from '../support/caller.ts'
import { depart, TOKEN_OF } from '../support/departure.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { raise } from '../support/raise.ts'
import { openRegistry } from '../support/registry.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Rows past their time, or without an owner. */
const LEFT = `SELECT (SELECT count(*) FROM feedback) AS feedback, (SELECT count(*) FROM idempotency) AS keys,
  (SELECT count(*) FROM push) AS pushes, (SELECT count(*) FROM device) AS devices, (SELECT count(*) FROM label) AS labels`
const NOTHING = { feedback: 0, keys: 0, pushes: 0, devices: 0, labels: 0 }

const left = ({ database }: Service) => database.statement<typeof NOTHING, []>(LEFT).get()

/** Advances through the pauses between the steps. */
async function until(clock: FakeClock, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    clock.advance(100)
    await Bun.sleep(1)
  }
}

/** With a device that is gone, a quarantined device, a push with a key, and an unused label. */
async function usedService(clock: FakeClock): Promise<Service> {
  const service = await startService({ clock })
  const caller = newCaller(service)
  for (const state of ['gone', 'quarantined'] as const) {
    await caller.register({ token: TOKEN_OF[state], platform: '0', tag: [state] })
    await depart(caller, state)
  }
  return service
}

test('what is over its time when the service starts is erased at once, and not only an hour later', async () => {
  const clock = createFakeClock()
  await using service = await usedService(clock)
  expect(left(service)).toMatchObject({ feedback: 2, pushes: 2, devices: 2, labels: 2 })
  clock.set(clock.now() + 91 * DAY_MS)
  await using again = await service.restart()
  await until(clock, () => Bun.deepEquals(left(again), NOTHING))
})

test('each hour it is erased again; who is gone is kept for as long as --keep-gone says', async () => {
  const clock = createFakeClock()
  await using service = await startService({ clock, config: { keepGone: 2 * HOUR_MS } })
  const caller = newCaller(service)
  await caller.register({ token: TOKEN_OF.quarantined, platform: '0', tag: ['beta'] })
  await depart(caller, 'quarantined')
  clock.advance(HOUR_MS)
  expect(await caller.register({ token: 'a', platform: '0' })).toBeDefined()
  expect(left(service)).toMatchObject({ devices: 2, labels: 1 })
  clock.advance(2 * HOUR_MS)
  await until(clock, () => left(service)?.labels === 0)
  expect(left(service)).toMatchObject({ devices: 1, feedback: 1, pushes: 1 })
})

test('what 3 ms suffice for is in one transaction, the next after a pause; one that fails does not keep the others', async () => {
  using registry = openRegistry()
  const { clock } = registry
  const { commit } = createGroupCommit(registry.database, raise)
  const steps: string[] = []
  const noted: string[] = []
  const log = { error: (event: string) => void noted.push(event) }
  const stop = startRetention({
    clock,
    log: log as never,
    commit,
    sweeps: [
      (_now, after) => {
        steps.push(`first ${after}`)
        clock.advance(2)
        return after < 40 ? after + 10 : null
      },
      () => {
        steps.push('second')
        throw new Error('the disk is full')
      },
      (now) => {
        steps.push(`third ${now === clock.now()}`)
        return null
      },
    ],
  })
  const settled = async () => {
    await commit(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await settled()
  expect(steps).toEqual(['first 0', 'first 10'])
  clock.advance(100)
  await settled()
  expect(steps.slice(2)).toEqual(['first 20', 'first 30'])
  clock.advance(100)
  while (steps.length < 8) await settled()
  // A step that throws runs again alone.
  expect(steps.slice(4)).toEqual(['first 40', 'second', 'second', 'third true'])
  expect(noted).toEqual(['a routine write failed'])
  stop()
  clock.advance(2 * HOUR_MS)
  await settled()
  expect(steps).toHaveLength(8)
})

test('no sweep goes through a table, or sorts one: each finds what it erases along an index', async () => {
  using registry = openRegistry()
  const { database, clock } = registry
  const used = new Set<string>()
  const watched: Database = {
    ...database,
    statement<Row, Params extends readonly Value[]>(sql: string) {
      const statement = database.statement<Row, Params>(sql)
      const noting =
        (method: 'get' | 'all' | 'run') =>
        (...params: Params) => {
          used.add(sql)
          return statement[method](...params)
        }
      return { get: noting('get'), all: noting('all'), run: noting('run') } as Statement<Row, Params>
    },
  }
  const stores = { database: watched, clock }
  const registryParts = { devices: createDeviceStore(stores), ledger: createQuotaLedger(stores) }
  const webhooks = createWebhookStore({ ...stores, key: new Uint8Array(32) })
  const sweeps = createSweeps({ database: watched, ...registryParts, config: { keepGone: 0 } }, webhooks)
  database.transact(() => {
    registry.devices.register(1, { token: 'a', platform: 0, tag: ['x'] })
    registry.devices.quarantine(1, { since: clock.now(), now: 1, reason: 'BadDeviceToken' })
    for (const sql of OLD_ROWS) database.statement(sql).run()
  })
  const rows = () => database.statement<Record<string, number>, []>(ROWS).get() ?? {}
  expect(Object.values(rows()).every((count) => count === 1)).toBe(true)
  for (const sweep of sweeps) {
    let next: number | null = 0
    while (next !== null) {
      const from: number = next
      next = database.transact(() => sweep(clock.now(), from))
    }
  }
  expect(Object.values(rows()).every((count) => count === 0)).toBe(true)
  expect(used.size).toBeGreaterThanOrEqual(14)
  for (const sql of used) {
    const plan = database.statement<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    // sqlite_sequence has one row per numbered table, and takes no index.
    const slow = plan.filter(({ detail }) => /^SCAN (?!CONSTANT|sqlite_sequence)|TEMP B-TREE/.test(detail))
    expect([sql, slow]).toEqual([sql, []])
  }
})

/** All long expired. */
const OLD_ROWS = [
  `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at, released_at)
   VALUES ('p', 1, '{}', '{}', 0, 1, 1, 1)`,
  `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason) VALUES (1, 0, 1, 'gone', 1, 1, 'x')`,
  'INSERT INTO receipt (push, device, event, at) VALUES (1, 1, 0, 1)',
  'INSERT INTO push_receipt (push, event, count) VALUES (1, 0, 1)',
  `INSERT INTO delivery_language (push, platform, language, accepted) VALUES (1, 0, 'de', 1)`,
  `INSERT INTO idempotency (application, key, digest, push, answer, created_at) VALUES (1, 'k', x'00', 1, '{}', 1)`,
  `INSERT INTO quota (application, period, used) VALUES (1, '2024-01', 1)`,
  `INSERT INTO webhook (application, url, sealed, events, changed_at, disabled_at) VALUES (1, 'x', x'00', '[]', 1, 1)`,
  `INSERT INTO event (id, application, type, body, due_at, created_at) VALUES ('e', 1, 'device.gone', '{}', 1, 1)`,
]
const ROWS = `SELECT ${[
  'feedback',
  'idempotency',
  'push',
  'push_exception',
  'receipt',
  'push_receipt',
  'delivery_language',
  'device',
  'label',
  'device_label',
  'event',
  'quota',
]
  .map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)
  .join(', ')}`
