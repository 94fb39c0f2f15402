import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { fullBucket, secondsToFull, secondsToToken, takeToken, tokensLeft } from '../../src/usage/token-bucket.ts'
import type { TokenBucket } from '../../src/usage/token-bucket.ts'

const START = Date.UTC(2026, 10, 20, 12)

function takeAll(bucket: TokenBucket, rate: number, burst: number, now: number): number {
  let taken = 0
  while (taken < 10_000 && takeToken(bucket, rate, burst, now)) taken += 1
  return taken
}

describe('a token bucket', () => {
  test('starts full at burst', () => {
    const bucket = fullBucket(100, START)
    expect(tokensLeft(bucket)).toBe(100)
    expect(secondsToFull(bucket, 10, 100)).toBe(0)
    expect(takeAll(bucket, 10, 100, START)).toBe(100)
  })

  test('is refilled continuously at its rate: ten a second are one after 100 ms, and none after 99 ms', () => {
    const bucket = fullBucket(100, START)
    takeAll(bucket, 10, 100, START)
    expect(takeToken(bucket, 10, 100, START + 99)).toBe(false)
    expect(takeToken(bucket, 10, 100, START + 100)).toBe(true)
    expect(takeToken(bucket, 10, 100, START + 100)).toBe(false)
    expect(takeAll(bucket, 10, 100, START + 1100)).toBe(10)
  })

  test('is never fuller than burst, however long nobody calls', () => {
    const bucket = fullBucket(5, START)
    takeAll(bucket, 10, 5, START)
    expect(takeAll(bucket, 10, 5, START + 86_400_000)).toBe(5)
  })

  test('refuses at less than one token and takes nothing then: asking again and again delays nobody', () => {
    const bucket = fullBucket(1, START)
    takeToken(bucket, 1, 1, START)
    for (let ms = 1; ms < 1000; ms += 1) expect(takeToken(bucket, 1, 1, START + ms)).toBe(false)
    expect(takeToken(bucket, 1, 1, START + 1000)).toBe(true)
  })

  test.each([
    [0, 100],
    [10, 0],
    [0, 0],
  ])('of rate %p and burst %p is unlimited', (rate, burst) => {
    expect(takeAll(fullBucket(burst, START), rate, burst, START)).toBe(10_000)
  })

  test('a clock put back hands out no tokens, takes none away, and locks nobody out: the refill goes on from there', () => {
    const back = START - 3_600_000
    const [empty, used] = [fullBucket(10, START), fullBucket(10, START)]
    takeAll(empty, 1, 10, START)
    expect([takeToken(empty, 1, 10, back), tokensLeft(empty), secondsToToken(empty, 1)]).toEqual([false, 0, 1])
    expect(takeToken(empty, 1, 10, back + 1000)).toBe(true)
    takeToken(used, 1, 10, START)
    expect(takeAll(used, 1, 10, back)).toBe(9)
  })

  test('new limits hold for the whole time since the last call', () => {
    const [lowered, raised] = [fullBucket(100, START), fullBucket(5, START)]
    expect(takeAll(lowered, 1, 5, START)).toBe(5)
    takeAll(raised, 1, 5, START)
    expect(takeAll(raised, 50, 200, START + 1000)).toBe(50)
  })

  test('counts whole tokens, rounded down', () => {
    const bucket = fullBucket(10, START)
    takeToken(bucket, 1, 10, START)
    takeToken(bucket, 1, 10, START + 500)
    expect(tokensLeft(bucket)).toBe(8)
  })

  test('says in how many seconds one token is back: rounded up, at least 1', () => {
    const slow = fullBucket(1, START)
    takeToken(slow, 0.1, 1, START)
    expect(secondsToToken(slow, 0.1)).toBe(10)
    takeToken(slow, 0.1, 1, START + 500)
    expect(secondsToToken(slow, 0.1)).toBe(10)
    takeToken(slow, 0.1, 1, START + 1000)
    expect(secondsToToken(slow, 0.1)).toBe(9)
    const fast = fullBucket(1, START)
    takeToken(fast, 1000, 1, START)
    expect(secondsToToken(fast, 1000)).toBe(1)
  })

  test('says in how many seconds it is full, rounded up', () => {
    const bucket = fullBucket(100, START)
    takeAll(bucket, 10, 100, START)
    expect(secondsToFull(bucket, 10, 100)).toBe(10)
    takeToken(bucket, 10, 100, START + 150)
    expect(secondsToFull(bucket, 10, 100)).toBe(10)
  })

  test('gives the token it promised also where its rate is no round number', () => {
    const third = fullBucket(1, START)
    takeToken(third, 1 / 3, 1, START)
    expect(secondsToToken(third, 1 / 3)).toBe(3)
    for (let ms = 500; ms < 3000; ms += 500) expect(takeToken(third, 1 / 3, 1, START + ms)).toBe(false)
    expect(takeToken(third, 1 / 3, 1, START + 3000)).toBe(true)
    const emptied = fullBucket(21, START)
    takeAll(emptied, 1 / 3, 21, START)
    expect(secondsToFull(emptied, 1 / 3, 21)).toBe(63)
  })

  test('the seconds it says are enough, and one second fewer is not', () => {
    const rates = fc.oneof(fc.constantFrom(1 / 3, 0.1, 0.7, 10, 100), fc.double({ min: 0.01, max: 50, noNaN: true }))
    const waits = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 20 })
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 5 }), waits, (rate, burst, waits) => {
        const bucket = fullBucket(burst, START)
        let now = START
        for (const wait of waits) takeToken(bucket, rate, burst, (now += wait))
        takeAll(bucket, rate, burst, now)
        const seconds = secondsToToken(bucket, rate)
        const early = { ...bucket }
        if (seconds > 1) expect(takeToken(early, rate, burst, now + (seconds - 1) * 1000 - 1)).toBe(false)
        expect(takeToken(bucket, rate, burst, now + seconds * 1000)).toBe(true)
      }),
    )
  })

  test('gives, over any time, at most burst and what the rate refills', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), waits, (rate, burst, waits) => {
        const bucket = fullBucket(burst, START)
        let now = START
        let taken = 0
        for (const wait of waits) if (takeToken(bucket, rate, burst, (now += wait))) taken += 1
        expect(taken).toBeLessThanOrEqual(burst + ((now - START) * rate) / 1000)
      }),
    )
  })
})
