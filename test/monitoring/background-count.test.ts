import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Platform } from '../../src/device/device.ts'
import { createBackgroundCount } from '../../src/monitoring/background-count.ts'
import type { BackgroundCount } from '../../src/monitoring/background-count.ts'
import { createCountStore } from '../../src/monitoring/count-store.ts'
import type { CountScope } from '../../src/monitoring/count-store.ts'
import { openRegistry } from '../support/registry.ts'
import { storeDevices } from '../support/stored-devices.ts'

let registry: ReturnType<typeof openRegistry>
let busy: CountScope[]
let background: BackgroundCount
let errors: string[]

beforeEach(() => {
  registry = openRegistry()
  busy = []
  errors = []
  const { database, clock } = registry
  background = createBackgroundCount({
    clock,
    log: { error: (event) => void errors.push(event) },
    store: createCountStore({ database }),
    applications: () => [1, 2],
    busy: () => busy,
  })
})
afterEach(() => {
  background.stop()
  registry[Symbol.dispose]()
})

/** Rows as after `number` registrations, from ID `from` on. */
function addDevices(application: number, platform: Platform, number: number, from: number, state = 0): void {
  storeDevices(registry.database, number, (n) => {
    return { id: from + n, application, platform, state, token: `token ${from + n}` }
  })
}

/** Every tenth push has many recipients. */
function addPushes(application: number, platform: 0 | 1, number: number): void {
  const { database } = registry
  const push = database.statement<{ number: number }, [string, number]>(
    `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
     VALUES (?, ?, '{}', '{}', 0, 0, 0) RETURNING number`,
  )
  const delivery = database.statement<never, [number, number, number, number]>(
    'INSERT INTO delivery (push, platform, application, lane) VALUES (?, ?, ?, ?)',
  )
  database.transact(() => {
    for (let n = 0; n < number; n++) {
      const row = push.get(Bun.randomUUIDv7(), application)
      delivery.run(row?.number ?? 0, platform, application, n % 10 === 0 ? 1 : 0)
    }
  })
}

describe('what is counted beside everything else', () => {
  test('is found along an index, in its order', () => {
    const asked = new Set<string>()
    const { database } = registry
    const { devices, left, open } = createCountStore({
      database: {
        reading(sql) {
          asked.add(sql)
          return database.reading(sql)
        },
      },
    })
    expect([devices, left, ...open]).toHaveLength(6)
    const counts = [...asked].filter((sql) => /application = \? AND platform = \?|state <> 0/.test(sql))
    expect(counts).toHaveLength(11)
    for (const sql of counts) {
      const plan = database.statement<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
      const slow = plan.filter(({ detail }) => /^SCAN|TEMP B-TREE/.test(detail))
      expect([sql, slow]).toEqual([sql, []])
    }
  })

  for (const number of [0, 1, 9_999, 10_000, 10_001, 20_000]) {
    test(`is ${number} devices, where there are as many`, async () => {
      if (number > 0) addDevices(1, 0, number, 1)
      addDevices(1, 1, 3, 1_000_001)
      addDevices(1, 2, 4, 4_000_001)
      // Gone and quarantined.
      addDevices(1, 0, 2, 2_000_001, 1)
      addDevices(2, 0, 2, 3_000_001, 2)
      expect((await background.counts()).devices).toEqual([
        { application: 1, platform: 0, count: number },
        { application: 1, platform: 1, count: 3 },
        { application: 1, platform: 2, count: 4 },
        { application: 2, platform: 0, count: 0 },
        { application: 2, platform: 1, count: 0 },
        { application: 2, platform: 2, count: 0 },
      ])
    })
  }

  for (const number of [999, 1000, 2001]) {
    test(`is what has left, by its state: ${number} gone, and some quarantined`, async () => {
      addDevices(1, 0, 3, 1)
      addDevices(1, 0, number, 1_000_001, 1)
      addDevices(2, 1, 500, 2_000_001, 2)
      expect((await background.counts()).left).toEqual({ gone: number, quarantined: 500 })
    })
  }

  test('is also every push that is not finished, in memory or not', async () => {
    addPushes(1, 0, 2500)
    addPushes(2, 1, 7)
    busy = [
      { application: 1, platform: 0 },
      { application: 2, platform: 1 },
    ]
    expect((await background.counts()).open).toEqual([
      { application: 1, platform: 0, count: 2500 },
      { application: 2, platform: 1, count: 7 },
    ])
    // Many at one time, where a part may end.
    registry.database.statement('UPDATE delivery SET waits_until = min(push, 20) WHERE push > 10').run()
    registry.clock.advance(60_000)
    expect((await background.counts()).open[0]?.count).toBe(2500)
    registry.database.statement('UPDATE delivery SET finished_at = 1 WHERE push % 2 = 0').run()
    registry.clock.advance(60_000)
    expect((await background.counts()).open[0]?.count).toBe(1250)
  })

  test('is counted again after a while, and when the clock was set back', async () => {
    const devices = async () => (await background.counts()).devices[0]?.count
    addDevices(1, 0, 1, 1)
    expect(await devices()).toBe(1)
    addDevices(1, 0, 1, 2)
    registry.clock.advance(999)
    expect(await devices()).toBe(1)
    registry.clock.advance(60_000)
    expect(await devices()).toBe(2)
    addDevices(1, 0, 1, 3)
    registry.clock.set(0)
    expect(await devices()).toBe(3)
  })

  test('is the last count for who would have to wait longer than a moment', async () => {
    addDevices(1, 0, 20_001, 1)
    const asked = background.counts()
    registry.clock.advance(5)
    expect((await asked).devices).toEqual([])
    expect((await background.counts()).devices[0]?.count).toBe(20_001)
  })

  test('is the last count where it fails, and says so', async () => {
    addDevices(1, 0, 2, 1)
    expect(await background.counts()).toMatchObject({ whole: true })
    registry.database.statement('ALTER TABLE device RENAME TO elsewhere').run()
    registry.clock.advance(60_000)
    const failed = await background.counts()
    expect([failed.whole, failed.devices[0]?.count, errors]).toEqual([false, 2, ['it could not be counted']])
    registry.database.statement('ALTER TABLE elsewhere RENAME TO device').run()
    registry.clock.advance(60_000)
    expect(await background.counts()).toMatchObject({ whole: true })
  })

  test('ends with the database', async () => {
    addDevices(1, 0, 20_001, 1)
    const asked = background.counts()
    background.stop()
    registry.database[Symbol.dispose]()
    await asked
    expect(errors).toEqual([])
    registry = openRegistry()
  })
})
