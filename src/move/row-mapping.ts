import type { Audience, Filter, Missed, Unsent } from '../audience/filter.ts'
import type { WaveAudience } from '../audience/stored-audience.ts'
import type { Value } from '../database/statement.ts'
import type { LocalValue, MovedTable, Numbered } from './moved-tables.ts'

/** JSON form of a value; bytes become a list with one base64 string. */
export type Cell = string | number | null | readonly [base64: string]

/** Devices in a row of `accepted_device`. Shifts are multiples of it, so that bits keep their places. */
export const BLOCK = 512

/** How rows differ on the other server. */
export interface Mapping {
  /** `application.number` there. */
  readonly application: number
  /** Added to each number. */
  readonly shifts: Readonly<Record<Numbered, number>>
  /** Highest number on the old server. */
  readonly highest: Readonly<Record<Numbered, number>>
  /** Added to times in service time. */
  readonly aheadMs: number
  readonly reseal: (sealed: Uint8Array, of: readonly [string, string]) => Uint8Array
}

export function cellFrom(value: Value): Cell {
  return value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value
}

/** Maps a row, in the order of `columns`, to the new server. Throws a `RangeError` for rows that no server sends. */
export function createRowMapping(
  { name, local, waits, sealedFor }: MovedTable,
  columns: readonly string[],
  id: string,
  mapping: Mapping,
): (cells: readonly Cell[]) => Value[] {
  const { shifts, highest, aheadMs } = mapping
  const isLookedAt = waits !== undefined || sealedFor !== undefined
  const kinds = columns.map((column) => local[column] ?? null)

  function numbered(kind: Numbered, value: Value): number {
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    // Numbers start at 1. `push.takes_back` uses 0 for a withdrawal that no list shows.
    if (value === 0) return 0
    if (isNumber && value <= highest[kind]) return value + shifts[kind]
    throw new RangeError(`${name} has a ${kind} that the application cannot have`)
  }

  const timed = <T extends { readonly stayedSince?: number }>(turn: T): T =>
    turn.stayedSince === undefined ? turn : { ...turn, stayedSince: turn.stayedSince + aheadMs }

  function unsentThere({ ranges, turn, platform }: Unsent): Unsent {
    return { platform, ranges: rangesThere(ranges), ...(turn !== undefined && { turn: timed(turn) }) }
  }

  function missedThere({ pushes, unsent, ...kept }: Missed): Missed {
    return {
      ...kept,
      pushes: pushes.map((push) => numbered('push', push)),
      ...(unsent !== undefined && { unsent: unsent.map(unsentThere) }),
    }
  }

  function filterThere(filter: Filter): Filter {
    const { devices, missed, reached } = filter
    return {
      ...timed(filter),
      ...(devices !== undefined && { devices: devices.map((device) => numbered('device', device)) }),
      ...(missed !== undefined && { missed: missedThere(missed) }),
      ...(reached !== undefined && { reached: missedThere(reached) }),
    }
  }

  function audienceThere(audience: Audience | WaveAudience): Audience | WaveAudience {
    if ('turn' in audience) return { turn: timed(audience.turn) }
    if ('device' in audience) return { ...audience, device: numbered('device', audience.device) }
    const { letGoAt } = audience
    return {
      ...audience,
      filter: filterThere(audience.filter),
      ...(letGoAt !== undefined && { letGoAt: letGoAt + aheadMs }),
    }
  }

  function rangesThere(ranges: readonly (readonly [number, number])[]): [number, number][] {
    return ranges.map(([from, to]) => [from + shifts.device, to + shifts.device])
  }

  function valueThere(kind: LocalValue, value: Value, row: Readonly<Record<string, Value>>): Value {
    if (kind === 'application') return mapping.application
    if (value === null) return null
    switch (kind) {
      case 'time':
        return waits === undefined || waits(row) ? Number(value) + aheadMs : value
      case 'position':
        return Number(value) + shifts.device
      case 'block':
        return Number(value) + shifts.device / BLOCK
      case 'sealed':
        return mapping.reseal(value as Uint8Array, sealedFor?.(row, id) ?? ['', ''])
      case 'audience':
        return JSON.stringify(audienceThere(JSON.parse(String(value))))
      case 'ranges':
        return JSON.stringify(rangesThere(JSON.parse(String(value))))
      case 'devices':
        return JSON.stringify((JSON.parse(String(value)) as number[]).map((device) => numbered('device', device)))
      case 'device':
      case 'label':
      case 'push':
      case 'event':
      case 'hook':
      case 'hook_call':
        return numbered(kind, value)
    }
  }

  return (cells) => {
    const values = cells.map((cell): Value =>
      Array.isArray(cell) ? Buffer.from(String(cell[0]), 'base64') : (cell as Value),
    )
    const row = isLookedAt ? Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])) : {}
    return kinds.map((kind, at) => (kind === null ? (values[at] ?? null) : valueThere(kind, values[at] ?? null, row)))
  }
}
