import { describe, expect, test } from 'bun:test'
import type { Batch, Imported } from '../../../src/device/registration/batch-store.ts'
import type { GrowthBoundsOfCall } from '../../../src/device/growth.ts'
import type { Registered, Registration } from '../../../src/device/registration/registration.ts'
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
const FULL_DISK: GrowthBoundsOfCall = { hasRoom: () => false, limits: null }

type Registry = ReturnType<typeof openRegistry>

function register({ database, devices }: Registry, input: Registration): Registered {
  return database.transact(() => devices.register(APP, input))
}

function importBatch({ database, devices }: Registry, batch: Batch, bounds?: GrowthBoundsOfCall): Imported {
  return database.transact(() => devices.importBatch(APP, batch, bounds))
}

function markGone({ devices }: Registry, token: string): void {
  devices.markGone(devices.find(APP, token)?.id ?? 0, { since: Infinity, now: 1, reason: 'Unregistered' })
}

/** All rows, in whatever state: as they are counted one by one, and as the registry's size says. */
function sizes({ database }: Registry) {
  const rows = database.statement<{ devices: number; labels: number; links: number }, []>(
    `SELECT (SELECT count(*) FROM device) AS devices, (SELECT count(*) FROM label) AS labels,
       (SELECT count(*) FROM device_label) AS links`,
  )
  const said = database.statement<{ devices: number; labels: number }, [number]>(
    'SELECT devices, labels FROM registry_size WHERE application = ?',
  )
  return { rows: rows.get(), said: said.get(APP) }
}

test('counts new and known devices, each once, and adds the tags to what they have', () => {
  using registry = openRegistry()
  register(registry, EVERYTHING)
  registry.clock.advance(1000)
  const outcome = importBatch(registry, {
    tokens: [TOKEN, 'a', 'b', 'a', TOKEN],
    platform: 0,
    tags: ['import', 'vip'],
  })
  expect(outcome).toEqual({ kind: 'imported', created: 2, updated: 1 })
  expect(registry.devices.find(APP, TOKEN)).toMatchObject({
    tag: ['beta', 'import', 'vip'],
    active: ['chat', 'news'],
    alias: 'user-17',
    lat: 52.52,
    updatedAt: registry.clock.now(),
  })
  expect(registry.devices.find(APP, 'a')?.tag).toEqual(['import', 'vip'])
  expect(registry.registered(APP)).toBe(3)
})

test('a new device is as one that registers with nothing but a token and tags', () => {
  using registry = openRegistry()
  const now = registry.clock.now()
  importBatch(registry, { tokens: [TOKEN], platform: 0, tags: ['y', 'x', 'y'] })
  const { device } = register(registry, { token: 'by itself', platform: 0, tag: ['x', 'y'] })
  const imported = registry.devices.find(APP, TOKEN)
  expect(imported).toEqual({ ...device, id: device.id - 1, token: TOKEN })
  expect(imported).toMatchObject({ tag: ['x', 'y'], active: [], registeredAt: now, updatedAt: now })
})

test.each(['first', 'last'])(
  'of as many as a call may bring, known ones %s, some gone, each is counted and tagged, and no other device',
  (place) => {
    using registry = openRegistry()
    const tokens = Array.from({ length: 500 }, (_, n) => (n % 7 === 0 ? `text-${n}` : n.toString(16).padStart(64, '0')))
    const known = [...tokens.slice(0, 120), ...[150, 250, 499].map((n) => tokens[n] ?? '')]
    const gone = [130, 151, 498].map((n) => tokens[n] ?? '')
    const [onOther = '', ofOther = ''] = tokens.slice(200)
    for (const token of ['other', ...known, ...gone]) register(registry, { token, platform: 1, tag: ['before'] })
    register(registry, { token: onOther, platform: 0, tag: ['before'] })
    registry.database.transact(() => registry.devices.register(2, { token: ofOther, platform: 1 }))
    for (const token of gone) markGone(registry, token)
    const given = [...(place === 'first' ? tokens : tokens.toReversed()), ...known]
    const outcome = importBatch(registry, { tokens: given, platform: 1, tags: ['x', 'y'] })
    expect(outcome).toEqual({ kind: 'imported', created: 377, updated: 123 })
    for (const token of tokens) {
      const tag = known.includes(token) ? ['before', 'x', 'y'] : ['x', 'y']
      expect(registry.devices.find(APP, token, 1)?.tag).toEqual(tag)
    }
    expect(registry.devices.find(APP, 'other')?.tag).toEqual(['before'])
    expect(registry.devices.find(APP, onOther, 0)?.tag).toEqual(['before'])
    expect(registry.devices.find(2, ofOther)?.tag).toEqual([])
    // With those of the other platform and of the other application, and what each known device had.
    expect(sizes(registry)).toEqual({
      rows: { devices: 503, labels: 3, links: 1000 + 123 + 2 },
      said: { devices: 502, labels: 3 },
    })
  },
)

