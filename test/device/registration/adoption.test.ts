import { describe, expect, test } from 'bun:test'
import type { GrowthBoundsOfCall } from '../../../src/device/growth.ts'
import type { Registration, RegistrationRights } from '../../../src/device/registration/registration.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import type { ImportedDevice } from '../../../src/device/transfer/imported-device.ts'
import { openRegistry } from '../../support/registry.ts'

const APP = 1
const DAY = 86_400_000
const KNOWN = {
  lat: 52.52,
  lng: 13.405,
  active: ['news'],
  tag: ['beta'],
  alias: 'ann',
  user: 'ann',
  badge: 7,
  timezone: 'Europe/Berlin',
  locale: 'de-DE',
} as const

type Limits = NonNullable<GrowthBoundsOfCall['limits']>

const UNLIMITED: Limits = { maxDevices: 0, maxLabels: 0, network: '192.0.2.0/24', takeRows: () => 0 }

function open() {
  const registry = openRegistry()
  const { database, clock, devices } = registry
  const imports = createImportStore({ database, clock })
  const tokens = () => devices.list(APP, { limit: 100 }).map(({ token }) => token)
  return {
    ...registry,
    tokens,
    import: (token: string, more: Partial<ImportedDevice> = {}) =>
      database.transact(() => imports.put(APP, { token, platform: 1, user: 'ann', imported: true, ...more })),
    register: (token: string, more: Partial<Registration> = {}, rights: RegistrationRights = { adopts: true }) =>
      database.transact(() => devices.register(APP, { token, platform: 1, user: 'ann', ...more }, rights)),
    registerWithin: (
      { hasRoom = true, ...limits }: { hasRoom?: boolean } & Partial<Limits>,
      more: Partial<Registration> = {},
    ) =>
      database.transact(() =>
        devices.register(
          APP,
          { token: 'new', platform: 1, user: 'ann', ...more },
          { adopts: true },
          { hasRoom: () => hasRoom, limits: { ...UNLIMITED, ...limits } },
        ),
      ),
    leave(token: string, state: 'gone' | 'quarantined') {
      const id = devices.idOf(APP, 1, token) ?? 0
      const verdict = { now: clock.now(), since: Infinity, reason: 'UNREGISTERED' }
      database.transact(() => (state === 'gone' ? devices.markGone(id, verdict) : devices.quarantine(id, verdict)))
    },
    [Symbol.dispose]: () => registry[Symbol.dispose](),
  }
}

