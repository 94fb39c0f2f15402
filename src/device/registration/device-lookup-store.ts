import type { Database } from '../../database/database.ts'
import { OF_FCM } from '../../platform.ts'
import { COLUMNS_BUT_TOKEN, DEVICE_COLUMNS, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken } from '../device.ts'
import type { PackedToken, Platform } from '../device.ts'
import { installationOf, isInstallationId } from '../push-token.ts'

export interface FoundRow {
  readonly kind: 'created' | 'updated'
  readonly kept: KnownRow | null
  /** Erase this row first. */
  readonly gone: KnownRow | null
}

export type KnownRow = Omit<DeviceRow, 'token'>

export function createDeviceLookup({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const known = database.statement<KnownRow, [application: number, platform: number, PackedToken]>(
    `SELECT ${COLUMNS_BUT_TOKEN} FROM device WHERE application = ? AND platform = ? AND token = ?`,
  )
  const byToken = database.statement<DeviceRow, [application: number, platform: number, PackedToken]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND platform = ? AND token = ?`,
  )
  // In ASCII `;` follows `:`, so this range is every token that begins with the ID and a colon.
  const byPrefix = database.statement<DeviceRow, [application: number, platform: number, id: string]>(
    `SELECT ${DEVICE_COLUMNS} FROM device
     WHERE application = ?1 AND platform = ?2 AND token >= ?3 || ':' AND token < ?3 || ';'
     ORDER BY state <> ${STATE.registered}, seen_at DESC LIMIT 1`,
  )
  // Names no indexed column: SQLite would rewrite its index at every app launch.
  const touch = database.statement<never, [number, number, device: number]>(
    'UPDATE device SET seen_at = ?, updated_at = ? WHERE id = ?',
  )
  const comeBack = database.statement<never, [device: number]>(
    `UPDATE device SET state = ${STATE.registered}, environment = NULL WHERE id = ?`,
  )
  const revive = database.statement<never, [now: number, device: number]>(
    `UPDATE device SET state = ${STATE.registered}, updated_at = ? WHERE id = ?`,
  )
  const erase = database.statement<never, [device: number]>('DELETE FROM device WHERE id = ?')

  return {
    lookUp(application: number, platform: Platform, token: PackedToken): FoundRow {
      const row = known.get(application, platform, token)
      if (row === null) return { kind: 'created', kept: null, gone: null }
      // A gone device registers as a new one.
      if (row.state === STATE.gone) return { kind: 'created', kept: null, gone: row }
      return { kind: row.state === STATE.registered ? 'updated' : 'created', kept: row, gone: null }
    },

    byToken: (application: number, platform: Platform, token: PackedToken): DeviceRow | null =>
      byToken.get(application, platform, token),

    /**
     * The installation's other address, in any state. Firebase's SDK gives an app two: a Firebase Installation ID, and
     * a registration token that begins with that ID and a colon.
     */
    twinOf(application: number, { token, platform }: { token: string; platform: Platform }): DeviceRow | null {
      if (!OF_FCM.has(platform)) return null
      if (isInstallationId(token)) return byPrefix.get(application, platform, token)
      const id = installationOf(token)
      return id === null ? null : byToken.get(application, platform, packToken(id, platform))
    },

    /** Registers a quarantined device again. */
    touch(row: Pick<DeviceRow, 'id' | 'state'>, now: number): void {
      touch.run(now, now, row.id)
      if (row.state !== STATE.registered) comeBack.run(row.id)
    },

    /** For a gateway's mistake. */
    revive: (device: number, now: number): void => void revive.run(now, device),

    erase: (device: number): void => void erase.run(device),
  }
}
