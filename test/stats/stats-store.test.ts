import { expect, test } from 'bun:test'
import { createPushStore } from '../../src/push/push-store.ts'
import { createStatsStore } from '../../src/stats/stats-store.ts'
import { openRegistry } from '../support/registry.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PUSH = '019a9f7e-3c1b-7000-8000-000000000000'

/** A stats store, and one push of application 1. */
function openStats() {
  const registry = openRegistry()
  const { database } = registry
  const insert = database.statement<never, [string]>(
    `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
     VALUES (?, 1, '{}', '{}', 0, 0, 0)`,
  )
  insert.run(PUSH)
  const opened = database.statement<{ opened: number }, []>('SELECT opened FROM push')
  const tallies = database.statement<unknown, []>(
    'SELECT application, day, platform, t, s, o FROM tally ORDER BY 1, 2, 3',
  )
  const opens = database.statement<unknown, []>('SELECT device, at FROM opened')
  return {
    stats: createStatsStore({ database, pushes: createPushStore({ database }) }),
    opensOfPush: () => opened.get()?.opened,
    tallies: () => tallies.all(),
    opens: () => opens.all(),
    registerDevice: (token: string) => registry.devices.register(1, { platform: 0, token }),
    addDelivered: database.statement<never, [number, number]>(
      'INSERT INTO tally (application, day, platform, t, s) VALUES (1, ?, 0, ?, 2)',
    ),
    [Symbol.dispose]: () => registry[Symbol.dispose](),
  }
}

test('an application that has pushed nothing counts 0', () => {
  using on = openStats()
  expect(on.stats.analytics(1)).toEqual({ t: 0, o: 0, s: 0 })
})

test('analytics sums days and platforms of the application', () => {
  using on = openStats()
  on.addDelivered.run(20_000, 5)
  on.addDelivered.run(20_001, 7)
  on.stats.opened(1, 1, 0)
  on.stats.opened(2, 1, 0)
  expect(on.stats.analytics(1)).toEqual({ t: 12, o: 1, s: 4 })
  expect(on.stats.analytics(2)).toEqual({ t: 0, o: 1, s: 0 })
})

test('opens count by UTC day and platform', () => {
  using on = openStats()
  on.stats.opened(1, 0, 20_000 * DAY_MS)
  on.stats.opened(1, 0, 20_001 * DAY_MS - 1)
  on.stats.opened(1, 0, 20_001 * DAY_MS)
  on.stats.opened(1, 1, 20_001 * DAY_MS)
  const none = { application: 1, t: 0, s: 0 }
  expect(on.tallies()).toEqual([
    { ...none, day: 20_000, platform: 0, o: 2 },
    { ...none, day: 20_001, platform: 0, o: 1 },
    { ...none, day: 20_001, platform: 1, o: 1 },
  ])
})

test('an open with the id of a push of the application counts for the push too', () => {
  using on = openStats()
  on.stats.opened(1, 0, 0, PUSH)
  on.stats.opened(1, 0, 0)
  expect(on.opensOfPush()).toBe(1)
  expect(on.stats.analytics(1).o).toBe(2)
})

test('an open with an unknown id, or that of another application, counts for the application alone', () => {
  using on = openStats()
  on.stats.opened(1, 0, 0, '019a9f7e-3c1b-7000-8000-00000000ffff')
  on.stats.opened(2, 0, 0, PUSH)
  expect(on.opensOfPush()).toBe(0)
  expect([on.stats.analytics(1).o, on.stats.analytics(2).o]).toEqual([1, 1])
})

test('the first open of a device is kept, of an open that names it', () => {
  using on = openStats()
  on.registerDevice('token')
  on.stats.opened(1, 0, 1000, PUSH)
  on.stats.opened(1, 0, 2000, PUSH, 'nobody')
  on.stats.opened(1, 1, 3000, PUSH, 'token')
  expect(on.opens()).toEqual([])
  on.stats.opened(1, 0, 4000, PUSH, 'token')
  on.stats.opened(1, 0, 5000, PUSH, 'token')
  expect(on.opens()).toEqual([{ device: 1, at: 4000 }])
  expect(on.opensOfPush()).toBe(5)
})

test('an open that names a device of another application, or another application’s push, keeps none', () => {
  using on = openStats()
  on.registerDevice('token')
  on.stats.opened(2, 0, 1000, PUSH, 'token')
  on.stats.opened(1, 0, 1000, undefined, 'token')
  expect(on.opens()).toEqual([])
})
