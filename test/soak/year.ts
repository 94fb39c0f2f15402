import type { Database } from '../../src/database/database.ts'
import { tokenOf } from '../faults/stage/crowd.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import type { Point } from './slope.ts'
import { courseOf, trendOf, trendTable } from './trend.ts'

const DAYS = 365

/** Nothing temporary is kept for longer than 90 days. After some more, files have their final size. */
const FULL_AFTER_DAYS = 110

/** Kept for good: a row a day for /analytics, and one a month for the quota. */
const KEPT = new Set(['tally', 'quota'])

/** The database at the end of each day. */
interface Year {
  /** Rows by table; `at` in days. */
  readonly rows: ReadonlyMap<string, readonly Point[]>
  /** Megabytes of the file, and of its used pages. */
  readonly file: readonly Point[]
  readonly used: readonly Point[]
}

/** A day. */
const NEWCOMERS = 20
const LEAVERS = 15
const PUSHES = 4

const HOUR_MS = 3_600_000

/** Housekeeping runs hourly: only the end of each hour is simulated. */
const LIVED_MS = 60_000

/** Resolves with unexpected growth over a year of housekeeping, by a fake clock. */
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

/** Simulates days: devices come, leave and are unregistered, pushes are sent, and expired data is erased. */
export async function liveDays(days: number, onDay: (day: number) => void): Promise<Year> {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  await using service = await startService({ clock })
  const rows = new Map<string, Point[]>()
  const [file, used]: [Point[], Point[]] = [[], []]
  for (let day = 0; day < days; day++) {
    await live(service, clock, day)
    for (const [table, value] of rowsOf(service.database)) {
      rows.set(table, [...(rows.get(table) ?? []), { at: day, value }])
    }
    const { all, free } = pagesOf(service.database)
    file.push({ at: day, value: all })
    used.push({ at: day, value: all - free })
    onDay(day)
  }
  return { rows, file, used }
}

async function live(service: Service, clock: FakeClock, day: number): Promise<void> {
  const tag = ['everybody', `day-${day}`]
  for (let n = 0; n < NEWCOMERS; n++) {
    // The gateway calls the other five gone (apns-magic-tokens.ts).
    const token = n < LEAVERS ? tokenOf(0, day, n) : `bad41000${tokenOf(0, day, n).slice(8)}`
    await service.put('/deviceToken', { token, platform: '0', tag, alias: `alias-${day}-${n}` })
  }
  for (let n = 0; n < PUSHES; n++) {
    const headers = { 'idempotency-key': `push-${day}-${n}` }
    const { body } = await service.post('/push/all', { tags: ['everybody'], msg: `Day ${day}` }, { headers })
    await service.put('/stats', { platform: '0', id: body.id, token: tokenOf(0, day, 0) })
    await until(async () => (await service.get(`/push/${body.id}`)).body.state === 'finished')
  }
  for (let n = 0; n < LEAVERS; n++) await service.put('/deviceToken/del', { token: tokenOf(0, day, n), platform: '0' })
  for (let hour = 0; hour < 24; hour++) {
    clock.standStill(HOUR_MS - LIVED_MS)
    for (let passed = 0; passed < LIVED_MS; passed += LIVED_MS / 4) {
      clock.advance(LIVED_MS / 4)
      // The answer waits for a write, so earlier work is done.
      await (await fetch(`${service.adminUrl}/readyz`)).text()
    }
  }
}

function rowsOf(database: Database): [table: string, rows: number][] {
  const tables = database.statement<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )
  return tables.all().map(({ name }) => {
    const count = database.statement<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${name}"`)
    return [name, count.get()?.rows ?? 0]
  })
}

/** In MB. */
function pagesOf(database: Database): { readonly all: number; readonly free: number } {
  const read = database.statement<{ all: number; free: number }, []>(
    `SELECT p.page_count * s.page_size / 1e6 AS "all", f.freelist_count * s.page_size / 1e6 AS free
     FROM pragma_page_count p, pragma_page_size s, pragma_freelist_count f`,
  )
  return read.get() ?? { all: 0, free: 0 }
}

/** Turns days into hours for the trends. */
function lateIn(points: readonly Point[]): readonly Point[] {
  return points.filter(({ at }) => at >= FULL_AFTER_DAYS).map(({ at, value }) => ({ at: at * HOUR_MS, value }))
}
