import type { Database } from '../database/database.ts'
import { FCM_PLATFORM } from './device-row.ts'
import { packToken } from './device.ts'
import type { FcmPlatform, PackedToken } from './device.ts'

/** Only devices of FCM are looked up here. */
const FCM = 1

/** What stands behind tokens of FCM. To be called inside a transaction. */
export function createFcmPlatformStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const set = database.statement<never, [stored: number, device: number]>(
    'UPDATE device SET fcm_platform = ? WHERE id = ?',
  )
  const learn = database.statement<never, [stored: number, now: number, device: number, token: PackedToken]>(
    `UPDATE device SET fcm_platform = ?, updated_at = max(updated_at, ?)
     WHERE id = ? AND token = ? AND fcm_platform IS NULL`,
  )

  return {
    /** What the app says of its device. */
    set(device: number, platform: FcmPlatform): void {
      set.run(FCM_PLATFORM[platform], device)
    },

    /** Apple has answered for the token, through FCM: it is of an iPhone, unless the app says otherwise. */
    learnIphone(device: number, token: string, now: number): void {
      learn.run(FCM_PLATFORM.ios, now, device, packToken(token, FCM))
    },
  }
}
