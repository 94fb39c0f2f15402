import { HOUR_MS } from '../../clock.ts'

/** An IANA name; `null`: unknown, which counts as UTC. */
export type Zone = string | null

/** Zones where the time had passed longer ago when a push was accepted don't get it. */
export const LATE_MS = HOUR_MS

/**
 * When clocks in `zone` show `wall` (`2026-12-24T09:00`). A skipped time is as much later as clocks skip; a repeated
 * one is the first (RFC 5545, 3.3.5).
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

/** Every moment, in order, at which clocks somewhere show `wall`. */
export function wavesOf(wall: string, acceptedAt: number, earliest: number): number[] {
  const zones: Zone[] = [null, ...Intl.supportedValuesOf('timeZone')]
  const moments = zones.map((zone) => momentIn(wall, zone)).filter((moment) => moment >= acceptedAt - LATE_MS)
  return [...new Set(moments.map((moment) => Math.max(moment, earliest)))].sort((a, b) => a - b)
}

/** Too long before `at` for devices in `zone` to get the push. */
export function hasPassed(wall: string, zone: Zone, at: number): boolean {
  return momentIn(wall, zone) < at - LATE_MS
}

/** `null`: its time had passed at `acceptedAt`. A zone that was unknown when the waves were made has one too. */
export function waveIn(wall: string, zone: Zone, waves: readonly number[], acceptedAt: number): number | null {
  if (hasPassed(wall, zone, acceptedAt)) return null
  const moment = momentIn(wall, zone)
  return waves.find((wave) => wave >= moment) ?? waves.at(-1) ?? null
}
