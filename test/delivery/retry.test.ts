import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextAttemptAt } from '../../src/delivery/verdict.ts'
import { APNS_RETRY as apns } from '../../src/gateway/apns/protocol.ts'
import { FCM_RETRY as fcm } from '../../src/gateway/fcm/protocol.ts'
import { WEBPUSH_RETRY as webpush } from '../../src/gateway/webpush/protocol.ts'

const S = 1000

describe('when an attempt that failed is repeated', () => {
  // Random 0: the shortest wait, and the earliest last attempt.
  test.each([
    ['Apple, the first time: a second', apns, 1, 0, 60 * S, null, 1 * S],
    ['Google, the first time: the ten seconds that it asks for', fcm, 1, 0, 60 * S, null, 10 * S],
    ['a browser, the first time: a second', webpush, 1, 0, 60 * S, null, 1 * S],
    ['the third time: four times as long', apns, 3, 0, 60 * S, null, 4 * S],
    ['the backoff ends after the end: just before it', apns, 9, 0, 60 * S, null, 59 * S],
    ['so with Google', fcm, 3, 10 * S, 45 * S, null, 35 * S],
    ['too late for that: after the least wait', fcm, 2, 3 * S, 15 * S, null, 13 * S],
    ['not even the least wait is left: never', fcm, 1, 3 * S, 12 * S, null, 13 * S],
    ['the end of the least wait is the end: never', apns, 1, 0, 1 * S, null, 1 * S],
    ['the gateway asks for a time before the end', apns, 1, 0, 60 * S, 50 * S, 50 * S],
    ['the gateway asks for a time just before the end', fcm, 1, 0, 60 * S, 59 * S, 59 * S],
    ['the gateway asks for a time after the end: never', apns, 1, 0, 60 * S, 90 * S, 90 * S],
    ['the gateway asks for no time, or one that is past: as if it did not ask', fcm, 2, 0, 60 * S, 0, 20 * S],
    ['the gateway asks for less than the backoff: the backoff', apns, 5, 0, 60 * S, 1 * S, 16 * S],
  ])('%s', (_, policy, attempt, now, expiresAt, askedMs, dueAt) => {
    expect(nextAttemptAt(policy, { attempt, now, expiresAt, random: 0 }, askedMs)).toBe(dueAt)
  })

  test('what failed together does not come back together for the last time', () => {
    const failed = { attempt: 9, now: 0, expiresAt: 60 * S }
    expect(nextAttemptAt(fcm, { ...failed, random: 0 }, null)).toBe(50 * S)
    expect(nextAttemptAt(fcm, { ...failed, random: 0.5 }, null)).toBe(52.5 * S)
    expect(nextAttemptAt(fcm, { ...failed, random: 0.999 }, null)).toBe(55 * S - 5)
  })

  const policy = fc.constantFrom(apns, fcm, webpush)
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const timeToLive = fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 28 * 86_400 }))

  test('all attempts lie before the end, none sooner than it may, and the last leaves no room for another', () => {
    fc.assert(
      fc.property(policy, timeToLive, fc.infiniteStream(random), fc.nat(5 * S), (its, ttl, randoms, answerMs) => {
        const leastMs = its.firstMs / 2
        const expiresAt = ttl * S
        let [attempts, now] = [1, answerMs]
        for (;;) {
          const { value } = randoms.next() as { readonly value: number }
          const dueAt = nextAttemptAt(its, { attempt: attempts, now, expiresAt, random: value }, null)
          expect(dueAt - now).toBeGreaterThanOrEqual(leastMs)
          if (dueAt >= expiresAt) break
          attempts++
          now = dueAt + answerMs
        }
        expect(expiresAt - now).toBeLessThanOrEqual(leastMs)
        // Doubling up to the longest wait, at least half of it each time; and the last one.
        const doublings = Math.ceil(Math.log2(its.longestMs / its.firstMs)) + 1
        expect(attempts).toBeLessThanOrEqual(1 + doublings + Math.ceil(expiresAt / (its.longestMs / 2)) + 1)
      }),
    )
  })

  test('neither what a gateway asks for nor the backoff is undercut; given up only if the former ends after the time to live', () => {
    fc.assert(
      fc.property(
        policy,
        timeToLive,
        random,
        fc.nat(7200 * S),
        fc.integer({ min: 1, max: 40 }),
        (its, ttl, ...rest) => {
          const [value, askedMs, attempt] = rest
          const expiresAt = ttl * S
          const dueAt = nextAttemptAt(its, { attempt, now: 0, expiresAt, random: value }, askedMs)
          expect(dueAt).toBeGreaterThanOrEqual(askedMs)
          const unasked = nextAttemptAt(its, { attempt, now: 0, expiresAt, random: value }, null)
          expect(dueAt).toBeGreaterThanOrEqual(unasked)
          if (Math.max(askedMs, its.firstMs / 2) < expiresAt) expect(dueAt).toBeLessThan(expiresAt)
        },
      ),
    )
  })
})
