import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../../../src/database/database.ts'
import { plainAfter } from '../../../src/device/columns.ts'
import { createExportStore } from '../../../src/device/transfer/export-store.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import type { ImportedDevice } from '../../../src/device/transfer/imported-device.ts'
import { openRegistry } from '../../support/registry.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const FIRST = 1
const DAY = 86_400_000

function open() {
  const registry = openRegistry()
  const { database, clock } = registry
  const store = createImportStore({ database, clock })
  const whole = createExportStore({ database })
  return {
    ...registry,
    put: (device: ImportedDevice, options?: { replace: boolean }) =>
      database.transact(() => store.put(FIRST, device, options)),
    feedbackOn: (token: string, reason: string, at: number) =>
      database.transact(() => store.putFeedback(FIRST, { token, platform: 1, reason, at })),
    all: () =>
      [...whole.devices(FIRST)].flat().map((device) => {
        const { id: _, ...rest } = device
        return rest
      }),
    [Symbol.dispose]: () => registry[Symbol.dispose](),
  }
}

const EVERYTHING: ImportedDevice = {
  token: 'ab'.repeat(32),
  platform: 0,
  lat: 52.52,
  lng: 13.405,
  active: ['news'],
  tag: ['beta', 'with, comma'],
  alias: 'user-17',
  ...plainAfter({ user: 'user-17', timezone: 'Europe/Berlin', locale: 'de-DE' }),
  badge: 3,
  environment: 'sandbox',
  registeredAt: 1000,
  seenAt: 2000,
  updatedAt: 3000,
}

describe('a device that is imported', () => {
  test('is there with everything that is known of it, and found by all of it', () => {
    using registry = open()
    expect(registry.put(EVERYTHING)).toEqual({ kind: 'imported', aliasTaken: false })
    expect(registry.all()).toEqual([{ ...EVERYTHING, left: null }] as never)
    expect(registry.devices.find(FIRST, EVERYTHING.token)).toMatchObject({ tag: ['beta', 'with, comma'], badge: 3 })
    expect(registry.registered(FIRST)).toBe(1)
  })

  test('is the same one with its APNs token in upper case, and what gateways say of it too', () => {
    using registry = open()
    registry.put(EVERYTHING)
    const upper = { ...EVERYTHING, token: EVERYTHING.token.toUpperCase() }
    expect(registry.put(upper)).toEqual({ kind: 'unchanged', aliasTaken: false })
    expect(registry.put({ ...upper, left: { state: 'gone', reason: 'Unregistered', at: 9000 } }).kind).toBe('updated')
    expect(registry.all().map(({ token, left }) => [token, left?.state])).toEqual([[EVERYTHING.token, 'gone']])
  })

  test('that a gateway has refused is kept from then on, however long it was silent before', () => {
    using registry = open()
    const { clock, devices } = registry
    const silent = { token: EVERYTHING.token, platform: 0, seenAt: clock.now(), updatedAt: clock.now() } as const
    registry.put(silent)
    clock.set(clock.now() + 100 * DAY)
    const left = { state: 'quarantined', reason: 'BadDeviceToken', at: clock.now() - DAY } as const
    expect(registry.put({ ...silent, left })).toEqual({ kind: 'updated', aliasTaken: false })
    registry.database.transact(() => devices.eraseLeft(clock.now() - 90 * DAY))
    expect(registry.all()).toMatchObject([{ token: EVERYTHING.token, left: { state: 'quarantined' } }])
    registry.database.transact(() => devices.eraseLeft(clock.now()))
    expect(registry.all()).toEqual([])
  })

  test('again changes nothing', () => {
    using registry = open()
    registry.put(EVERYTHING)
    expect(registry.put(EVERYTHING)).toEqual({ kind: 'unchanged', aliasTaken: false })
    expect(registry.all()).toEqual([{ ...EVERYTHING, left: null }] as never)
  })

  test('of which nobody knows when it registered, was dead before it came if Apple says so', () => {
    using registry = open()
    const { token, platform } = EVERYTHING
    registry.put({ token, platform })
    const now = registry.clock.now()
    expect(registry.all()).toMatchObject([{ seenAt: 0, registeredAt: now, updatedAt: now }])
    const device = registry.devices.idOf(FIRST, platform, token) ?? 0
    expect(registry.devices.markGone(device, { now, reason: 'Unregistered', since: now - 30 * DAY })).toBe(true)
  })

  test('with changes is changed: the device has told nothing since', () => {
    using registry = open()
    registry.put(EVERYTHING)
    const changed = {
      ...EVERYTHING,
      tag: ['gamma'],
      alias: null,
      lat: null,
      lng: null,
      timezone: 'Asia/Tokyo',
      badge: 0,
    }
    expect(registry.put({ ...changed, updatedAt: 4000 }).kind).toBe('updated')
    expect(registry.all()).toEqual([{ ...changed, updatedAt: 4000, left: null }] as never)
  })

  test('keeps what the list does not speak of', () => {
    using registry = open()
    registry.put(EVERYTHING)
    const { token, platform } = EVERYTHING
    expect(registry.put({ token, platform, seenAt: 5000 }).kind).toBe('updated')
    expect(registry.all()).toMatchObject([{ ...EVERYTHING, seenAt: 5000, updatedAt: registry.clock.now() }])
  })

  test('comes without an alias that another device has', () => {
    using registry = open()
    registry.put(EVERYTHING)
    expect(registry.put({ token: 'other', platform: 1, alias: 'user-17' })).toEqual({
      kind: 'imported',
      aliasTaken: true,
    })
    expect(registry.put({ token: 'other', platform: 1, alias: 'user-17' })).toEqual({
      kind: 'unchanged',
      aliasTaken: true,
    })
    expect(registry.all().map(({ alias }) => alias)).toEqual(['user-17', null])
  })

  test('has its user for an alias only where that has one device, whichever came first', () => {
    using registry = open()
    const phone: ImportedDevice = { token: 'phone', platform: 1, user: 'ann', alias: 'ann', aliasIsUser: true }
    const aliases = () => registry.all().map(({ alias, user }) => [user, alias])
    expect(registry.put(phone)).toEqual({ kind: 'imported', aliasTaken: false })
    expect(aliases()).toEqual([['ann', 'ann']])
    expect(registry.put({ ...phone, token: 'tablet' })).toEqual({ kind: 'imported', aliasTaken: false })
    const both = [
      ['ann', null],
      ['ann', null],
    ]
    expect(aliases()).toEqual(both)
    expect(registry.put(phone)).toEqual({ kind: 'unchanged', aliasTaken: false })
    expect(registry.put({ ...phone, token: 'tablet' })).toEqual({ kind: 'unchanged', aliasTaken: false })
    expect(aliases()).toEqual(both)
  })
})

