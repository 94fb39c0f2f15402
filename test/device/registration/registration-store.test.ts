import { describe, expect, test } from 'bun:test'
import { plainAfter } from '../../../src/device/columns.ts'
import type { Device } from '../../../src/device/device.ts'
import type { Registered, Registration } from '../../../src/device/registration/registration.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import { openRegistry } from '../../support/registry.ts'

const APP = 1
const TOKEN = 'ab'.repeat(32)
const EVERYTHING: Registration = {
  token: TOKEN,
  platform: 0,
  lat: 52.52,
  lng: 13.405,
  active: ['news', 'chat'],
  tag: ['vip', 'beta'],
  alias: 'user-17',
}

type Registry = ReturnType<typeof openRegistry>

function register({ database, devices }: Registry, input: Registration, application = APP): Registered {
  return database.transact(() => devices.register(application, input))
}

function environmentOf({ database }: Registry, id: number): unknown {
  return database.statement<{ environment: unknown }, [number]>('SELECT environment FROM device WHERE id = ?').get(id)
    ?.environment
}

describe('registering', () => {
  test('a first registration is created, with all that came with it', () => {
    using registry = openRegistry()
    const now = registry.clock.now()
    const outcome = register(registry, EVERYTHING)
    const device: Device = {
      id: 1,
      token: TOKEN,
      platform: 0,
      lat: 52.52,
      lng: 13.405,
      active: ['chat', 'news'],
      tag: ['beta', 'vip'],
      alias: 'user-17',
      badge: 0,
      ...plainAfter({}),
      registeredAt: now,
      updatedAt: now,
    }
    expect(outcome).toEqual({ kind: 'created', device, aliasTaken: false })
    expect(registry.devices.find(APP, TOKEN)).toEqual(device)
  })

  test('given tags, types, location and alias take the place of what was there', () => {
    using registry = openRegistry()
    const { id } = register(registry, EVERYTHING).device
    const input = {
      token: TOKEN,
      platform: 0,
      lat: -1,
      lng: 0,
      tag: ['vip', 'new', 'new'],
      active: ['vip'],
      alias: 'b',
    } as const
    const { device } = register(registry, input)
    expect(device).toMatchObject({ id, lat: -1, lng: 0, tag: ['new', 'vip'], active: ['vip'], alias: 'b' })
    expect(registry.devices.find(APP, TOKEN)).toEqual(device)
  })

  test('an alias of another registered device, on either platform, is not given: the device has none from then on', () => {
    using registry = openRegistry()
    const holder = register(registry, EVERYTHING).device
    const before = register(registry, { token: 'other', platform: 1, alias: 'mine', tag: ['a'] }).device
    registry.clock.advance(1000)
    const input = { token: 'other', platform: 1, alias: 'user-17', tag: ['b'] } as const
    const after = { ...before, alias: null, tag: ['b'], updatedAt: registry.clock.now() }
    expect(register(registry, input)).toEqual({ kind: 'updated', device: after, aliasTaken: true })
    expect(registry.devices.find(APP, 'other')).toEqual(after)
    const created = register(registry, { ...input, token: 'new' })
    expect(created).toMatchObject({ kind: 'created', device: { alias: null, tag: ['b'] }, aliasTaken: true })
    expect(registry.devices.find(APP, 'new')).toEqual(created.device)
    expect(registry.devices.find(APP, TOKEN)).toEqual(holder)
    expect(register(registry, input, 2)).toMatchObject({ kind: 'created', aliasTaken: false })
  })
})

