import type { Database } from '../../database/database.ts'
import { OF_FCM } from '../../platform.ts'
import { DEVICE_COLUMNS, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import { packToken } from '../device.ts'
import type { PackedToken, Platform } from '../device.ts'
import { installationOf, isInstallationId } from '../push-token.ts'

/** A device by the address that a registration has. */
interface Addressed {
  readonly token: string
  readonly platform: Platform
}

/**
 * Installations of apps with Firebase's SDK, each of which has two addresses: a Firebase Installation ID, and a
 * registration token that begins with that ID and a colon. An app that changes from one to the other is the same device.
 */
export function createInstallationStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const byId = database.statement<DeviceRow, [application: number, platform: number, id: PackedToken]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND platform = ? AND token = ?`,
  )
  // The one character after the colon in ASCII is the semicolon, so this is every token that begins so.
  const byPrefix = database.statement<DeviceRow, [application: number, platform: number, id: string]>(
    `SELECT ${DEVICE_COLUMNS} FROM device
     WHERE application = ?1 AND platform = ?2 AND token >= ?3 || ':' AND token < ?3 || ';'
     ORDER BY state <> ${STATE.registered}, seen_at DESC LIMIT 1`,
  )

  return {
    /** The device registered under the other address of the same installation, in any state; `null` if there is none. */
    twinOf(application: number, { token, platform }: Addressed): DeviceRow | null {
      if (!OF_FCM.has(platform)) return null
      if (isInstallationId(token)) return byPrefix.get(application, platform, token)
      const id = installationOf(token)
      return id === null ? null : byId.get(application, platform, packToken(id, platform))
    },
  }
}
