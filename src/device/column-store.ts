import { DAY_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, device } from '../database/schema.ts'
import type { Value } from '../database/statement.ts'
import { PLAIN, plainAfter, storedOf } from './columns.ts'
import type { PlainChanges, PlainName, PlainValues } from './columns.ts'
import { cellOf } from './index/place.ts'

/** Degrees; both or neither. */
export interface DevicePlace {
  readonly lat: number | null
  readonly lng: number | null
}

/** A new device's columns, besides its cell and the plain ones. */
type NewRow = Omit<StoredRow<typeof device>, 'id' | 'moved_at' | 'cell' | PlainName>

/** In the order of `insert`. */
const INSERTED =
  'application, platform, state, environment, token, alias, lat, lng, badge, registered_at, seen_at, updated_at, imported, cell'

/** A push by local time runs for little more than a day, from Kiritimati to Niue. */
const LOOKS_MS = [-2 * DAY_MS, 0, 2 * DAY_MS]

/** An update names only columns that changed: SQLite would rewrite other indexes at every app launch. */
export function createColumnStore({ database, clock }: { database: Pick<Database, 'statement'>; clock: Clock }) {
  const columns = `${INSERTED}, ${PLAIN.join()}`
  const insert = database.statement<never, Value[]>(
    `INSERT INTO device (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`,
  )
  const plain = new Map(
    PLAIN.map((name) => [
      name,
      database.statement<never, [Value, device: number]>(`UPDATE device SET ${name} = ? WHERE id = ?`),
    ]),
  )
  const setPlace = database.statement<never, [lat: number | null, lng: number | null, device: number]>(
    'UPDATE device SET lat = ?, lng = ? WHERE id = ?',
  )
  const setCell = database.statement<never, [cell: number | null, device: number]>(
    'UPDATE device SET cell = ? WHERE id = ?',
  )
  const movedAt = database.statement<{ moved_at: number | null }, [device: number]>(
    'SELECT moved_at FROM device WHERE id = ?',
  )
  const setMovedAt = database.statement<never, [at: number | null, device: number]>(
    'UPDATE device SET moved_at = ? WHERE id = ?',
  )

  function set(device: number, name: PlainName, from: string | null, to: string | null): void {
    // The trigger `device_moved` dates a move by `updated_at`. A zone with the same clock is no move.
    const before = name === 'timezone' && isSameClock(from, to, clock.now()) ? movedAt.get(device) : null
    plain.get(name)?.run(storedOf(name, to), device)
    if (before !== null) setMovedAt.run(before.moved_at, device)
  }

  return {
    /** Returns the new `device.id`. */
    insert(row: NewRow, values: PlainValues): number {
      const { lastInsertRowid } = insert.run(
        row.application,
        row.platform,
        row.state,
        row.environment,
        row.token,
        row.alias,
        row.lat,
        row.lng,
        row.badge,
        row.registered_at,
        row.seen_at,
        row.updated_at,
        row.imported,
        cellAt(row),
        ...PLAIN.map((name) => storedOf(name, values[name])),
      )
      return Number(lastInsertRowid)
    },

    /** Returns the new values. Write `updated_at` first: it dates a move. */
    change(device: number, had: PlainValues, said: PlainChanges): PlainValues {
      // Most launches change nothing.
      if (PLAIN.every((name) => said[name] === undefined || (said[name] || null) === had[name])) return had
      const values = plainAfter(said, had)
      for (const name of PLAIN) if (values[name] !== had[name]) set(device, name, had[name], values[name])
      return values
    },

    /** Most launches report a place in the same cell, which has an index. */
    move(device: number, from: DevicePlace, to: DevicePlace): void {
      if (from.lat === to.lat && from.lng === to.lng) return
      setPlace.run(to.lat, to.lng, device)
      const cell = cellAt(to)
      if (cell !== cellAt(from)) setCell.run(cell, device)
    },
  }
}

/** `null`: unknown place. */
function cellAt({ lat, lng }: DevicePlace): number | null {
  return lat === null || lng === null ? null : cellOf(lat, lng)
}

/** Compares both zones at `now` and two days before and after. */
function isSameClock(one: string | null, other: string | null, now: number): boolean {
  return LOOKS_MS.every((ms) => offsetIn(one, now + ms) === offsetIn(other, now + ms))
}

/** Nanoseconds. No zone, or one that this runtime does not know, counts as UTC. */
function offsetIn(zone: string | null, at: number): number {
  try {
    return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone ?? 'UTC').offsetNanoseconds
  } catch (error) {
    if (error instanceof RangeError) return 0
    throw error
  }
}
