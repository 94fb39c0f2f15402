import { DAY_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'

/** A push by local time is under way for little more than a day, from Kiritimati to Niue. */
const LOOKS_MS = [-2 * DAY_MS, 0, 2 * DAY_MS]

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Pick<Clock, 'now'>
}

export type ZoneIndex = ReturnType<typeof createZoneIndex>

/** In which time zone devices are. To be called inside a transaction. */
export function createZoneIndex({ database, clock }: Dependencies) {
  // The trigger `device_moved` notes `updated_at` as the time of the move.
  const setTimezone = database.statement<never, [timezone: string | null, device: number]>(
    'UPDATE device SET timezone = ? WHERE id = ?',
  )
  const movedAt = database.statement<{ moved_at: number | null }, [device: number]>(
    'SELECT moved_at FROM device WHERE id = ?',
  )
  const setMovedAt = database.statement<never, [at: number | null, device: number]>(
    'UPDATE device SET moved_at = ? WHERE id = ?',
  )

  return {
    /** After `updated_at` is written. A device whose clock goes on as before has not moved: its zone has another name. */
    move(device: number, from: string | null, to: string | null): void {
      if (from === to) return
      const before = isSameClock(from, to, clock.now()) ? movedAt.get(device) : null
      setTimezone.run(to, device)
      if (before !== null) setMovedAt.run(before.moved_at, device)
    },
  }
}

/** Whether clocks in both zones show the same, at `now` (ms since the Unix epoch) and two days before and after. */
function isSameClock(one: string | null, other: string | null, now: number): boolean {
  return LOOKS_MS.every((ms) => offsetIn(one, now + ms) === offsetIn(other, now + ms))
}

/** Nanoseconds. A zone that is not known, to us or to this runtime, counts as UTC. */
function offsetIn(zone: string | null, at: number): number {
  try {
    return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone ?? 'UTC').offsetNanoseconds
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}
