import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createAcceptanceStore } from '../../src/delivery/store/acceptance-store.ts'
import { openRegistry } from '../support/registry.ts'

const KEY = { application: 1, platform: 0, credential: 1000 } as const

let registry: ReturnType<typeof openRegistry>
let store: ReturnType<typeof createAcceptanceStore>
beforeEach(() => {
  registry = openRegistry()
  store = createAcceptanceStore(registry)
})
afterEach(() => registry[Symbol.dispose]())

test('a device is known to be accepted by its own bit, at the edges of a block too', () => {
  const accepted = [1, 511, 512, 513, 1_000_000]
  store.accepted(KEY, accepted)
  store.accepted(KEY, [7])
  expect(store.hasAny(KEY)).toBe(true)
  for (const device of [...accepted, 7]) expect(store.wasAccepted(KEY, device)).toBe(true)
  for (const device of [0, 2, 8, 510, 514, 999_999]) expect(store.wasAccepted(KEY, device)).toBe(false)
})

test('is not, with another credential, of another platform or application', () => {
  store.accepted(KEY, [7])
  for (const other of [{ credential: 1001 }, { platform: 1 as const }, { application: 2 }]) {
    expect(store.wasAccepted({ ...KEY, ...other }, 7)).toBe(false)
    expect(store.hasAny({ ...KEY, ...other })).toBe(false)
  }
})

test('refused tokens are held once for a device, and taken once', () => {
  store.hold(KEY, { device: 7, reason: 'BadDeviceToken', since: 1 })
  store.hold(KEY, { device: 7, reason: 'DeviceTokenNotForTopic', since: 2 })
  expect(store.takeHeld(KEY)).toEqual([{ device: 7, reason: 'DeviceTokenNotForTopic', since: 2 }])
  expect(store.takeHeld(KEY)).toEqual([])
})

test('what is known of another credential is forgotten in steps, and nothing else', () => {
  const other = { ...KEY, credential: 2000 }
  store.accepted(KEY, [7])
  for (let device = 0; device < 300; device++) store.hold(KEY, { device, reason: 'BadDeviceToken', since: 1 })
  store.accepted(other, [8])
  store.hold(other, { device: 8, reason: 'BadDeviceToken', since: 1 })
  expect([store.forgetOthers(other), store.forgetOthers(other)]).toEqual([true, false])
  expect([store.takeHeld(KEY), store.hasAny(KEY), store.wasAccepted(other, 8)]).toEqual([[], false, true])
  expect(store.takeHeld(other)).toHaveLength(1)
})
