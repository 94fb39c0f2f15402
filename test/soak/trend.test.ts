import { expect, test } from 'bun:test'
import { trendOf, trendTable } from './trend.ts'

const MINUTE_MS = 60_000

const memory = (value: (minute: number) => number) => ({
  name: 'memory',
  unit: 'MB',
  share: 0.05,
  points: Array.from({ length: 120 }, (_, minute) => ({ at: minute * MINUTE_MS, value: value(minute) })),
})

test('what grows by more than its share is told with its growth in an hour', () => {
  const trend = trendOf(memory((minute) => 100 + minute / 2))
  expect(trend).toMatchObject({ highest: 159.5, grows: true })
  expect(trend?.hourly.median).toBeCloseTo(30, 6)
  expect(trendTable(trend === null ? [] : [trend])).toBe(
    '| What | Median | Highest | In an hour (95 %) | |\n| --- | --- | --- | --- | --- |\n| memory | 130 MB | 160 MB | +30 (+30 to +30) | **grows** |',
  )
})

test('what stays as it is, or swings, is flat', () => {
  expect(trendOf(memory(() => 100))).toMatchObject({ level: 100, highest: 100, grows: false })
  expect(trendOf(memory((minute) => 100 + 20 * (minute % 6)))).toMatchObject({ highest: 200, grows: false })
})

test('of a moment nothing is told', () => {
  expect(trendOf({ ...memory(() => 1), points: [{ at: 0, value: 1 }] })).toBeNull()
})
