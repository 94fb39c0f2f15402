import { expect, test } from 'bun:test'
import { ago, clock, time, ZONE } from '../../src/dashboard/components/text.ts'

test('a time has its zone, and in a table, which names the zone, it has none', () => {
  const at = '2026-11-26T09:05:00Z'
  const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')
  expect(time(at)).toEndWith(` ${zone?.value}`)
  expect(clock(at)).toMatch(/2026.*:05/)
  expect(time(at)).toStartWith(clock(at))
  expect(ZONE).not.toBe('')
  expect([time(null), clock(null)]).toEqual(['–', '–'])
})

test('how long ago a time was is told in whole minutes or hours', () => {
  const now = Date.parse('2026-11-26T12:00:00Z')
  expect([0, 59, 60, 3599, 3600, 7200].map((seconds) => ago(now - seconds * 1000, now))).toEqual([
    'just now',
    'just now',
    '1 minute ago',
    '59 minutes ago',
    '1 hour ago',
    '2 hours ago',
  ])
})
