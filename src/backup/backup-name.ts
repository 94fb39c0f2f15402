import { isoTime } from '../text/format.ts'

/** `bellhop-2026-11-21T120000Z.db`: sorts by time, and is valid on every file system and in every bucket. */
export function backupNameAt(ms: number): string {
  return `bellhop-${stampOf(ms)}.db`
}

/** `2026-11-21T120000Z` */
export function stampOf(ms: number): string {
  return `${isoTime(ms).slice(0, 19).replaceAll(':', '')}Z`
}

/** `null`: not one of our names. */
export function timeInName(name: string): number | null {
  const [, day, hour, minute, second] = /^bellhop-(\d{4}-\d{2}-\d{2})T(\d{2})(\d{2})(\d{2})Z\.db$/.exec(name) ?? []
  const ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(ms) ? null : ms
}

/**
 * The names beyond the newest `keep`, oldest first; only our own. One in the future comes from a wrong clock: it counts
 * as old, or it would outlive all later ones.
 */
export function surplusOf(names: readonly string[], keep: number, now: number): string[] {
  const own = names.filter((name) => timeInName(name) !== null).toSorted()
  const isPast = (name: string) => (timeInName(name) ?? 0) <= now
  const byAge = [...own.filter((name) => !isPast(name)), ...own.filter(isPast)]
  return byAge.slice(0, Math.max(0, own.length - keep))
}

/** `null`: there is none. A time in the future comes from a wrong clock, and must not delay the next backup. */
export function lastTimeOf(names: readonly string[], now: number): number | null {
  const newest = newestOf(names, now)
  return newest === null ? null : timeInName(newest)
}

/** Ignores names in the future, likewise. */
export function newestOf(names: readonly string[], now: number): string | null {
  return (
    names
      .filter((name) => (timeInName(name) ?? Number.POSITIVE_INFINITY) <= now)
      .toSorted()
      .at(-1) ?? null
  )
}