test('brings back who was gone, anew, and who was quarantined, with their data', () => {
  using registry = openRegistry()
  register(registry, { ...EVERYTHING, token: 'gone', alias: 'a' })
  const { device: bad } = register(registry, { ...EVERYTHING, token: 'bad', alias: 'b' })
  markGone(registry, 'gone')
  registry.devices.quarantine(bad.id, { since: Infinity, now: 1, reason: 'BadDeviceToken' })
  const outcome = importBatch(registry, { tokens: ['gone', 'bad'], platform: 0, tags: ['x'] })
  expect(outcome).toEqual({ kind: 'imported', created: 2, updated: 0 })
  const back = registry.devices.find(APP, 'gone')
  expect(back).toMatchObject({ tag: ['x'], active: [], alias: null })
  // What is still on its way to the one that is gone must not meet this one.
  expect(back?.id).toBeGreaterThan(bad.id)
  expect(registry.devices.find(APP, 'bad')).toMatchObject({ id: bad.id, tag: ['beta', 'vip', 'x'], alias: 'b' })
})

describe('when one device would have more than 100 tags', () => {
  const tag = Array.from({ length: 99 }, (_, index) => `t${index}`)

  test('imports nothing, and says which', () => {
    using registry = openRegistry()
    register(registry, { token: 'full', platform: 0, tag })
    register(registry, { token: 'gone', platform: 0, tag: ['before'] })
    const { device: known } = register(registry, { token: 'known', platform: 0, tag: ['before'] })
    markGone(registry, 'gone')
    const before = sizes(registry)
    registry.clock.advance(1000)
    const outcome = importBatch(registry, {
      tokens: ['new', 'known', 'gone', 'new', 'full', 'newer', 'full'],
      platform: 0,
      tags: ['x', 'y'],
    })
    expect(outcome).toEqual({ kind: 'too-many-labels', index: 4 })
    expect(sizes(registry)).toEqual(before)
    expect(registry.devices.find(APP, 'new')).toBeNull()
    expect(registry.devices.find(APP, 'gone')).toBeNull()
    expect(registry.devices.find(APP, 'known')).toEqual(known)
    expect(registry.devices.find(APP, 'full')?.tag).toHaveLength(99)
  })

  test('but not for tags that it has already', () => {
    using registry = openRegistry()
    register(registry, { token: 'full', platform: 0, tag, active: ['news'] })
    const outcome = importBatch(registry, { tokens: ['new', 'full'], platform: 0, tags: ['x', 't1'] })
    expect(outcome).toEqual({ kind: 'imported', created: 1, updated: 1 })
    expect(registry.devices.find(APP, 'full')?.tag).toHaveLength(100)
  })
})

describe('without room', () => {
  test('one new device, or one new tag, and nothing is imported', () => {
    using registry = openRegistry()
    register(registry, { token: 'known', platform: 0, tag: ['x'] })
    const before = sizes(registry)
    const refused = { kind: 'no-room' } as const
    const withNew = { tokens: ['known', 'new'], platform: 0, tags: ['x'] } as const
    expect(importBatch(registry, withNew, FULL_DISK)).toEqual(refused)
    expect(importBatch(registry, { tokens: ['known'], platform: 0, tags: ['new'] }, FULL_DISK)).toEqual(refused)
    expect(sizes(registry)).toEqual(before)
  })

  test('devices that are known are seen, with tags that are known', () => {
    using registry = openRegistry()
    register(registry, { token: 'a', platform: 0, tag: ['x'] })
    register(registry, { token: 'b', platform: 0 })
    markGone(registry, 'b')
    const outcome = importBatch(registry, { tokens: ['a', 'b'], platform: 0, tags: ['x'] }, FULL_DISK)
    expect(outcome).toEqual({ kind: 'imported', created: 1, updated: 1 })
    expect(registry.devices.find(APP, 'b')?.tag).toEqual(['x'])
  })
})