describe('a registration of a user who has an imported device', () => {
  test('goes on with that device: its row, labels, alias, place, badge and first registration', () => {
    using registry = open()
    registry.import('old', { ...KNOWN, registeredAt: 1000 })
    const before = registry.devices.find(APP, 'old')
    const outcome = registry.register('new')
    const device = { ...before, token: 'new', updatedAt: registry.clock.now() }
    expect(outcome).toEqual({ kind: 'updated', device, aliasTaken: false, adopted: true } as never)
    expect(registry.devices.list(APP, { limit: 9 })).toEqual([device] as never)
    expect(registry.database.statement('SELECT devices FROM registry_size WHERE application = ?').get(APP)).toEqual({
      devices: 1,
    })
  })

  test('changes what it says of the device', () => {
    using registry = open()
    registry.import('old', KNOWN)
    const said = { tag: ['new'], alias: '', locale: 'fr' }
    expect(registry.register('new', said).device).toMatchObject({
      tag: ['new'],
      active: ['news'],
      alias: null,
      locale: 'fr',
    })
  })

  test.each<[string, Partial<ImportedDevice>, Partial<Registration>, RegistrationRights]>([
    ['its application does not adopt', {}, {}, {}],
    ['it names no user', {}, { user: undefined }, { adopts: true }],
    ['it takes its user away', {}, { user: '' }, { adopts: true }],
    ['its user is another, if only by letter case', {}, { user: 'Ann' }, { adopts: true }],
    ['it is of the other platform', {}, { platform: 0 }, { adopts: true }],
    ['the imported device has no user', { user: undefined }, {}, { adopts: true }],
    ['the list is where the device has registered itself', { imported: undefined }, {}, { adopts: true }],
    ['the device has registered by itself, says the list', { imported: false }, {}, { adopts: true }],
  ])('is a device of its own where %s', (_, listed, said, rights) => {
    using registry = open()
    registry.import('old', listed)
    const outcome = registry.register('new', said, rights)
    expect(outcome).toMatchObject({ kind: 'created' })
    expect(outcome.adopted).toBeUndefined()
    expect(registry.tokens()).toEqual(['old', 'new'])
  })

  test('is a device of its own in another application', () => {
    using registry = open()
    registry.import('old')
    const input = { token: 'new', platform: 1, user: 'ann' } as const
    expect(registry.database.transact(() => registry.devices.register(2, input, { adopts: true }))).toMatchObject({
      kind: 'created',
    })
    expect(registry.tokens()).toEqual(['old'])
  })

  test('by the imported token itself is that device; from then on no other token takes its place', () => {
    using registry = open()
    registry.import('old')
    expect(registry.register('old')).toMatchObject({ kind: 'updated' })
    expect(registry.register('new')).toMatchObject({ kind: 'created' })
    expect(registry.tokens()).toEqual(['old', 'new'])
  })

  test('by the imported token, in a call that names no user or another one, ends the wait as well', () => {
    using registry = open()
    for (const [token, user] of [
      ['one', undefined],
      ['two', 'bob'],
      ['three', ''],
    ] as const) {
      registry.import(token)
      registry.register(token, { user })
    }
    expect(registry.register('new')).toMatchObject({ kind: 'created' })
  })

  test('is not made by a backend that lists its tokens: such a device goes on waiting', () => {
    using registry = open()
    registry.import('old')
    registry.database.transact(() => registry.devices.importBatch(APP, { tokens: ['old'], platform: 1, tags: ['x'] }))
    expect(registry.register('new')).toMatchObject({ adopted: true, device: { tag: ['x'] } })
  })

  test('that says itself whose place it takes takes that one', () => {
    using registry = open()
    registry.import('old', { tag: ['imported'] })
    registry.register('own', { user: 'bob', tag: ['own'] })
    const outcome = registry.register('new', { replaces: 'own' })
    expect(outcome.device).toMatchObject({ tag: ['own'], user: 'ann' })
    expect(outcome.adopted).toBeUndefined()
    expect(registry.tokens()).toEqual(['old', 'new'])
  })

  test('that says so of a token that nobody has takes the place of the imported one', () => {
    using registry = open()
    registry.import('old')
    expect(registry.register('new', { replaces: 'never' })).toMatchObject({ adopted: true })
    expect(registry.tokens()).toEqual(['new'])
  })

  test('by `replaces` of the imported token ends the wait', () => {
    using registry = open()
    registry.import('old')
    registry.register('new', { replaces: 'old' })
    expect(registry.register('third')).toMatchObject({ kind: 'created' })
    expect(registry.tokens()).toEqual(['new', 'third'])
  })

  test('with an alias of another device goes on without one', () => {
    using registry = open()
    registry.register('other', { user: 'bob', alias: 'cat' })
    registry.import('old', { alias: 'ann' })
    expect(registry.register('new', { alias: 'cat' })).toMatchObject({
      adopted: true,
      aliasTaken: true,
      device: { alias: null },
    })
  })

  test('in an application that is full goes on all the same: it adds no device', () => {
    using registry = open()
    registry.import('old')
    const outcome = registry.registerWithin({ hasRoom: false, maxDevices: 1, maxLabels: 1 })
    expect(outcome).toMatchObject({ kind: 'updated', adopted: true })
  })

  test('goes without the labels that there is no room for', () => {
    using registry = open()
    registry.import('old', { tag: ['had'] })
    const outcome = registry.registerWithin({ maxLabels: 2 }, { tag: ['a', 'had', 'b'], active: ['a'] })
    expect(outcome).toMatchObject({
      adopted: true,
      device: { tag: ['a', 'had'], active: [] },
      leftOut: { tag: ['b'], type: ['a'], network: null, max: 2 },
    })
  })

  test('that brings too much takes nobody’s place', () => {
    using registry = open()
    registry.import('old')
    const tag = Array.from({ length: 20 }, (_, n) => `tag ${n}`)
    const outcome = registry.registerWithin({ takeRows: () => 7 }, { tag })
    expect(outcome).toEqual({ kind: 'too-fast', retryAfterSeconds: 7 })
    expect(registry.tokens()).toEqual(['old'])
    expect(registry.register('new')).toMatchObject({ adopted: true })
  })
})

