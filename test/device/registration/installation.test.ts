import { describe, expect, test } from 'bun:test'
import type { Registration } from '../../../src/device/registration/registration.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import { openRegistry } from '../../support/registry.ts'

const APP = 1
const FID = 'cAbCdEfGhIjKlMnOpQrStU'
const TOKEN = `${FID}:APA91bExample`
const OTHER = 'dAbCdEfGhIjKlMnOpQrStU'

type Registry = ReturnType<typeof openRegistry>

const register = (
  { database, devices }: Registry,
  token: string,
  more: Partial<Registration> = {},
  rights: Parameters<typeof devices.register>[2] = {},
) => database.transact(() => devices.register(APP, { token, platform: 1, ...more }, rights))

const batch = ({ database, devices }: Registry, ...tokens: string[]) =>
  database.transact(() => devices.importBatch(APP, { tokens, platform: 1, tags: ['late'] }))

const tokens = ({ devices }: Registry) => devices.list(APP, { limit: 10 }).map(({ token }) => token)

describe('an installation that registers by its FID and by its token', () => {
  test.each([
    [TOKEN, FID],
    [FID, TOKEN],
  ])('is one device: %s, then %s', (first, second) => {
    using registry = openRegistry()
    const { device } = register(registry, first, { tag: ['beta'], alias: 'ann', fcm_platform: 'ios' })
    expect(register(registry, second)).toMatchObject({
      kind: 'updated',
      device: { id: device.id, token: second, tag: ['beta'], alias: 'ann', fcm_platform: 'ios' },
    })
    expect(tokens(registry)).toEqual([second])
  })

  test('comes back as it was when one of them was gone', () => {
    using registry = openRegistry()
    const { device } = register(registry, TOKEN, { tag: ['beta'], alias: 'ann' })
    const now = registry.clock.now()
    registry.database.transact(() => registry.devices.markGone(device.id, { now, since: now, reason: 'UNREGISTERED' }))
    expect(register(registry, FID)).toMatchObject({
      kind: 'created',
      device: { id: device.id, token: FID, tag: ['beta'], alias: 'ann' },
    })
  })

  test('takes along no user that its caller has not proven, and is one device all the same', () => {
    using registry = openRegistry()
    const { device } = register(registry, TOKEN, { user: '17', alias: 'ann', tag: ['beta'] })
    const outcome = register(registry, FID, {}, { bringsNames: false })
    expect(outcome).toMatchObject({ device: { id: device.id, token: FID, user: null, alias: null, tag: ['beta'] } })
    expect(tokens(registry)).toEqual([FID])
  })

  test('says what it replaces, and that counts', () => {
    using registry = openRegistry()
    register(registry, TOKEN)
    const { device } = register(registry, OTHER)
    expect(register(registry, FID, { replaces: OTHER })).toMatchObject({ device: { id: device.id, token: FID } })
    expect(tokens(registry).toSorted()).toEqual([FID, TOKEN].toSorted())
  })

  test.each([
    ['another installation', `${OTHER}:APA91bExample`],
    ['an ID that only begins the same', `${FID}X:APA91bExample`],
    ['what has no colon', `${FID}APA91bExample`],
  ])('is not %s', (_name, token) => {
    using registry = openRegistry()
    register(registry, FID)
    expect(register(registry, token)).toMatchObject({ kind: 'created' })
    expect(tokens(registry)).toEqual([FID, token])
  })

  test('is known on its own platform, in its own application', () => {
    using registry = openRegistry()
    register(registry, FID)
    registry.database.transact(() => registry.devices.register(2, { token: TOKEN, platform: 1 }))
    register(registry, TOKEN, { platform: 0 })
    expect(tokens(registry)).toEqual([FID, TOKEN])
  })
})

describe('a list of addresses', () => {
  test.each([
    [TOKEN, FID],
    [FID, TOKEN],
  ])('in a batch leaves the device the address that its app has said: %s, listed as %s', (own, listed) => {
    using registry = openRegistry()
    const { device } = register(registry, own)
    expect(batch(registry, listed, `${OTHER}:x`)).toEqual({ kind: 'imported', created: 1, updated: 1 })
    expect(tokens(registry)).toEqual([own, `${OTHER}:x`])
    expect(registry.devices.find(APP, own)).toMatchObject({ id: device.id, tag: ['late'] })
  })

  test('that is imported leaves the device as it is', () => {
    using registry = openRegistry()
    register(registry, FID, { tag: ['beta'] })
    const imports = createImportStore(registry)
    const outcome = registry.database.transact(() =>
      imports.put(APP, { token: TOKEN, platform: 1, tag: ['old'], imported: true }),
    )
    expect(outcome.kind).toBe('kept')
    expect(tokens(registry)).toEqual([FID])
  })
})
