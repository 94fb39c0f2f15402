import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from '../../../src/database/database.ts'
import { createLoader } from '../../../src/delivery/queue/loader.ts'
import type { Loader } from '../../../src/delivery/queue/loader.ts'
import { createReadGuard } from '../../../src/delivery/queue/read-guard.ts'
import { createDeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { LogFields } from '../../../src/log.ts'
import { openRegistry } from '../../support/registry.ts'

/* Ten thousand pushes to one device wait for a retry, one due each second. */
const COUNT = 10_000

/** In a query plan. A step takes any leased rows. */
const SLOW = /^SCAN (?!CONSTANT|push_exception USING COVERING INDEX push_exception_leased)|TEMP B-TREE/
const TOKEN = 'a1'.repeat(32)

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore
let used: Set<string>
let loader: Loader

beforeEach(() => {
  registry = openRegistry()
  const { database, clock } = registry
  registry.devices.register(1, { token: TOKEN, platform: 0 })
  const device = registry.devices.idOf(1, 0, TOKEN) ?? 0
  const now = clock.now()
  const endsAt = now + 2 * COUNT * 1000
  database.transact(() => {
    database
      .statement<never, [number, string, number, number, number]>(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
         INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
         SELECT 'push ' || i, 1, '{"msg":"Hello","sound":null,"badge":null,"payload":null}', ?, ?, ?, ? FROM n`,
      )
      .run(COUNT, JSON.stringify({ device, platform: 0 }), device, now, endsAt)
    database
      .statement<never, [number]>(
        `INSERT INTO delivery (push, platform, application, lane, addressed, settled, progress, expires_at, waits_until)
         SELECT number, 0, 1, 0, 1, 1, ceiling, expires_at, created_at + 1000 * number FROM push WHERE number <= ?`,
      )
      .run(COUNT)
    database
      .statement<never, [number]>(
        `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
         SELECT number, 0, ?, 'retry', 1, created_at + 1000 * number, 'TooManyRequests' FROM push`,
      )
      .run(device)
  })
  used = new Set()
  store = createDeliveryStore({ database: noting(database), clock })
  const log = {
    error(event: string, fields: LogFields = {}): never {
      throw new Error(`${event}: ${fields['error']}`)
    },
  }
  const all = { mayLoad: () => true, lastOnDisk: () => Number.MAX_SAFE_INTEGER }
  loader = createLoader({ application: 1, platform: 0, clock, store, ...all }, createReadGuard(clock, log))
})
afterEach(() => registry[Symbol.dispose]())

function noting(database: Database): Database {
  return {
    ...database,
    statement(sql) {
      const statement = database.statement<never, never>(sql) as unknown as Record<'get' | 'all' | 'run', Function>
      const noted =
        (how: 'get' | 'all' | 'run') =>
        (...values: unknown[]) => {
          used.add(sql)
          return statement[how](...values)
        }
      return { get: noted('get'), all: noted('all'), run: noted('run') } as never
    },
  }
}

describe('ten thousand deliveries that wait', () => {
  test('are no pass over them a tick, and take no place before one of them is due', () => {
    const { clock } = registry
    loader.load()
    expect(loader.size).toBe(0)
    expect(loader.waiting(clock.now())).toEqual({ pushes: COUNT, recipients: COUNT })
    used.clear()
    for (let tick = 0; tick < 3; tick++) {
      clock.advance(250)
      loader.load()
    }
    expect([...used]).toEqual([])
    clock.advance(250)
    loader.load()
    expect(loader.size).toBe(1)
    expect(loader.waiting(clock.now()).pushes).toBe(COUNT - 1)
    clock.advance(3_600_000)
    loader.load()
    expect(loader.size).toBe(128)
    expect(loader.all().map(({ record: of }) => of.push)).toEqual(Array.from({ length: 128 }, (_, n) => n + 1))
    for (const delivery of loader.all()) {
      registry.database.transact(() => store.cancel(delivery.record, clock.now()))
      loader.remove(delivery, null)
      loader.load()
    }
    // The next are loaded when half of the places are free.
    expect(loader.size).toBeWithin(64, 129)
    expect(Math.min(...loader.all().map(({ record: of }) => of.push))).toBe(129)
  })

  test('are found, called off and made due along indexes', () => {
    const { database, clock } = registry
    const now = clock.now()
    const key = { push: 1, platform: 0, application: 1 } as const
    database.transact(() => {
      loader.load()
      store.open(1, 0, 'single', 0, Number.MAX_SAFE_INTEGER, 100)
      store.expiring(1, 0, 'single', 100)
      store.takeDue(key, now, now, 10)
      store.nextDue(key)
      store.wait(key)
      store.find(1, 0)
      expect(loader.waiting(clock.now()).pushes).toBe(COUNT)
      expect(store.cancel(key, now)).toBe('ended')
      expect(store.cancel(key, now)).toBe('over')
      let steps = 0
      for (let from = store.makeDue(1, 0, now, null); from !== null; from = store.makeDue(1, 0, now, from)) steps++
      expect(steps).toBeWithin(9, 50)
      for (let { next } = store.cancelled(null); next !== null;) ({ next } = store.cancelled(next))
      store.endLeases(now)
      expect(store.due(1, 0, 'single', 1)).toEqual([{ push: 2, at: now }])
    })
    expect(used.size).toBeGreaterThan(18)
    for (const sql of used) {
      const plan = database.statement<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
      const slow = plan.filter(({ detail }) => SLOW.test(detail))
      expect([sql, slow]).toEqual([sql, []])
    }
  })

  test('are looked through in small steps, after a crash, for those that were called off', () => {
    const { database, clock } = registry
    database.statement('UPDATE push SET cancelled_at = 1 WHERE number <= 3000 OR number % 5 = 0').run()
    const ended: number[] = []
    let from: ReturnType<DeliveryStore['cancelled']>['next'] = null
    do {
      const { found, next } = store.cancelled(from)
      expect(found.length).toBeLessThanOrEqual(100)
      database.transact(() => {
        for (const key of found) if (store.cancel(key, clock.now()) === 'ended') ended.push(key.push)
      })
      from = next
    } while (from !== null)
    expect(ended).toHaveLength(3000 + 7000 / 5)
    expect(new Set(ended).size).toBe(ended.length)
    expect(store.cancelled(null).found).toEqual([])
  })
})
