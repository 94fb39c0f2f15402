import { describe, expect, test } from 'bun:test'
import type { FeedbackEntry } from '../../src/device/feedback-store.ts'
import { createRestoreStore } from '../../src/device/restore-store.ts'
import { openRegistry } from '../support/registry.ts'

const APP = 1
const PLATFORMS = [0, 1] as const

function open() {
  const registry = openRegistry()
  const { database, clock, devices, feedback } = registry
  const store = createRestoreStore({ database, clock })
  const labels = database.statement<{ count: number }, []>('SELECT count(*) AS count FROM label')
  const kept = database.statement<{ count: number }, []>('SELECT count(*) AS count FROM left_device')
  const size = database.statement<unknown, [number]>('SELECT devices, labels FROM registry_size WHERE application = ?')
  return {
    ...registry,
    ...store,
    /** The id of a device that has registered, with a place and a badge of its own. */
    add: (token: string, more: { alias?: string; tag?: string[]; active?: string[] } = {}): number => {
      const { device } = devices.register(APP, {
        token,
        platform: 0,
        lat: 50,
        lng: 8,
        timezone: 'Europe/Berlin',
        ...more,
      })
      devices.setBadge(APP, { platform: 0, token, badge: 3 })
      return device.id
    },
    leave: (state: 'gone' | 'quarantined', device: number, reason = 'Unregistered'): void => {
      clock.advance(1000)
      const verdict = { now: clock.now(), reason, since: clock.now() }
      expect(state === 'gone' ? devices.markGone(device, verdict) : devices.quarantine(device, verdict)).toBe(true)
    },
    absentSince: (since = 0, until: number | null = null) => store.absent(APP, { platforms: PLATFORMS, since, until }),
    restoreAll: () => database.transact(() => [...feedback.list(APP)].map((entry) => store.restore(APP, entry))),
    labels: () => labels.get()?.count,
    kept: () => kept.get()?.count,
    size: () => size.get(APP),
  }
}

describe.each(['gone', 'quarantined'] as const)('a device that was %s', (state) => {
  test('comes back as it was, and its entry leaves the feedback', () => {
    using registry = open()
    const { devices, add, leave, restoreAll, clock } = registry
    const id = add('one', { alias: 'anna', tag: ['beta', 'bread'], active: ['news'] })
    const before = devices.find(APP, 'one')
    leave(state, id)
    expect(devices.find(APP, 'one')).toBeNull()
    clock.advance(1000)
    expect(restoreAll()).toEqual([{ state, aliasTaken: false, bare: false, labels: state === 'gone' ? 3 : 0 }])
    expect(devices.find(APP, 'one')).toEqual({ ...before, updatedAt: clock.now() } as never)
    expect([...registry.feedback.list(APP)]).toEqual([])
    expect(registry.kept()).toBe(0)
    expect(registry.size()).toEqual({ devices: 1, labels: 3 })
    expect(restoreAll()).toEqual([])
    // The gateway that still thinks so is believed again.
    leave(state, id)
    expect(registry.registered(APP)).toBe(0)
  })

  test('and has registered again is left as it registered', () => {
    using registry = open()
    const { devices, add, leave, database } = registry
    leave(state, add('one', { alias: 'anna', tag: ['beta'] }))
    const [entry] = [...registry.feedback.list(APP)] as [FeedbackEntry]
    devices.register(APP, { token: 'one', platform: 0, tag: ['new'], alias: 'berta' })
    const now = devices.find(APP, 'one')
    expect(database.transact(() => registry.restore(APP, entry))).toBeNull()
    expect(devices.find(APP, 'one')).toEqual(now)
    expect([...registry.feedback.list(APP)]).toEqual([entry])
    expect(registry.absentSince()).toEqual([])
    expect(registry.kept()).toBe(0)
  })

  test('and then unregistered never comes back, and nothing of it is kept', () => {
    using registry = open()
    const { devices, add, leave } = registry
    leave(state, add('one', { alias: 'anna', tag: ['beta'] }))
    devices.unregister(APP, 0, 'one')
    expect(registry.kept()).toBe(0)
    expect(registry.restoreAll()).toEqual([null])
    expect(registry.registered(APP)).toBe(0)
    expect(registry.size()).toEqual({ devices: 0, labels: 1 })
  })

  test('comes back without an alias that another has taken', () => {
    using registry = open()
    const { devices, add, leave } = registry
    leave(state, add('one', { alias: 'anna', tag: ['beta'] }))
    expect(devices.register(APP, { token: 'two', platform: 1, alias: 'anna' }).aliasTaken).toBe(false)
    expect(registry.absentSince()).toMatchObject([{ aliasTaken: 1 }])
    expect(registry.restoreAll()).toMatchObject([{ aliasTaken: true }])
    expect(devices.find(APP, 'one')).toMatchObject({ alias: null, tag: ['beta'] })
    expect(devices.find(APP, 'two')).toMatchObject({ alias: 'anna' })
  })

  test('comes back with an alias that is free again', () => {
    using registry = open()
    const { devices, add, leave } = registry
    leave(state, add('one', { alias: 'anna' }))
    devices.register(APP, { token: 'two', platform: 1, alias: 'anna' })
    devices.removeAlias(APP, { alias: 'anna' })
    expect(registry.restoreAll()).toMatchObject([{ aliasTaken: false }])
    expect(devices.find(APP, 'one')).toMatchObject({ alias: 'anna' })
  })

  test('for longer than the retention is not kept', () => {
    using registry = open()
    const { devices, add, leave, database, clock } = registry
    leave(state, add('one', { alias: 'anna', tag: ['beta'] }))
    database.transact(() => devices.eraseLeft(clock.now() + 1))
    expect(registry.kept()).toBe(0)
    expect(registry.absentSince()).toEqual([])
    expect(registry.restoreAll()).toEqual([null])
    expect(registry.size()).toEqual({ devices: 0, labels: 1 })
  })
})

