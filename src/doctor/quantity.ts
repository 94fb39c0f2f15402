import { HOUR_MS, MINUTE_MS } from '../clock.ts'
const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `1,204 devices`, `1 device`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${GROUPED.format(count)} ${count === 1 ? one : many}`
}

/** `under 0.1 ms`, `0.4 ms`, `62 ms`, `3.1 s`. */
export function lasting(ms: number): string {
  if (ms < 0.1) return 'under 0.1 ms'
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  return ms < 999.5 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `2026-11-20`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** `a, b and c`; of more than `most` the number of the others: `a, b, c and 9 more`. */
export function listed(names: readonly string[], max = 3): string {
  const shown = names.length > max + 1 ? [...names.slice(0, max), `${names.length - max} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** `40 minutes`, `26 hours`, `12 days`: rounded down, and whole days from three on. */
export function longer(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS)
  if (hours < 1) return counted(Math.max(Math.floor(ms / MINUTE_MS), 0), 'minute')
  return hours < 72 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
}
