import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PendingBadges } from '../../src/delivery/pending-badges.ts'

const MORE = { add: 1 }

describe('a relative badge', () => {
  test('counts from what is stored', () => {
    expect(new PendingBadges().next(1, MORE, 4, 0)).toBe(5)
  })

  test('counts from what is on its way to the same device', () => {
    const badges = new PendingBadges()
    expect([badges.next(1, MORE, 4, 0), badges.next(1, MORE, 4, 0), badges.next(2, MORE, 4, 0)]).toEqual([5, 6, 5])
  })

  test('counts from what is stored again when nothing is on its way', () => {
    const badges = new PendingBadges()
    badges.next(1, MORE, 4, 0)
    badges.next(1, MORE, 4, 0)
    badges.over(1, MORE)
    expect(badges.next(1, MORE, 5, 0)).toBe(7)
    for (let over = 0; over < 2; over++) badges.over(1, MORE)
    expect(badges.next(1, MORE, 0, 0)).toBe(1)
  })

  test('forgets after a minute what never ended', () => {
    const badges = new PendingBadges()
    badges.next(1, MORE, 4, 0)
    expect(badges.next(1, MORE, 0, 60_000)).toBe(1)
  })

  test('is not concerned by pushes that set the badge or leave it alone', () => {
    const badges = new PendingBadges()
    badges.next(1, MORE, 4, 0)
    expect(badges.next(1, { set: 9 }, 4, 0)).toBe(9)
    badges.over(1, { set: 9 })
    badges.over(1, null)
    expect(badges.next(1, MORE, 4, 0)).toBe(6)
  })

  test('whatever the order of answers, the last one sent shows the sum of all', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1 }), (endsAtOnce) => {
        const badges = new PendingBadges()
        let stored = 0
        let shown = 0
        for (const ends of endsAtOnce) {
          shown = badges.next(1, MORE, stored, 0)
          if (!ends) continue
          stored++
          badges.over(1, MORE)
        }
        expect(shown).toBe(endsAtOnce.length)
      }),
    )
  })
})
