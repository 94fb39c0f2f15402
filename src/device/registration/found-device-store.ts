import type { Database } from '../../database/database.ts'
import { COLUMNS_BUT_TOKEN, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import type { PackedToken, Platform } from '../device.ts'

/** What is found under the token of a registration. */
export interface FoundRow {
  readonly kind: 'created' | 'updated'
  /** The row to update. */
  readonly kept: KnownRow | null
  /** The row of a device to erase first. */
  readonly gone: KnownRow | null
}

/** Of a device whose token the registration says. */
export type KnownRow = Omit<DeviceRow, 'token'>

/** Devices that are there when they register. */
export function createFoundDeviceStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const byToken = database.statement<KnownRow, [application: number, platform: number, PackedToken]>(
    `SELECT ${COLUMNS_BUT_TOKEN} FROM device WHERE application = ? AND platform = ? AND token = ?`,
  )
  // What an index has is not named here: that would rewrite the index on every launch of every app.
  const touch = database.statement<never, [number, number, device: number]>(
    'UPDATE device SET seen_at = ?, updated_at = ? WHERE id = ?',
  )
  const revive = database.statement<never, [device: number]>(
    `UPDATE device SET state = ${STATE.registered}, environment = NULL WHERE id = ?`,
  )
  const erase = database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?')

  return {
    /** Looks for the row that a registration updates, and how the registration counts. */
    lookUp(application: number, platform: Platform, token: PackedToken): FoundRow {
      const row = byToken.get(application, platform, token)
      if (row === null) return { kind: 'created', kept: null, gone: null }
      // A device that is gone is registered anew: nothing of it is kept.
      if (row.state === STATE.gone) return { kind: 'created', kept: null, gone: row }
      return { kind: row.state === STATE.registered ? 'updated' : 'created', kept: row, gone: null }
    },

    /** `now`: ms since the Unix epoch. Who was quarantined is registered again. */
    touch(row: Pick<DeviceRow, 'id' | 'state'>, now: number): void {
      touch.run(now, now, row.id)
      if (row.state !== STATE.registered) revive.run(row.id)
    },

    erase: (device: number): void => void erase.run(device),
  }
}
