import { describe, expect, test } from 'bun:test'
import { createFailureThrottle, createGrowthThrottle } from '../../src/usage/throttles.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const GUESSER = '192.0.2.1'

describe('the throttle of wrong credentials', () => {
  test('lets 20 failures of one address be answered, and then says how long to wait', () => {
    const throttle = createFailureThrottle({ clock: createFakeClock() })
    for (let failure = 0; failure < 20; failure += 1) {
      expect(throttle.failed(GUESSER)).toEqual({ allowed: true, retryAfterSeconds: 0 })
    }
    expect(throttle.failed(GUESSER)).toEqual({ allowed: false, retryAfterSeconds: 3 })
  })

  test('gives one back every 3 s', () => {
    const clock = createFakeClock()
    const throttle = createFailureThrottle({ clock })
    for (let failure = 0; failure < 20; failure += 1) throttle.failed(GUESSER)
    for (const wait of [1000, 1000, 999]) {
      clock.advance(wait)
      expect(throttle.failed(GUESSER).allowed).toBe(false)
    }
    clock.advance(1)
    expect(throttle.failed(GUESSER).allowed).toBe(true)
    expect(throttle.failed(GUESSER)).toEqual({ allowed: false, retryAfterSeconds: 3 })
  })

  test('throttles each address alone', () => {
    const throttle = createFailureThrottle({ clock: createFakeClock() })
    for (let failure = 0; failure < 21; failure += 1) throttle.failed(GUESSER)
    expect(throttle.failed('192.0.2.2').allowed).toBe(true)
    expect(throttle.failed(`::ffff:${GUESSER}`).allowed).toBe(false)
  })

  test('takes all networks of one IPv6 site together, after 16 times as many', () => {
    const throttle = createFailureThrottle({ clock: createFakeClock() })
    const failed = (network: number) => throttle.failed(`2001:db8:0:${network.toString(16)}::1`)
    const answered = Array.from({ length: 400 }, (_, network) => failed(network)).filter(({ allowed }) => allowed)
    expect(answered).toHaveLength(320)
    expect(failed(999)).toEqual({ allowed: false, retryAfterSeconds: 1 })
    expect(throttle.failed('2001:db8:1::1').allowed).toBe(true)
  })

  test('takes all addresses of one IPv6 network together', () => {
    const throttle = createFailureThrottle({ clock: createFakeClock() })
    for (let failure = 0; failure < 20; failure += 1) throttle.failed(`2001:db8:0:1::${failure.toString(16)}`)
    expect(throttle.failed('2001:db8:0:1:ffff::1').allowed).toBe(false)
    expect(throttle.failed('2001:db8:0:2::1').allowed).toBe(true)
  })

  test('remembers no more addresses than its capacity', () => {
    const throttle = createFailureThrottle({ clock: createFakeClock(), capacity: 1 })
    for (let failure = 0; failure < 20; failure += 1) throttle.failed(GUESSER)
    expect(throttle.failed(GUESSER).allowed).toBe(false)
    throttle.failed('192.0.2.2')
    expect(throttle.failed(GUESSER).allowed).toBe(true)
  })
})

function taken(throttle: ReturnType<typeof createGrowthThrottle>, address: () => string, rows: number): number {
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
