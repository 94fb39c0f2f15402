import { describe, expect, test } from 'bun:test'
import { siteKey, userKey } from '../../src/network/address.ts'
import { createRateLimiter } from '../../src/usage/rate-limiter.ts'
import { createFakeClock } from '../support/fake-clock.ts'

const LIMITS = { rate: 10, burst: 100 }

function exhaust(limiter: ReturnType<typeof createRateLimiter>, key: string, limits = LIMITS): number {
  let calls = 0
  while (calls < 10_000 && limiter.take(key, limits).allowed) calls += 1
  return calls
}

describe('the rate limiter', () => {
  test('allows burst calls at once and tells limit, remaining, reset and retry', () => {
    const limiter = createRateLimiter({ clock: createFakeClock() })
    expect(limiter.take('7', LIMITS)).toEqual({
      allowed: true,
      rate: 10,
      limit: 100,
      remaining: 99,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    })
    expect(exhaust(limiter, '7')).toBe(99)
    expect(limiter.take('7', LIMITS)).toEqual({
      allowed: false,
      rate: 10,
      limit: 100,
      remaining: 0,
      resetSeconds: 10,
      retryAfterSeconds: 1,
    })
  })

  test('counts each user of each application alone', () => {
    const limiter = createRateLimiter({ clock: createFakeClock() })
    exhaust(limiter, userKey(7, '192.0.2.1'))
    expect(limiter.take(userKey(7, '192.0.2.1'), LIMITS).allowed).toBe(false)
    expect(limiter.take(userKey(7, '192.0.2.2'), LIMITS).allowed).toBe(true)
    expect(limiter.take(userKey(8, '192.0.2.1'), LIMITS).allowed).toBe(true)
    expect(limiter.take(userKey(7, null), LIMITS).allowed).toBe(true)
  })

  test('lets all networks of an IPv6 site together call 16 times as much as one', () => {
    const clock = createFakeClock()
    const limiter = createRateLimiter({ clock })
    const call = (network: number, site = 'db8') => {
      const address = `2001:${site}:0:${network.toString(16)}::1`
      return limiter.take(userKey(7, address), LIMITS, siteKey(7, address))
    }
    const allowed = Array.from({ length: 2000 }, (_, network) => call(network)).filter((one) => one.allowed)
    expect(allowed).toHaveLength(1600)
    expect(call(9999)).toMatchObject({ allowed: false, rate: 160, limit: 1600, retryAfterSeconds: 1 })
    expect(call(1, 'db9').allowed).toBe(true)
    expect(limiter.take(userKey(7, '192.0.2.1'), LIMITS, siteKey(7, '192.0.2.1')).allowed).toBe(true)
    clock.advance(1000)
    expect(Array.from({ length: 500 }, (_, network) => call(network)).filter((one) => one.allowed)).toHaveLength(160)
  })

  test('a call that its own network may not make costs the site nothing', () => {
    const limiter = createRateLimiter({ clock: createFakeClock() })
    const [noisy, quiet] = ['2001:db8:0:1::1', '2001:db8:0:2::1']
    for (let n = 0; n < 5000; n++) limiter.take(userKey(7, noisy), LIMITS, siteKey(7, noisy))
    expect(limiter.take(userKey(7, quiet), LIMITS, siteKey(7, quiet))).toMatchObject({ allowed: true, remaining: 99 })
  })

  test.each([
    { rate: 0, burst: 100 },
    { rate: 10, burst: 0 },
  ])('with %p is unlimited, and its limit reads 0', (limits) => {
    const limiter = createRateLimiter({ clock: createFakeClock() })
    expect(exhaust(limiter, '7', limits)).toBe(10_000)
    expect(limiter.take('7', limits).limit).toBe(0)
  })

  test('a limit lifted or set at run time holds at the next call', () => {
    const limiter = createRateLimiter({ clock: createFakeClock() })
    exhaust(limiter, '7')
    expect(limiter.take('7', { rate: 0, burst: 0 }).allowed).toBe(true)
    expect(limiter.take('7', LIMITS).allowed).toBe(false)
  })

  test('forgets the least recently used first when full, and never holds more than its capacity', () => {
    const limiter = createRateLimiter({ clock: createFakeClock(), capacity: 3 })
    const once = { rate: 0.001, burst: 1 }
    const allowed = (key: string) => limiter.take(key, once).allowed
    expect(['a', 'b', 'c'].map(allowed)).toEqual([true, true, true])
    // Used again, so that b is now the oldest.
    expect(allowed('a')).toBe(false)
    expect(allowed('d')).toBe(true)
    expect(['a', 'c', 'd'].map(allowed)).toEqual([false, false, false])
    expect(allowed('b')).toBe(true)
    expect(['c', 'd', 'b'].map(allowed)).toEqual([false, false, false])
    expect(allowed('a')).toBe(true)
  })

  test('agrees with a plain list of keys on what it still knows', () => {
    const limiter = createRateLimiter({ clock: createFakeClock(), capacity: 5 })
    let recent: string[] = []
    let seed = 1
    for (let call = 0; call < 5000; call += 1) {
      seed = (seed * 48_271) % 2_147_483_647
      const key = String(seed % 9)
      const { allowed } = limiter.take(key, { rate: 0.000_001, burst: 1 })
      expect(allowed).toBe(!recent.includes(key))
      recent = [...recent.filter((one) => one !== key), key].slice(-5)
    }
  })

  test('keeps the bucket of a caller while strangers come by in turn, at the same cost however many it knows', () => {
    const once = { rate: 0.000_001, burst: 1 }
    /** Microseconds of the processor, which others use too, for 100,000 strangers. */
    const cost = (capacity: number) => {
      const limiter = createRateLimiter({ clock: createFakeClock(), capacity })
      limiter.take('regular', once)
      const before = process.cpuUsage()
      for (let stranger = 0; stranger < 100_000; stranger += 1) {
        limiter.take(`stranger ${stranger}`, once)
        if (stranger % (capacity * 0.8) === 0) expect(limiter.take('regular', once).allowed).toBe(false)
      }
      const { user, system } = process.cpuUsage(before)
      expect(limiter.take('regular', once).allowed).toBe(false)
      expect(limiter.take('stranger 0', once).allowed).toBe(true)
      return user + system
    }
    // Twice as much, for what a larger map costs; to let go of the oldest by the Map's own order, 16 times or more.
    const few = cost(50)
    expect(cost(50_000)).toBeLessThan(8 * few)
  })
})
