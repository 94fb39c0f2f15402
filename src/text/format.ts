import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'

/** Created on first use: it takes 2 ms, too long for a start. */
let groups: Intl.NumberFormat | null = null

/** `1,234,567`. */
export function grouped(count: number): string {
  groups ??= new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
  return groups.format(count)
}

/** `1 device`, `1,234 devices`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** `25.1 %`; `-` if `whole` is 0. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} %`
}

/** `3.4 s`, `2 min 5 s`, `1 h 4 min`. */
export function lasting(ms: number): string {
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
}

/** `just now`, `3 minutes ago`, `2 days ago`. */
export function ago(at: number, now: number): string {
  const ms = now - at
  for (const [unitMs, unit] of UNITS) if (ms >= unitMs) return `${counted(Math.floor(ms / unitMs), unit)} ago`
  return 'just now'
}

const UNITS = [
  [365 * DAY_MS, 'year'],
  [30 * DAY_MS, 'month'],
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
] as const

/** `40 minutes`, `26 hours`, `12 days`: rounded down, in days from three on. */
export function longTime(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS)
  if (hours < 1) return counted(Math.max(Math.floor(ms / MINUTE_MS), 0), 'minute')
  return hours < 72 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
}

/** `under 0.1 ms`, `0.4 ms`, `62 ms`, `3.1 s`. */
export function shortTime(ms: number): string {
  if (ms < 0.1) return 'under 0.1 ms'
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  return ms < 999.5 ? `${ms.toFixed(0)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
}

/** `2026-11-20T12:00:03.123Z` (ISO 8601). */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}

/** `2026-11-20`, UTC. */
export function dayOf(at: number): string {
  return isoTime(at).slice(0, 10)
}

/** `2026-11-20 12:00:03 UTC`. */
export function moment(at: number): string {
  return `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`
}

/** `a, b and c`; beyond `max`: `a, b, c and 9 more`. */
export function listed(names: readonly string[], max = 3): string {
  const shown = names.length > max + 1 ? [...names.slice(0, max), `${names.length - max} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** `a, b or c` */
export function either(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Enough to recognize a token. A browser's endpoint needs its host and end, since all begin alike. */
export function tokenPart(token: string): string {
  const [, host] = /^https:\/\/([^/]+)\//.exec(token) ?? []
  if (host !== undefined) return `${host}/…${token.slice(-SHOWN)}`
  return token.length <= SHOWN ? token : `${token.slice(0, SHOWN)}…`
}

const SHOWN = 8

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
