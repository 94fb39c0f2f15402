import { describe, expect, test } from 'bun:test'
import { openRegistry } from '../support/registry.ts'

const APP = 1
const IOS = { platform: 0, token: 'aa' } as const
const ANDROID = { platform: 1, token: 'bb' } as const

/** Two registered devices, `aa` on iOS as "anna" and `bb` on Android as "bert", and one that is gone: `cc`. */
function openSeeded() {
  const registry = openRegistry()
  const { devices } = registry
  devices.register(APP, { ...IOS, alias: 'anna' })
  devices.register(APP, { ...ANDROID, alias: 'bert' })
  devices.register(APP, { platform: 0, token: 'cc' })
  devices.markGone(devices.idOf(APP, 0, 'cc') ?? 0, { since: registry.clock.now(), now: 1, reason: 'Unregistered' })
  registry.clock.advance(1000)
  return registry
}

const aliasesOf = ({ devices }: ReturnType<typeof openSeeded>) => [
  devices.find(APP, 'aa')?.alias,
  devices.find(APP, 'bb')?.alias,
]

describe('finding', () => {
  test('only registered devices of the application are found', () => {
    using registry = openSeeded()
    const { devices } = registry
    expect(devices.idOf(APP, 0, 'aa')).toBe(1)
    expect(devices.idOf(APP, 1, 'aa')).toBeNull()
    expect(devices.idOf(2, 0, 'aa')).toBeNull()
    expect(devices.idOf(APP, 0, 'cc')).toBeNull()
    expect(devices.find(APP, 'cc')).toBeNull()
    expect(devices.find(2, 'aa')).toBeNull()
    expect(devices.find(APP, 'aa', 1)).toBeNull()
    expect(devices.find(APP, 'aa', 0)?.alias).toBe('anna')
  })

  test('of a token that both platforms hold, the device seen last is found', () => {
    using registry = openSeeded()
    const { devices, clock } = registry
    devices.register(APP, { platform: 1, token: 'aa' })
    expect(devices.find(APP, 'aa')?.platform).toBe(1)
    clock.advance(1)
    devices.register(APP, IOS)
    expect(devices.find(APP, 'aa')?.platform).toBe(0)
    expect(devices.find(APP, 'aa', 1)?.platform).toBe(1)
  })
})

describe('setting an alias', () => {
  test('names the device by token, by current alias, or by both', () => {
    using registry = openSeeded()
    const { devices } = registry
    expect(devices.setAlias(APP, { ...IOS, alias: 'a2' })).toBe('ok')
    expect(devices.setAlias(APP, { platform: 1, currentAlias: 'bert', alias: 'b2' })).toBe('ok')
    expect(aliasesOf(registry)).toEqual(['a2', 'b2'])
    expect(devices.setAlias(APP, { ...IOS, currentAlias: 'a2', alias: 'a3' })).toBe('ok')
    expect(aliasesOf(registry)).toEqual(['a3', 'b2'])
    expect(devices.find(APP, 'aa')?.updatedAt).toBe(registry.clock.now())
  })

  test('its own alias may be set again, and "" removes it', () => {
    using registry = openSeeded()
    expect(registry.devices.setAlias(APP, { ...IOS, alias: 'anna' })).toBe('ok')
    expect(registry.devices.setAlias(APP, { ...IOS, alias: '' })).toBe('ok')
    expect(aliasesOf(registry)).toEqual([null, 'bert'])
    expect(registry.devices.setAlias(APP, { ...ANDROID, alias: 'anna' })).toBe('ok')
  })

  test('the alias of another registered device is taken', () => {
    using registry = openSeeded()
    expect(registry.devices.setAlias(APP, { ...IOS, alias: 'bert' })).toBe('alias-taken')
    expect(aliasesOf(registry)).toEqual(['anna', 'bert'])
  })

  test('the alias of a quarantined device is free', () => {
    using registry = openSeeded()
    registry.devices.quarantine(2, { since: registry.clock.now(), now: 1, reason: 'BadDeviceToken' })
    expect(registry.devices.setAlias(APP, { ...IOS, alias: 'bert' })).toBe('ok')
    expect(aliasesOf(registry)).toEqual(['bert', undefined])
  })

  test('a quarantined device is not found by its alias', () => {
    using registry = openSeeded()
    registry.devices.quarantine(2, { since: registry.clock.now(), now: 1, reason: 'BadDeviceToken' })
    expect(registry.devices.setAlias(APP, { platform: 1, currentAlias: 'bert', alias: 'x' })).toBe('no-device')
    expect(registry.devices.addLabels(APP, { platform: 1, alias: 'bert' }, 'tag', ['x'])).toBe('no-device')
  })

  test('a token and a current alias of different devices do not match', () => {
    using registry = openSeeded()
    registry.devices.register(APP, { platform: 0, token: 'dd', alias: 'dora' })
    expect(registry.devices.setAlias(APP, { ...IOS, currentAlias: 'dora', alias: 'x' })).toBe('mismatch')
    expect(aliasesOf(registry)).toEqual(['anna', 'bert'])
  })

  test.each([
    ['an unknown token', { platform: 0, token: 'zz', alias: 'x' }],
    ['a token of the other platform', { platform: 1, token: 'aa', alias: 'x' }],
    ['a device that is gone', { platform: 0, token: 'cc', alias: 'x' }],
    ['an unknown alias', { platform: 0, currentAlias: 'nobody', alias: 'x' }],
    ['an alias on the other platform', { platform: 0, currentAlias: 'bert', alias: 'x' }],
    ['a token with an unknown alias', { ...IOS, currentAlias: 'nobody', alias: 'x' }],
    ['an unknown token with an alias', { platform: 0, token: 'zz', currentAlias: 'anna', alias: 'x' }],
  ] as const)('%s is no device', (_, change) => {
    using registry = openSeeded()
    expect(registry.devices.setAlias(APP, change)).toBe('no-device')
    expect(aliasesOf(registry)).toEqual(['anna', 'bert'])
  })
})