describe('several of one user', () => {
  test('go one for one, the one seen last first; the third is a new device', () => {
    using registry = open()
    const now = registry.clock.now()
    registry.import('months ago', { tag: ['months'], seenAt: now - 90 * DAY })
    registry.import('yesterday', { tag: ['yesterday'], seenAt: now - DAY })
    expect(registry.register('first')).toMatchObject({ adopted: true, device: { tag: ['yesterday'] } })
    expect(registry.register('second')).toMatchObject({ adopted: true, device: { tag: ['months'] } })
    expect(registry.register('third')).toMatchObject({ kind: 'created', device: { tag: [] } })
    expect(registry.tokens()).toEqual(['second', 'first', 'third'])
  })

  test.each(['gone', 'quarantined'] as const)(
    'that are %s come after those that are there, with what they had',
    (state) => {
      using registry = open()
      registry.import('left', { ...KNOWN, tag: ['left'], seenAt: registry.clock.now() - 1 })
      registry.leave('left', state)
      registry.import('there', { tag: ['there'] })
      expect(registry.register('first')).toMatchObject({ adopted: true, kind: 'updated', device: { tag: ['there'] } })
      expect(registry.register('second')).toMatchObject({
        adopted: true,
        kind: 'created',
        device: { tag: ['left'], active: ['news'], alias: 'ann' },
      })
      expect(registry.tokens()).toEqual(['second', 'first'])
    },
  )

  test('of which one is unregistered leave nothing of that one', () => {
    using registry = open()
    registry.import('old')
    registry.database.transact(() => registry.devices.unregister(APP, 1, 'old'))
    expect(registry.register('new')).toMatchObject({ kind: 'created' })
  })

  test('of which one was adopted, register under the imported token again: a device of its own, which takes no other’s place', () => {
    using registry = open()
    const now = registry.clock.now()
    registry.import('phone', { seenAt: now - DAY })
    registry.import('tablet', { seenAt: now - 2 * DAY, tag: ['tablet'] })
    registry.register('new')
    expect(registry.register('phone')).toMatchObject({ kind: 'created' })
    expect(registry.devices.find(APP, 'tablet')).toMatchObject({ tag: ['tablet'] })
  })
})

describe('a device that registers first, and says later whose it is', () => {
  test('becomes one with the imported one: with the labels of both, and its own word where both say something', () => {
    using registry = open()
    registry.import('old', KNOWN)
    const { device } = registry.register('new', { user: undefined, tag: ['launch'], locale: 'fr', lat: 1, lng: 2 })
    const imported = registry.devices.find(APP, 'old')
    const outcome = registry.register('new')
    expect(outcome).toMatchObject({
      kind: 'updated',
      adopted: true,
      device: { ...imported, token: 'new', tag: ['beta', 'launch'], locale: 'fr', lat: 1, lng: 2 },
    })
    expect(outcome.device.id).not.toBe(device.id)
    expect(registry.tokens()).toEqual(['new'])
  })

  test('stays as it was where it had a user already, also the same', () => {
    using registry = open()
    registry.import('old')
    registry.register('one', { user: 'bob' })
    registry.register('two', {}, {})
    expect(registry.register('one').adopted).toBeUndefined()
    expect(registry.register('two').adopted).toBeUndefined()
    expect(registry.tokens()).toEqual(['old', 'one', 'two'])
  })

  test('stays as it was where it was here before the import: a push under way may have reached it', () => {
    using registry = open()
    registry.register('new', { user: undefined })
    registry.import('old')
    expect(registry.register('new').adopted).toBeUndefined()
    expect(registry.tokens()).toEqual(['new', 'old'])
  })

  test('takes one place, whoever signs in on it later', () => {
    using registry = open()
    registry.import('bob', { user: 'bob' })
    registry.import('ann', { user: 'ann' })
    registry.register('new', { user: undefined })
    expect(registry.register('new', { user: 'ann' })).toMatchObject({ adopted: true })
    registry.register('new', { user: '' })
    expect(registry.register('new', { user: 'bob' }).adopted).toBeUndefined()
    expect(registry.tokens()).toEqual(['bob', 'new'])
  })

  test('takes none if it was imported itself', () => {
    using registry = open()
    registry.import('old')
    registry.import('own', { user: undefined })
    registry.register('own', { user: undefined })
    expect(registry.register('own').adopted).toBeUndefined()
    registry.leave('own', 'gone')
    expect(registry.register('own')).toMatchObject({ kind: 'created' })
    expect(registry.tokens()).toEqual(['old', 'own'])
  })
})

describe('an import of the same list once more', () => {
  test('does not bring the phone a second time', () => {
    using registry = open()
    registry.import('old', KNOWN)
    registry.register('new')
    for (const again of [{}, { seenAt: registry.clock.now() }]) {
      expect(registry.import('old', { ...KNOWN, ...again })).toEqual({ kind: 'kept', aliasTaken: false })
    }
    expect(registry.tokens()).toEqual(['new'])
  })

  test('brings it once the device is erased', () => {
    using registry = open()
    registry.import('old')
    registry.register('new')
    registry.database.transact(() => registry.devices.unregister(APP, 1, 'new'))
    expect(registry.import('old')).toMatchObject({ kind: 'imported' })
    expect(registry.register('third')).toMatchObject({ adopted: true })
  })

  test('leaves who waits waiting, and who has registered registered', () => {
    using registry = open()
    for (const token of ['waits', 'registered']) registry.import(token)
    registry.register('registered')
    for (const token of ['waits', 'registered']) registry.import(token, { tag: ['again'] })
    registry.register('new')
    expect(registry.tokens()).toEqual(['new', 'registered'])
    expect(registry.register('more')).toMatchObject({ kind: 'created' })
  })
})
