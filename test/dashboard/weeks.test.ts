import { expect, test } from 'bun:test'
import { changeOf, sumOf, todayOf, weekdayOf, weeksOf } from '../../src/dashboard/client/weeks.ts'

/** `accepted` per day, up to today. */
const days = (...accepted: readonly number[]) =>
  accepted.map((each, at) => ({
    day: new Date(Date.UTC(2026, 10, 26 - accepted.length + 1 + at)).toISOString().slice(0, 10),
    addressed: each,
    accepted: each,
    opened: 0,
    received: 0,
    registered: null,
    lost: 0,
  }))

test('a week is today and the six days before, and is compared with the seven before', () => {
  const fifteen = days(1000, 1, 2, 3, 4, 5, 6, 7, 10, 20, 30, 40, 50, 60, 70)
  expect(weeksOf(fifteen, 'accepted')).toEqual({ last: 280, before: 28 })
  expect(weeksOf(days(5), 'accepted')).toEqual({ last: 5, before: 0 })
  expect(sumOf(fifteen, 'registered')).toBe(0)
})

test('today is compared with the same day of last week', () => {
  expect(todayOf(days(3, 0, 0, 0, 0, 0, 0, 9), 'accepted')).toEqual({ today: 9, weekAgo: 3, weekAgoDay: '2026-11-19' })
  expect(todayOf(days(9), 'accepted')).toEqual({ today: 9, weekAgo: null, weekAgoDay: null })
  expect(weekdayOf('2026-11-26')).toBe('Thursday')
})

test('a change is in per cent, unless there was nothing', () => {
  expect([changeOf(100, 112), changeOf(100, 92), changeOf(50, 50), changeOf(0, 9)]).toEqual([
    '+12 %',
    '−8 %',
    '0 %',
    null,
  ])
})
