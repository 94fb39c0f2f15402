import type { OverviewDay } from '../../admin/api-types/overview-types.ts'

export type DayCount = keyof Omit<OverviewDay, 'day'>

const WEEK = 7

/** `last`: the seven days up to today. `before`: the seven before. */
export function weeksOf(
  days: readonly OverviewDay[],
  name: DayCount,
): { readonly last: number; readonly before: number } {
  return { last: sumOf(days.slice(-WEEK), name), before: sumOf(days.slice(-2 * WEEK, -WEEK), name) }
}

/** `weekAgo`: the whole day; `null` if unknown. */
export function todayOf(days: readonly OverviewDay[], name: DayCount) {
  const weekAgo = days.at(-1 - WEEK)
  return { today: days.at(-1)?.[name] ?? 0, weekAgo: weekAgo?.[name] ?? null, weekAgoDay: weekAgo?.day ?? null }
}

export function sumOf(days: readonly OverviewDay[], name: DayCount): number {
  return days.reduce((total, day) => total + (day[name] ?? 0), 0)
}

/** `+12 %`, `−8 %`, `0 %`. `null`: nothing to compare with. */
export function changeOf(before: number, now: number): string | null {
  if (before === 0) return null
  const percent = Math.round((100 * (now - before)) / before)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent).toLocaleString()} %`
}

export function weekdayOf(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(undefined, { weekday: 'long', timeZone: 'UTC' })
}
