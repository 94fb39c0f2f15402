import { expect, test } from 'bun:test'
import { openRegistry } from '../support/registry.ts'

const APP = 1
const TOKEN = 'ab'.repeat(32)

/** One registered device, with id 1. */
function openWithDevice() {
  const registry = openRegistry()
  registry.devices.register(APP, { token: TOKEN, platform: 0, alias: 'anna', tag: ['beta'] })
  return registry
}

test.each(['markGone', 'quarantine'] as const)(
  '%s takes a device out of the registry, and its reason is in the feedback',
  (leave) => {
    using registry = openWithDevice()
    const { devices, feedback, clock } = registry
    const seenAt = clock.now()
    expect(devices[leave](1, { since: seenAt, now: seenAt + 5, reason: 'Unregistered' })).toBe(true)
    expect(devices.find(APP, TOKEN)).toBeNull()
    expect(registry.registered(APP)).toBe(0)
    expect([...feedback.list(APP)]).toEqual([{ token: TOKEN, platform: 0, reason: 'Unregistered', at: seenAt + 5 }])
  },
)

test.each(['markGone', 'quarantine'] as const)('%s leaves a device that has registered since', (leave) => {
  using registry = openWithDevice()
  const { devices, feedback, clock } = registry
  clock.advance(1000)
  devices.register(APP, { token: TOKEN, platform: 0 })
  expect(devices[leave](1, { since: clock.now() - 1, now: clock.now(), reason: 'Unregistered' })).toBe(false)
  expect(devices.find(APP, TOKEN)).toMatchObject({ alias: 'anna', tag: ['beta'] })
  expect([...feedback.list(APP)]).toEqual([])
})

test('a device that is gone leaves neither alias nor labels behind', () => {
  using registry = openWithDevice()
  registry.devices.markGone(1, { since: Infinity, now: 5, reason: 'Unregistered' })
  const left = registry.database.statement<unknown, []>(
    'SELECT alias, (SELECT count(*) FROM device_label) AS labels FROM device',
  )
  expect(left.all()).toEqual([{ alias: null, labels: 0 }])
})

test('a device that has registered before the clock was set back is gone all the same', () => {
  using registry = openWithDevice()
  const { devices, clock } = registry
  clock.advance(-60_000)
  expect(devices.markGone(1, { since: clock.now(), now: clock.now(), reason: 'UNREGISTERED' })).toBe(true)
  expect(devices.find(APP, TOKEN)).toBeNull()
})

test('one that has come back before the clock was set back is not gone for an answer of before that', () => {
  using registry = openWithDevice()
  const { devices, clock } = registry
  const since = clock.now() + 500
  clock.advance(1000)
  devices.register(APP, { token: TOKEN, platform: 0 })
  clock.advance(-60_000)
  expect(devices.markGone(1, { since, now: clock.now(), reason: 'Unregistered' })).toBe(false)
  expect(devices.find(APP, TOKEN)).not.toBeNull()
})

test('one that registered before the clock was set back is gone, though service time is a little ahead of the clock', () => {
  using registry = openWithDevice()
  const { devices, clock } = registry
  clock.advance(-60_000)
  const since = clock.now() + 302
  expect(devices.markGone(1, { since, now: since + 50, reason: 'UNREGISTERED' })).toBe(true)
})

test('only a registered device can be declared gone or quarantined', () => {
  using registry = openWithDevice()
  const { devices, feedback } = registry
  devices.quarantine(1, { since: Infinity, now: 5, reason: 'first' })
  expect(devices.markGone(1, { since: Infinity, now: 6, reason: 'second' })).toBe(false)
  expect(devices.quarantine(1, { since: Infinity, now: 6, reason: 'second' })).toBe(false)
  expect(devices.quarantine(99, { since: Infinity, now: 6, reason: 'second' })).toBe(false)
  expect([...feedback.list(APP)].map(({ reason }) => reason)).toEqual(['first'])
})

test('a token that leaves a second time is in the feedback once, with the last word', () => {
  using registry = openWithDevice()
  const { devices, feedback } = registry
  devices.quarantine(1, { since: Infinity, now: 5, reason: 'first' })
  devices.register(APP, { token: TOKEN, platform: 0 })
  devices.markGone(1, { since: Infinity, now: 9, reason: 'second' })
  expect([...feedback.list(APP)]).toEqual([{ token: TOKEN, platform: 0, reason: 'second', at: 9 }])
})

test('badges that a push changes are in the record, and it says what they are by then', () => {
  using registry = openRegistry()
  const { devices, clock } = registry
  for (const token of ['one', 'two', 'three']) devices.register(APP, { token, platform: 1 })
  clock.advance(10)
  expect(devices.changeBadges([1, 3], { set: 4 })).toEqual(
    new Map([
      [1, 4],
      [3, 4],
    ]),
  )
  expect(devices.changeBadges([2, 3, 99], { add: 3 })).toEqual(
    new Map([
      [2, 3],
      [3, 7],
    ]),
  )
  const stored = ['one', 'two', 'three'].map((token) => devices.find(APP, token))
  expect(stored.map((device) => device?.badge)).toEqual([4, 3, 7])
  expect(stored.every((device) => device?.updatedAt === clock.now())).toBe(true)
})

test('a badge stays within its bounds, and one that stays as it is is no change of the record', () => {
  using registry = openWithDevice()
  const { devices, clock } = registry
  devices.changeBadges([1], { add: 2_147_483_646 })
  expect(devices.changeBadges([1], { add: 5 })).toEqual(new Map([[1, 2_147_483_647]]))
  expect(devices.changeBadges([1], { add: -2_147_483_647 })).toEqual(new Map([[1, 0]]))
  const before = devices.find(APP, TOKEN)
  clock.advance(10)
  for (const change of [{ set: 0 }, { add: -1 }, { add: 0 }]) expect(devices.changeBadges([1], change).size).toBe(0)
  expect(devices.find(APP, TOKEN)).toEqual(before)
})

test('devices that have been gone, or quarantined, for long are erased, some at a time, those first that left first', () => {
  using registry = openRegistry()
  const { devices, database } = registry
  const states = database.reading<{ state: number; count: number }, []>(
    'SELECT state, count(*) AS count FROM device GROUP BY state ORDER BY state',
  )
  database.transact(() => {
    for (let id = 1; id <= 26; id++) {
      devices.register(APP, { token: `device ${id}`, platform: 0, tag: ['beta'] })
      if (id <= 8) devices.markGone(id, { since: Infinity, now: id, reason: 'Unregistered' })
      else if (id <= 16) devices.quarantine(id, { since: Infinity, now: id, reason: 'BadDeviceToken' })
    }
  })
  const erase = (before: number) => [database.transact(() => devices.eraseLeft(before)), states.all()]
  expect(erase(13)).toEqual([
    true,
    [
      { state: 0, count: 10 },
      { state: 2, count: 6 },
    ],
  ])
  expect(erase(13)).toEqual([
    false,
    [
      { state: 0, count: 10 },
      { state: 2, count: 4 },
    ],
  ])
  const labels = database.statement<{ count: number }, []>('SELECT count(*) AS count FROM device_label')
  expect(labels.get()).toEqual({ count: 14 })
})
