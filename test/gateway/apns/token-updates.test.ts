import { describe, expect, test } from 'bun:test'
import { TokenUpdates } from '../../../src/gateway/apns/route.ts'

const MINUTE_MS = 60_000

/** What `count` refusals in a row come to, at one time. */
function refuse(updates: TokenUpdates, count: number, at = 0): (number | null)[] {
  return Array.from({ length: count }, () => updates.refused(at))
}

describe('429 TooManyProviderTokenUpdates', () => {
  test('among notifications that are taken is always the one device its own', () => {
    const updates = new TokenUpdates()
    for (let n = 0; n < 2600; n++) {
      if (n % 72 === 0) expect(updates.refused(n)).toBeNull()
      else updates.taken()
    }
  })

  test('four times in a row pauses all for 2 s, and for the same 2 s whatever else was under way', () => {
    expect(refuse(new TokenUpdates(), 1000)).toEqual([null, null, null, ...Array<number>(997).fill(2000)])
  })

  test('that goes on after a pause pauses for longer, up to the 20 minutes of Apple', () => {
    const updates = new TokenUpdates()
    refuse(updates, 3)
    let now = 0
    const pauses: (number | null)[] = []
    for (let n = 0; n < 6; n++) {
      const pauseMs = updates.refused(now)
      pauses.push(pauseMs)
      now += pauseMs ?? 0
    }
    expect(pauses).toEqual([2000, 30_000, 5 * MINUTE_MS, 20 * MINUTE_MS, 20 * MINUTE_MS, 20 * MINUTE_MS])
  })

  test('is forgotten when a notification is taken', () => {
    const updates = new TokenUpdates()
    refuse(updates, 4)
    updates.taken()
    expect(refuse(updates, 4, 2000)).toEqual([null, null, null, 2000])
  })
})
