import { logChanges } from '../database/change-log-store.ts'
import type { ChangeLog } from '../database/change-log-store.ts'
import type { Database } from '../database/database.ts'
import { STATE } from './device-row.ts'
import type { PackedToken, Platform } from './device.ts'

export interface DeviceChange {
  readonly application: number
  readonly platform: Platform
  readonly token: PackedToken
  readonly at: number
  /** The gateway's word for a device that is gone; `null`: it is new. */
  readonly reason: string | null
  /** No APNs environment knows the token, which may be a mistake; else the app is gone. */
  readonly quarantined: 0 | 1
}

/** New devices, and those that a gateway reported as gone. */
export function logDeviceChanges({ database }: { readonly database: Database }): ChangeLog<DeviceChange> {
  const gone = { table: 'feedback', values: 'new.application, new.platform, new.token, new.at, new.reason' }
  return logChanges(
    database,
    'application, platform, token, at, reason',
    [
      {
        table: 'device',
        on: 'insert',
        when: `new.state = ${STATE.registered}`,
        values: 'new.application, new.platform, new.token, new.registered_at, NULL',
      },
      { ...gone, on: 'insert' },
      { ...gone, on: 'update' },
    ],
    `SELECT c.*, reason IS NOT NULL AND EXISTS (
       SELECT 1 FROM device d WHERE d.application = c.application AND d.platform = c.platform AND d.token = c.token
         AND d.state = ${STATE.quarantined}) AS quarantined
     FROM changes c ORDER BY n`,
  )
}