test('labels that were erased while nobody had them come into being again', () => {
  using registry = open()
  const { devices, add, leave, database } = registry
  leave('gone', add('one', { tag: ['beta'], active: ['beta'] }))
  expect(registry.size()).toEqual({ devices: 1, labels: 2 })
  database.transact(() => devices.sweepLabels(0))
  expect([registry.labels(), registry.size()]).toEqual([0, { devices: 1, labels: 0 }])
  registry.restoreAll()
  expect(devices.find(APP, 'one')).toMatchObject({ tag: ['beta'], active: ['beta'] })
  expect(registry.size()).toEqual({ devices: 1, labels: 2 })
})

test('of several that have had an alias, it goes to the one that left last', () => {
  using registry = open()
  const { devices, add, leave } = registry
  leave('gone', add('one', { alias: 'anna' }))
  leave('gone', add('two', { alias: 'anna' }))
  expect(registry.restoreAll()).toMatchObject([{ aliasTaken: false }, { aliasTaken: true }])
  expect(devices.find(APP, 'two')).toMatchObject({ alias: 'anna' })
})

test('what left is counted by reason, of the time and the platforms asked for', () => {
  using registry = open()
  const { devices, add, leave, clock, absentSince } = registry
  leave('gone', add('early'), 'Unregistered')
  const from = clock.now() + 1
  leave('quarantined', add('one'), 'BadDeviceToken')
  leave('quarantined', add('two'), 'BadDeviceToken')
  leave('gone', add('three'), 'Unregistered')
  const to = clock.now()
  leave('gone', devices.register(APP, { token: 'four', platform: 1 }).device.id, 'UNREGISTERED')
  const plain = (found: ReturnType<typeof absentSince>) =>
    found.map(({ reason, gone, quarantined }) => [reason, gone, quarantined])
  expect(plain(absentSince(from))).toEqual([
    ['BadDeviceToken', 0, 2],
    ['UNREGISTERED', 1, 0],
    ['Unregistered', 1, 0],
  ])
  expect(plain(absentSince(from, to))).toEqual([
    ['BadDeviceToken', 0, 2],
    ['Unregistered', 1, 0],
  ])
  expect(plain(registry.absent(APP, { platforms: [1], since: 0, until: null }))).toEqual([['UNREGISTERED', 1, 0]])
})

test('a device that left before anything was kept comes back without labels and alias', () => {
  using registry = open()
  const { devices, add, leave, database } = registry
  leave('gone', add('one', { alias: 'anna', tag: ['beta'] }))
  database.statement('DELETE FROM left_device').run()
  expect(registry.absentSince()).toMatchObject([{ gone: 1, bare: 1 }])
  expect(registry.restoreAll()).toMatchObject([{ bare: true }])
  expect(devices.find(APP, 'one')).toMatchObject({ alias: null, tag: [], badge: 3, lat: 50 })
})
