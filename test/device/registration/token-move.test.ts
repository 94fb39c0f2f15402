import { describe, expect, test } from 'bun:test'
import type { Registration } from '../../../src/device/registration/registration.ts'
import { openRegistry } from '../../support/registry.ts'

const APP = 1
const OLD = 'ab'.repeat(32)
const NEW = 'cd'.repeat(32)
const KNOWN: Registration = {
  token: OLD,
  platform: 0,
  lat: 52.52,
  lng: 13.405,
  active: ['news'],
  tag: ['beta', 'vip'],
  alias: 'ann',
  timezone: 'Europe/Berlin',
  locale: 'de-DE',
}

type Registry = ReturnType<typeof openRegistry>

const register = ({ database, devices }: Registry, input: Registration, application = APP) =>
  database.transact(() => devices.register(application, input))

const move = (registry: Registry, more: Partial<Registration> = {}) =>
  register(registry, { token: NEW, platform: 0, replaces: OLD, ...more })

describe('a token that takes the place of another', () => {
  test('has its device, with all that stands with it; the old one is unknown', () => {
    using registry = openRegistry()
    const { device } = register(registry, KNOWN)
    registry.database.transact(() => registry.devices.setBadge(APP, { platform: 0, token: OLD, badge: 7 }))
    registry.clock.advance(1000)
    const moved = { ...device, token: NEW, badge: 7, updatedAt: registry.clock.now() }
    expect(move(registry)).toEqual({ kind: 'updated', device: moved, aliasTaken: false })
    expect(registry.devices.find(APP, NEW)).toEqual(moved)
    expect(registry.devices.find(APP, OLD)).toBeNull()
    expect(registry.registered(APP)).toBe(1)
  })

  test('changes what the registration says, as any other does', () => {
    using registry = openRegistry()
    const { device } = register(registry, KNOWN)
    const outcome = move(registry, { tag: ['new'], alias: '', lat: 1, lng: 2 })
    expect(outcome.device).toMatchObject({ id: device.id, tag: ['new'], active: ['news'], alias: null, lat: 1, lng: 2 })
  })

  test('is a new device where there is no old one, on that platform, in that application', () => {
    using registry = openRegistry()
    register(registry, { ...KNOWN, platform: 1 })
    register(registry, KNOWN, 2)
    expect(move(registry)).toMatchObject({ kind: 'created', device: { tag: [], alias: null } })
    expect(registry.devices.find(APP, OLD, 1)).toMatchObject({ tag: ['beta', 'vip'] })
    expect(registry.devices.find(2, OLD)).toMatchObject({ tag: ['beta', 'vip'] })
  })

  test('is told at each launch, and changes nothing more', () => {
    using registry = openRegistry()
    register(registry, KNOWN)
    const first = move(registry)
    expect(move(registry)).toEqual({ ...first, kind: 'updated' })
    expect(register(registry, { token: NEW, platform: 0, replaces: NEW })).toMatchObject({ device: first.device })
  })

  test('leaves the old one free: registered again it is a device of its own', () => {
    using registry = openRegistry()
    const { device } = register(registry, KNOWN)
    move(registry)
    const again = register(registry, { token: OLD, platform: 0 })
    expect(again).toMatchObject({ kind: 'created', device: { tag: [], alias: null } })
    expect(again.device.id).not.toBe(device.id)
    expect(registry.devices.find(APP, NEW)).toMatchObject({ id: device.id, alias: 'ann' })
  })

  test('is asked for in both environments anew', () => {
    using registry = openRegistry()
    const { device } = register(registry, KNOWN)
    registry.devices.rememberEnvironment(device.id, 'sandbox')
    move(registry)
    const stored = registry.database.statement<{ environment: unknown }, []>('SELECT environment FROM device').get()
    expect(stored).toEqual({ environment: null })
  })
})

describe('a device that had left', () => {
  const leave = (registry: Registry, state: 'gone' | 'quarantined') => {
    const { device } = register(registry, KNOWN)
    const verdict = { now: registry.clock.now(), since: Infinity, reason: 'Unregistered' }
    const left = () =>
      state === 'gone' ? registry.devices.markGone(device.id, verdict) : registry.devices.quarantine(device.id, verdict)
    expect(registry.database.transact(left)).toBe(true)
    return device
  }

  test.each(['gone', 'quarantined'] as const)('(%s) is back under its new token, with all that it had', (state) => {
    using registry = openRegistry()
    const device = leave(registry, state)
    const back = { ...device, token: NEW, updatedAt: registry.clock.now() }
    expect(move(registry)).toEqual({ kind: 'created', device: back, aliasTaken: false })
    expect(registry.devices.find(APP, NEW)).toEqual(back)
    expect(registry.database.statement('SELECT 1 FROM left_device').get()).toBeNull()
  })

  test('has no alias where another device has it by now', () => {
    using registry = openRegistry()
    leave(registry, 'gone')
    register(registry, { token: 'ef'.repeat(32), platform: 0, alias: 'ann' })
    expect(move(registry).device).toMatchObject({ tag: ['beta', 'vip'], alias: null })
    expect(registry.devices.find(APP, 'ef'.repeat(32))).toMatchObject({ alias: 'ann' })
  })
})

describe('a device that was registered under both tokens', () => {
  test('is one: the old one, with the tags of both, and what the new one had said since', () => {
    using registry = openRegistry()
    const { device } = register(registry, KNOWN)
    const twin = register(registry, {
      token: NEW,
      platform: 0,
      tag: ['new', 'vip'],
      alias: 'bob',
      timezone: 'Asia/Tokyo',
      locale: 'ja',
    })
    expect(move(registry)).toMatchObject({
      kind: 'updated',
      device: {
        id: device.id,
        tag: ['beta', 'new', 'vip'],
        active: ['news'],
        alias: 'bob',
        timezone: 'Asia/Tokyo',
        locale: 'ja',
        lat: 52.52,
      },
      aliasTaken: false,
    })
    expect(registry.registered(APP)).toBe(1)
    expect(twin.device.id).not.toBe(device.id)
    const size = registry.database.statement('SELECT devices FROM registry_size WHERE application = ?').get(APP)
    expect(size).toEqual({ devices: 1 })
  })

  test('has what the registration says over that', () => {
    using registry = openRegistry()
    register(registry, KNOWN)
    register(registry, { token: NEW, platform: 0, tag: ['new'], alias: 'bob', lat: 9, lng: 9 })
    const said = { tag: ['last'], active: [], alias: 'cyd', lat: 1, lng: 2 }
    expect(move(registry, said).device).toMatchObject(said)
  })

  test('has at most as many tags as a device can have', () => {
    using registry = openRegistry()
    const tags = (prefix: string) => Array.from({ length: 80 }, (_, n) => `${prefix}${n}`)
    register(registry, { ...KNOWN, tag: tags('old') })
    register(registry, { token: NEW, platform: 0, tag: tags('new') })
    const { tag } = move(registry).device
    expect(tag).toHaveLength(100)
    expect(tag).toEqual(expect.arrayContaining(tags('new')))
  })
})
