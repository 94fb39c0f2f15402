import { HOUR_MS } from '../../clock.ts'

/** A time zone as devices have it: an IANA name; `null`: not known, which counts as UTC. */
export type Zone = string | null

/** Where the wall clocks showed the time longer ago than this when a push was accepted, it is not sent any more. */
export const LATE_MS = HOUR_MS

/**
 * When clocks in `zone` show `wall` (`2026-12-24T09:00`), ms since the Unix epoch. A time that they skip is as much
 * later as they skip, and of a time that they show twice it is the first (RFC 5545, 3.3.5). A zone that this runtime
 * does not know counts as UTC.
 */
export function momentIn(wall: string, zone: Zone): number {
  const local = Temporal.PlainDateTime.from(wall)
  try {
    return local.toZonedDateTime(zone ?? 'UTC', { disambiguation: 'compatible' }).epochMilliseconds
  } catch (error) {
    if (error instanceof RangeError) return local.toZonedDateTime('UTC').epochMilliseconds
    throw error
  }
}

/**
 * The waves in which a push goes around the world, in order: every moment at which clocks somewhere show `wall`. None
 * is before `earliest`, and those longer ago than `LATE_MS` at `acceptedAt` are left out. All in ms since the Unix epoch.
 */
export function wavesOf(wall: string, acceptedAt: number, earliest: number): number[] {
  const zones: Zone[] = [null, ...Intl.supportedValuesOf('timeZone')]
  const moments = zones.map((zone) => momentIn(wall, zone)).filter((moment) => moment >= acceptedAt - LATE_MS)
  return [...new Set(moments.map((moment) => Math.max(moment, earliest)))].sort((a, b) => a - b)
}

/**
 * The wave of a zone, one of `waves`; `null` where the moment had passed at `acceptedAt`. Every zone has one wave at the
 * most, also a zone that nobody knew when the waves were made.
 */
export function waveIn(wall: string, zone: Zone, waves: readonly number[], acceptedAt: number): number | null {
  const moment = momentIn(wall, zone)
  if (moment < acceptedAt - LATE_MS) return null
  return waves.find((wave) => wave >= moment) ?? waves.at(-1) ?? null
}
