import { DAY_MS } from '../clock.ts'
import { isoTime } from '../text/format.ts'

/** Calendar day or month, UTC. */
export type QuotaPeriod = 'day' | 'month'

/** From `startsAt` to before `endsAt`. */
export interface Period {
  /** '2026-11-20' or '2026-11'. */
  readonly name: string
  readonly startsAt: number
  readonly endsAt: number
}

/** The running one included. */
const KEPT = { day: 62, month: 13 } as const

export function periodAt(kind: QuotaPeriod, now: number): Period {
  const iso = isoTime(now)
  if (kind === 'day') {
    const startsAt = Math.floor(now / DAY_MS) * DAY_MS
    return { name: iso.slice(0, 10), startsAt, endsAt: startsAt + DAY_MS }
  }
  return { name: iso.slice(0, 7), startsAt: monthStart(now, 0), endsAt: monthStart(now, 1) }
}

/** Rounded up. */
export function secondsToEnd(period: Period, now: number): number {
  return Math.ceil((period.endsAt - now) / 1000)
}

export function oldestKept(kind: QuotaPeriod, now: number): string {
  const start = kind === 'day' ? now - (KEPT.day - 1) * DAY_MS : monthStart(now, 1 - KEPT.month)
  return periodAt(kind, start).name
}

function monthStart(now: number, monthsLater: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1)
}
