import { describe, expect, test } from 'bun:test'
import { createGrowthThrottle } from '../../src/usage/growth-throttle.ts'
import type { GrowthThrottle } from '../../src/usage/growth-throttle.ts'
import { createFakeClock } from '../support/fake-clock.ts'

/** How often `rows` are taken before it has to be waited for them. */
function taken(throttle: GrowthThrottle, address: () => string, rows: number): number {
  for (let calls = 0; ; calls++) if (throttle.take(1, address(), rows) > 0) return calls
}

describe('the rows that one address adds', () => {
  test('are 20,000 at once and 20 a second; what is refused takes nothing', () => {
    const clock = createFakeClock()
    const throttle = createGrowthThrottle({ clock })
    const address = () => '192.0.2.1'
    expect(taken(throttle, address, 300)).toBe(66)
    // 200 are left.
    expect(throttle.take(1, '192.0.2.1', 300)).toBe(5)
    expect(throttle.take(1, '192.0.2.1', 200)).toBe(0)
    clock.set(clock.now() + 10_000)
    expect(taken(throttle, address, 100)).toBe(2)
    expect(throttle.take(1, '192.0.2.2', 300)).toBe(0)
    expect(throttle.take(2, '192.0.2.1', 300)).toBe(0)
  })

  test('are those of its IPv6 network, and all networks of a site add 16 times as many', () => {
    const throttle = createGrowthThrottle({ clock: createFakeClock() })
    let host = 0
    expect(taken(throttle, () => `2001:db8:1:1::${(++host).toString(16)}`, 1000)).toBe(20)
    let network = 1
    expect(taken(throttle, () => `2001:db8:1:${(++network).toString(16)}::1`, 1000)).toBe(16 * 20 - 20)
    expect(throttle.take(1, '2001:db8:2:1::1', 1000)).toBe(0)
  })
})