describe('a device that has registered here since the list was made', () => {
  test('keeps what it said', () => {
    using registry = open()
    registry.put(EVERYTHING)
    registry.devices.register(FIRST, { token: EVERYTHING.token, platform: 0, tag: ['own'], alias: '' })
    expect(registry.put(EVERYTHING).kind).toBe('kept')
    expect(registry.all()).toMatchObject([{ tag: ['own'], alias: null, seenAt: registry.clock.now() }])
  })

  test('unless the list is to replace it', () => {
    using registry = open()
    registry.devices.register(FIRST, { token: EVERYTHING.token, platform: 0, tag: ['own'] })
    const seenAt = registry.clock.now()
    expect(registry.put(EVERYTHING, { replace: true }).kind).toBe('updated')
    expect(registry.all()).toMatchObject([{ ...EVERYTHING, seenAt, updatedAt: seenAt }])
  })

  test('is not gone because an old list says so', () => {
    using registry = open()
    registry.devices.register(FIRST, { token: EVERYTHING.token, platform: 0 })
    const left = { state: 'gone', reason: 'Unregistered', at: registry.clock.now() - 1 } as const
    for (const replace of [false, true]) expect(registry.put({ ...EVERYTHING, left }, { replace }).kind).toBe('kept')
    expect(registry.all()).toMatchObject([{ left: null }])
  })
})

