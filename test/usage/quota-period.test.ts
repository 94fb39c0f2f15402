import { describe, expect, test } from 'bun:test'
import { oldestKept, periodAt, secondsToEnd } from '../../src/usage/quota-period.ts'

describe('a quota period', () => {
  test('is named after the calendar month or day, UTC', () => {
    const now = Date.parse('2026-11-20T23:59:59.999Z')
    expect(periodAt('month', now).name).toBe('2026-11')
    expect(periodAt('day', now).name).toBe('2026-11-20')
    expect(periodAt('day', now + 1).name).toBe('2026-11-21')
  })

  test.each([
    ['month', '2026-11-20T12:00:00Z', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['month', '2028-02-01T00:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['day', '2026-11-20T12:00:00Z', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
    ['day', '2026-12-31T00:00:00Z', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
  ] as const)('%s of %s runs from %s to %s', (kind, now, startsAt, endsAt) => {
    expect(periodAt(kind, Date.parse(now))).toMatchObject({
      startsAt: Date.parse(startsAt),
      endsAt: Date.parse(endsAt),
    })
  })

  test('ends in so many seconds, rounded up', () => {
    const now = Date.parse('2026-11-20T23:59:58.500Z')
    expect(secondsToEnd(periodAt('day', now), now)).toBe(2)
    expect(secondsToEnd(periodAt('month', now), now)).toBe(10 * 86_400 + 2)
    const last = Date.parse('2026-11-30T23:59:59.999Z')
    expect(secondsToEnd(periodAt('month', last), last)).toBe(1)
    const first = Date.parse('2026-11-01T00:00:00Z')
    expect(secondsToEnd(periodAt('month', first), first)).toBe(30 * 86_400)
  })

  test('is kept for 13 months or 62 days', () => {
    const now = Date.parse('2026-03-31T12:00:00Z')
    expect(oldestKept('month', now)).toBe('2025-03')
    expect(oldestKept('day', now)).toBe('2026-01-29')
  })
})
