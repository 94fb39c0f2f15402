import type { Point } from './slope.ts'
import { courseOf, trendOf, trendTable } from './trend.ts'
import { liveDays } from './year.ts'

const DAYS = 365

/** The longest that anything is kept which is kept for a time is 90 days; then some, until files are as they stay. */
const FULL_AFTER_DAYS = 110

/** What is kept for good: a row a day of /analytics, and one a month of the quota. */
const KEPT = new Set(['tally', 'quota'])

/** Days are hours in the trends: what grows in an hour is what grows in a day. */
const HOUR_MS = 3_600_000

/** A year of housekeeping by a clock that is put forward; resolves with what grows that should not. */
export async function runYear(say: (line: string) => void): Promise<readonly string[]> {
  const began = performance.now()
  const { rows, file, used } = await liveDays(DAYS, (day) => {
    if (day % 30 === 29) say(`day ${day + 1}, after ${Math.round((performance.now() - began) / 1000)} s`)
  })
  const figures = [
    ...Array.from(rows, ([table, points]) => ({ name: `rows of ${table}`, unit: '', points, kept: KEPT.has(table) })),
    { name: 'file', unit: 'MB', points: file, kept: false },
    { name: 'in use', unit: 'MB', points: used, kept: false },
  ].filter(({ points }) => points.some(({ value }) => value > 1))
  const trends = figures.flatMap(({ kept, points, ...figure }) => {
    const trend = trendOf({ ...figure, points: lateIn(points), share: kept ? Number.POSITIVE_INFINITY : 0.02 })
    return trend === null ? [] : [trend]
  })
  say(
    `\n${DAYS} days; from day ${FULL_AFTER_DAYS} on, after ${Math.round((performance.now() - began) / 1000)} s:\n\n${trendTable(trends, 'a day')}`,
  )
  return trends.filter(({ grows }) => grows).map(courseOf)
}

function lateIn(points: readonly Point[]): readonly Point[] {
  return points.filter(({ at }) => at >= FULL_AFTER_DAYS).map(({ at, value }) => ({ at: at * HOUR_MS, value }))
}