describe('coming back', () => {
  test('a device that was gone is registered anew: nothing of it is kept', () => {
    using registry = openRegistry()
    const before = register(registry, EVERYTHING).device
    registry.devices.setBadge(APP, { platform: 0, token: TOKEN, badge: 7 })
    registry.devices.rememberEnvironment(before.id, 'sandbox')
    registry.devices.markGone(before.id, { since: Infinity, now: registry.clock.now(), reason: 'Unregistered' })
    registry.clock.advance(1000)
    const now = registry.clock.now()
    const outcome = register(registry, { token: TOKEN, platform: 0 })
    const anew = { lat: null, lng: null, alias: null, tag: [], active: [], badge: 0, registeredAt: now, updatedAt: now }
    expect(outcome).toMatchObject({ kind: 'created', device: anew })
    const { id } = outcome.device
    expect(registry.devices.find(APP, TOKEN)).toMatchObject(anew)
    expect(environmentOf(registry, id)).toBeNull()
    // Pushes already on their way carry a ceiling, and must not reach who registered after them.
    expect(id).toBeGreaterThan(before.id)
  })

  test('a quarantined device comes back with its data, its environment forgotten', () => {
    using registry = openRegistry()
    const before = register(registry, EVERYTHING).device
    registry.devices.rememberEnvironment(before.id, 'sandbox')
    expect(environmentOf(registry, before.id)).toBe(1)
    registry.devices.quarantine(before.id, { since: Infinity, now: registry.clock.now(), reason: 'BadDeviceToken' })
    registry.clock.advance(1000)
    const outcome = register(registry, { token: TOKEN, platform: 0 })
    expect(outcome).toEqual({
      kind: 'created',
      device: { ...before, updatedAt: registry.clock.now() },
      aliasTaken: false,
    })
    expect(registry.devices.find(APP, TOKEN)).toEqual(outcome.device)
    expect(environmentOf(registry, before.id)).toBeNull()
    expect(register(registry, { token: TOKEN, platform: 0 }).kind).toBe('updated')
  })

  test('an update keeps the environment that is known', () => {
    using registry = openRegistry()
    const { id } = register(registry, EVERYTHING).device
    registry.devices.rememberEnvironment(id, 'production')
    register(registry, EVERYTHING)
    expect(environmentOf(registry, id)).toBe(0)
  })
})

describe('unregistering', () => {
  test('erases the device and its labels, so that it is registered anew, and keeps what the gateways said', () => {
    using registry = openRegistry()
    const { id } = register(registry, EVERYTHING).device
    registry.devices.quarantine(id, { since: Infinity, now: 5, reason: 'BadDeviceToken' })
    registry.devices.unregister(APP, 0, TOKEN)
    const left = registry.database.statement<{ rows: number }, []>(
      'SELECT (SELECT count(*) FROM device) + (SELECT count(*) FROM device_label) AS rows',
    )
    expect(left.get()).toEqual({ rows: 0 })
    expect([...registry.feedback.list(APP)]).toEqual([{ token: TOKEN, platform: 0, reason: 'BadDeviceToken', at: 5 }])
    expect(register(registry, { token: TOKEN, platform: 0 })).toMatchObject({ kind: 'created', device: { tag: [] } })
  })
})

test('the size of the registry is known without counting it', () => {
  using registry = openRegistry()
  const { database, devices } = registry
  const size = () =>
    database.statement<object, []>('SELECT application, devices, labels FROM registry_size ORDER BY application').all()
  const imported = createImportStore({ database, clock: registry.clock })
  database.transact(() => {
    devices.register(1, { token: 'a', platform: 0, tag: ['x', 'y'], active: ['x'] })
    devices.register(1, { token: 'a', platform: 0, tag: ['x', 'z'] })
    devices.importBatch(1, { tokens: ['b', 'c', 'b'], platform: 1, tags: ['x'] })
    imported.put(2, { token: 'a', platform: 0, tag: ['x'] })
    imported.put(2, { token: 'a', platform: 0, tag: ['x'] })
    devices.markGone(1, { since: Infinity, now: 1, reason: 'Unregistered' })
  })
  expect(size()).toEqual([
    { application: 1, devices: 3, labels: 4 },
    { application: 2, devices: 1, labels: 1 },
  ])
  database.transact(() => {
    // Anew, in place of the one that is gone.
    devices.register(1, { token: 'a', platform: 0 })
    devices.unregister(1, 1, 'b')
    devices.sweepLabels(0)
  })
  expect(size()).toEqual([
    { application: 1, devices: 2, labels: 1 },
    { application: 2, devices: 1, labels: 1 },
  ])
  database.statement('DELETE FROM application WHERE number = 1').run()
  expect(size()).toEqual([{ application: 2, devices: 1, labels: 1 }])
})