describe('a device that has left', () => {
  const gone = (at: number): ImportedDevice => ({
    ...EVERYTHING,
    left: { state: 'gone', reason: 'Unregistered', at },
  })
  const quarantined = (at: number): ImportedDevice => ({
    ...EVERYTHING,
    left: { state: 'quarantined', reason: 'BadDeviceToken', at },
  })

  test('is imported as gone: without alias and labels, and with what the gateway said', () => {
    using registry = open()
    registry.put(gone(9000))
    expect(registry.all()).toMatchObject([
      { alias: null, tag: [], active: [], left: { state: 'gone', reason: 'Unregistered', at: 9000 } },
    ])
    expect([...registry.feedback.list(FIRST)]).toMatchObject([{ token: EVERYTHING.token, reason: 'Unregistered' }])
    expect(registry.registered(FIRST)).toBe(0)
    expect(registry.put(gone(9000)).kind).toBe('unchanged')
  })

  test('is imported as quarantined: with its data, for the day it comes back', () => {
    using registry = open()
    registry.put(quarantined(9000))
    expect(registry.all()).toMatchObject([{ ...EVERYTHING, left: { state: 'quarantined', at: 9000 } }])
    expect(registry.put(quarantined(9000)).kind).toBe('unchanged')
    registry.devices.register(FIRST, { token: EVERYTHING.token, platform: 0 })
    expect(registry.all()).toMatchObject([{ alias: 'user-17', left: null }])
  })

  test.each([
    ['gone', gone],
    ['quarantined', quarantined],
  ] as const)('stays %s for a list from before, and comes back for one from after', (state, left) => {
    using registry = open()
    registry.put(left(9000))
    for (const replace of [false, true]) {
      expect(registry.put({ ...EVERYTHING, seenAt: 9000 }, { replace }).kind).toBe('kept')
    }
    expect(registry.all()).toMatchObject([{ left: { state } }])
    registry.put({ ...EVERYTHING, seenAt: 9001 })
    expect(registry.all()).toEqual([{ ...EVERYTHING, seenAt: 9001, updatedAt: 3000, left: null }] as never)
    expect(registry.registered(FIRST)).toBe(1)
  })

  test('leaves here too when a gateway said so after it had registered', () => {
    using registry = open()
    registry.put(EVERYTHING)
    expect(registry.put(quarantined(9000)).kind).toBe('updated')
    expect(registry.put(gone(9500)).kind).toBe('updated')
    expect(registry.put(quarantined(9400)).kind).toBe('kept')
    expect(registry.all()).toMatchObject([{ alias: null, tag: [], left: { state: 'gone', at: 9500 } }])
    expect(registry.put({ token: 'next', platform: 1, alias: 'user-17' }).aliasTaken).toBe(false)
  })

  test('of which the gateway’s word is forgotten has none', () => {
    using registry = open()
    registry.put({ ...EVERYTHING, left: { state: 'gone', reason: null, at: 9000 } })
    expect(registry.all()).toMatchObject([{ left: { state: 'gone', reason: null, at: null } }])
  })
})

test('what was said of a token is kept once, and the latest of it', () => {
  using registry = open()
  expect(registry.feedbackOn('x', 'UNREGISTERED', 5000).kind).toBe('imported')
  expect(registry.feedbackOn('x', 'UNREGISTERED', 5000).kind).toBe('unchanged')
  expect(registry.feedbackOn('x', 'OLDER', 4000).kind).toBe('unchanged')
  expect([...registry.feedback.list(FIRST)]).toEqual([{ token: 'x', platform: 1, reason: 'UNREGISTERED', at: 5000 }])
})

test('a label that a server has erased meanwhile is made anew', () => {
  const directory = temporaryDirectory('bellhop-import')
  using registry = openRegistry(directory)
  // Another process has its own connection, and its own store.
  using other = openDatabase(directory.path)
  const imported = createImportStore({ database: other, clock: registry.clock })
  const put = (token: string, tag: readonly string[]) =>
    other.transact(() => imported.put(FIRST, { token, platform: 0, tag, seenAt: registry.clock.now() }))
  for (const token of ['a', 'b']) put(token, ['x'])
  for (const token of ['a', 'b']) put(token, [])
  registry.database.transact(() => registry.devices.sweepLabels(0))
  put('a', ['x'])
  expect(registry.devices.find(FIRST, 'a')).toMatchObject({ tag: ['x'] })
})
