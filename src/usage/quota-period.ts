import { DAY_MS } from '../clock.ts'
import { isoTime } from '../text/format.ts'

/** A calendar day or month, UTC (test/api/http/admission.test.ts). */
export type QuotaPeriod = 'day' | 'month'

/** One day or month. It has begun at `startsAt` and is over at `endsAt` (milliseconds since the Unix epoch). */
export interface Period {
  /** '2026-11-20' or '2026-11'. */
  readonly name: string
  readonly startsAt: number
  readonly endsAt: number
}

/** Counts are kept for two months of days, and for a year of months and the one that runs. */
const KEPT = { day: 62, month: 13 } as const

/** The period that `now` (milliseconds since the Unix epoch) lies in. */
export function periodAt(kind: QuotaPeriod, now: number): Period {
  const iso = isoTime(now)
  if (kind === 'day') {
    const startsAt = Math.floor(now / DAY_MS) * DAY_MS
    return { name: iso.slice(0, 10), startsAt, endsAt: startsAt + DAY_MS }
  }
  return { name: iso.slice(0, 7), startsAt: monthStart(now, 0), endsAt: monthStart(now, 1) }
}

/** Seconds to the end of the period, rounded up; at least 1 while `now` lies in it. */
export function secondsToEnd(period: Period, now: number): number {
  return Math.ceil((period.endsAt - now) / 1000)
}

/** The name of the first period that is still kept at `now`: 62 days or 13 months, the running one included. */
export function oldestKept(kind: QuotaPeriod, now: number): string {
  const start = kind === 'day' ? now - (KEPT.day - 1) * DAY_MS : monthStart(now, 1 - KEPT.month)
  return periodAt(kind, start).name
}

function monthStart(now: number, monthsLater: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1)
}
