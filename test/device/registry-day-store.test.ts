import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../src/clock.ts'
import { createRegistryDays } from '../../src/device/registry-day-store.ts'
import { openRegistry } from '../support/registry.ts'
import { storeDevices } from '../support/stored-devices.ts'

let registry: ReturnType<typeof openRegistry>
let days: ReturnType<typeof createRegistryDays>
beforeEach(() => {
  registry = openRegistry()
  days = createRegistryDays({ database: registry.database })
})
afterEach(() => registry[Symbol.dispose]())

let made = 0
function register(number: number): void {
  storeDevices(registry.database, number, () => ({ platform: 1, token: `token ${++made}` }))
}

describe('devices by the day on which they registered', () => {
  test('are what came between two days that were noted, and today since its own', () => {
    register(2)
    days.sweep(100 * DAY_MS)
    register(3)
    // Once an hour: the day has begun already.
    days.sweep(100 * DAY_MS + HOUR_MS)
    register(1)
    days.sweep(102 * DAY_MS)
    register(5)
    expect([...days.registeredSince(0)]).toEqual([
      [100, 4],
      [102, 5],
    ])
    expect([...days.registeredSince(101)]).toEqual([[102, 5]])
  })

  test('stay counted when they are erased', () => {
    days.sweep(100 * DAY_MS)
    register(3)
    registry.database.statement('DELETE FROM device').run()
    expect(days.registeredSince(100).get(100)).toBe(3)
  })

  test('are none of a day that began before one that was noted earlier', () => {
    register(2)
    days.sweep(100 * DAY_MS)
    register(3)
    days.sweep(99 * DAY_MS)
    expect([...days.registeredSince(0)]).toEqual([
      [99, 0],
      [100, 3],
    ])
  })

  test('are kept for 100 days', () => {
    for (const day of [100, 101, 201]) days.sweep(day * DAY_MS)
    expect([...days.registeredSince(0).keys()]).toEqual([101, 201])
  })
})