describe('labels', () => {
  test('a tag or a type is added and removed, by token or by alias', () => {
    using registry = openSeeded()
    const { devices } = registry
    const byAlias = { platform: 0, alias: 'anna' } as const
    expect(devices.addLabels(APP, IOS, 'tag', ['beta'])).toBe('ok')
    expect(devices.addLabels(APP, byAlias, 'tag', ['alpha'])).toBe('ok')
    expect(devices.addLabels(APP, byAlias, 'type', ['beta'])).toBe('ok')
    expect(devices.find(APP, 'aa')).toMatchObject({
      tag: ['alpha', 'beta'],
      active: ['beta'],
      updatedAt: registry.clock.now(),
    })
    expect(devices.removeLabels(APP, byAlias, 'tag', ['beta'])).toBe('ok')
    expect(devices.find(APP, 'aa')).toMatchObject({ tag: ['alpha'], active: ['beta'] })
    expect(devices.find(APP, 'bb')).toMatchObject({ tag: [], active: [] })
  })

  test('adding what is there and removing what is not changes nothing', () => {
    using registry = openSeeded()
    const { devices } = registry
    devices.addLabels(APP, IOS, 'tag', ['beta'])
    expect(devices.addLabels(APP, IOS, 'tag', ['beta'])).toBe('ok')
    expect(devices.removeLabels(APP, IOS, 'tag', ['never seen'])).toBe('ok')
    expect(devices.removeLabels(APP, IOS, 'type', ['beta'])).toBe('ok')
    expect(devices.find(APP, 'aa')?.tag).toEqual(['beta'])
  })

  test('the hundred-and-first tag is too many; types are counted apart', () => {
    using registry = openSeeded()
    const { devices } = registry
    const tag = Array.from({ length: 100 }, (_, index) => `t${index}`)
    devices.register(APP, { ...IOS, tag })
    expect(devices.addLabels(APP, IOS, 'tag', ['one more'])).toBe('too-many-labels')
    expect(devices.addLabels(APP, IOS, 'tag', ['t7'])).toBe('ok')
    expect(devices.addLabels(APP, IOS, 'type', ['one more'])).toBe('ok')
    expect(devices.find(APP, 'aa')?.tag).toHaveLength(100)
  })

  test.each([
    ['an unknown token', { platform: 0, token: 'zz' }],
    ['a device that is gone', { platform: 0, token: 'cc' }],
    ['an alias on the other platform', { platform: 1, alias: 'anna' }],
    ['an unknown alias', { platform: 0, alias: 'nobody' }],
  ] as const)('%s is no device', (_, address) => {
    using registry = openSeeded()
    expect(registry.devices.addLabels(APP, address, 'tag', ['x'])).toBe('no-device')
    expect(registry.devices.removeLabels(APP, address, 'tag', ['x'])).toBe('no-device')
  })
})

describe('location and badge', () => {
  test('are set on the device that is named', () => {
    using registry = openSeeded()
    const { devices, clock } = registry
    expect(devices.setLocation(APP, { ...IOS, lat: 1.5, lng: -180 })).toBe('ok')
    expect(devices.setBadge(APP, { ...IOS, badge: 2_147_483_647 })).toBe(devices.idOf(APP, IOS.platform, IOS.token))
    expect(devices.find(APP, 'aa')).toMatchObject({ lat: 1.5, lng: -180, badge: 2_147_483_647, updatedAt: clock.now() })
    expect(devices.find(APP, 'bb')).toMatchObject({ lat: null, lng: null, badge: 0 })
  })

  test('of a device that is not registered are no device', () => {
    using registry = openSeeded()
    expect(registry.devices.setLocation(APP, { platform: 0, token: 'cc', lat: 0, lng: 0 })).toBe('no-device')
    expect(registry.devices.setBadge(2, { ...IOS, badge: 1 })).toBeNull()
  })
})
