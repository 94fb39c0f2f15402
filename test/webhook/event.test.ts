import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { waitMs } from '../../src/webhook/event.ts'

test('the waits are those of Standard Webhooks, and after the tenth try there is none', () => {
  const waits = Array.from({ length: 10 }, (_, at) => waitMs(at + 1, 0, null))
  const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]
  expect(waits).toEqual([...minutes.map((each) => each * 60_000), null])
})

test('a wait is at random up to a tenth longer, and never shorter than what the receiver asked for', () => {
  const asked = fc.option(fc.integer({ min: 0, max: 86_400_000 }))
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      asked,
      (tries, random, ms) => {
        const least = waitMs(tries, 0, null) ?? 0
        const wait = waitMs(tries, random, ms) ?? 0
        expect(wait).toBeGreaterThanOrEqual(Math.max(least, ms ?? 0))
        expect(wait).toBeLessThanOrEqual(Math.max(least * 1.1, ms ?? 0))
      },
    ),
  )
  expect(waitMs(10, 0, 1000)).toBeNull()
})
