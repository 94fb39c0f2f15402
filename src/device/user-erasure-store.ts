import type { Database } from '../database/database.ts'
import type { StoredRow, device } from '../database/schema.ts'

/** A device of a user who is to be forgotten, in whatever state; its alias also where it has left with it. */
export type ForgottenDevice = Pick<StoredRow<typeof device>, 'id' | 'platform' | 'token' | 'alias'>

/** Finds the devices of a user, and erases them. To be called inside a transaction. */
export function createUserErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const some = database.statement<ForgottenDevice, [application: number, user: string, limit: number]>(
    `SELECT id, platform, token, coalesce(d.alias, (SELECT alias FROM left_device WHERE device = d.id)) AS alias
     FROM device d INDEXED BY device_by_user WHERE application = ? AND user = ? LIMIT ?`,
  )
  const forget = database.statement<never, [application: number, platform: number, token: string | Uint8Array]>(
    'DELETE FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const erase = database.statement<never, [device: number, user: string]>(
    'DELETE FROM device WHERE id = ? AND user = ?',
  )

  return {
    /** Some of the devices, `limit` at the most. */
    some: (application: number, user: string, limit: number): ForgottenDevice[] => some.all(application, user, limit),

    /**
     * Erases those of the devices that the user still has, with labels and what was kept of them, and what gateways have
     * said of their tokens; how many there were.
     */
    erase(application: number, user: string, devices: readonly ForgottenDevice[]): number {
      let erased = 0
      for (const { id, platform, token } of devices) {
        if (erase.run(id, user).changes === 0) continue
        erased++
        forget.run(application, platform, token)
      }
      return erased
    },
  }
}
