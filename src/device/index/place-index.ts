import type { Database } from '../../database/database.ts'
import { cellOf } from './place.ts'

/** Degrees; both or neither. */
export interface DevicePlace {
  readonly lat: number | null
  readonly lng: number | null
}

export type PlaceIndex = ReturnType<typeof createPlaceIndex>

/** Where devices are. To be called inside a transaction. */
export function createPlaceIndex({ database }: { database: Pick<Database, 'statement'> }) {
  const setPlace = database.statement<never, [lat: number | null, lng: number | null, device: number]>(
    'UPDATE device SET lat = ?, lng = ? WHERE id = ?',
  )
  const setCell = database.statement<never, [cell: number | null, device: number]>(
    'UPDATE device SET cell = ? WHERE id = ?',
  )

  return {
    /** The index is written only where the cell changes: an app that tells its place on every launch seldom leaves it. */
    move(device: number, from: DevicePlace, to: DevicePlace): void {
      if (from.lat === to.lat && from.lng === to.lng) return
      setPlace.run(to.lat, to.lng, device)
      const cell = cellAt(to)
      if (cell !== cellAt(from)) setCell.run(cell, device)
    },
  }
}

/** `device.cell`; `null` where the place is not known. */
export function cellAt({ lat, lng }: DevicePlace): number | null {
  return lat === null || lng === null ? null : cellOf(lat, lng)
}
