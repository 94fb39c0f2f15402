import type { Database } from '../../database/database.ts'
import type { StoredRow, adoptedToken } from '../../database/schema.ts'
import { DEVICE_COLUMNS, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import type { PackedToken, Platform } from '../device.ts'
import type { FoundRow } from './device-lookup-store.ts'
import type { Registration } from './registration.ts'

/** A person has few devices; an app may give thousands the user "guest". */
const MAX_CANDIDATES = 100

/** An imported token, replaced `at`. */
export type AdoptedToken = Pick<StoredRow<typeof adoptedToken>, 'token' | 'at'>

/**
 * The imported token may not be the app's: a Firebase app inside it, such as OneSignal's SDK, has its own FCM token
 * (firebase-android-sdk, "FCM Tokens may change").
 */
export function createAdoptionStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  // Sorted below: mostly no row exists. Finding that out takes 0.6 µs, or 3 to 20 with ORDER BY (measured).
  const candidates = database.statement<DeviceRow, [number, user: string, Platform, before: number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device INDEXED BY device_to_adopt
     WHERE application = ? AND user = ? AND platform = ? AND imported = 1 AND id < ? LIMIT ${MAX_CANDIDATES}`,
  )
  const count = database.statement<{ count: number }, [application: number]>(
    `SELECT count(*) AS count FROM device INDEXED BY device_to_adopt
     WHERE application = ? AND user IS NOT NULL AND imported = 1`,
  )
  const adopted = database.statement<{ device: number }, [number, Platform, PackedToken]>(
    'SELECT device FROM adopted_token WHERE application = ? AND platform = ? AND token = ?',
  )
  const note = database.statement<never, [device: number, number, Platform, PackedToken, at: number]>(
    'INSERT OR REPLACE INTO adopted_token (device, application, platform, token, at) VALUES (?, ?, ?, ?, ?)',
  )

  const isAdopted = (application: number, platform: Platform, token: PackedToken) =>
    adopted.get(application, platform, token) !== null

  return {
    /**
     * The imported device that a registration replaces: same user and platform; registered before left, then seen last.
     * `null`: none, or the registering device keeps its row, because it was imported, has a user, or has the lower id:
     * a push under way could reach it under both.
     */
    find(
      application: number,
      { user, platform }: Registration,
      token: PackedToken,
      { kept, gone }: Pick<FoundRow, 'kept' | 'gone'>,
    ): DeviceRow | null {
      if (!user) return null
      const known = kept ?? gone
      if (known !== null && known.imported !== null) return null
      if (kept !== null && kept.user !== null) return null
      const rows = candidates.all(application, user, platform, kept?.id ?? Number.MAX_SAFE_INTEGER)
      const [first] = rows.toSorted(
        (a, b) => Number(isAway(a)) - Number(isAway(b)) || b.seen_at - a.seen_at || a.id - b.id,
      )
      return first === undefined || isAdopted(application, platform, token) ? null : first
    },

    /** Imported devices with a user that have not registered. */
    count: (application: number): number => count.get(application)?.count ?? 0,

    isAdopted,

    note(application: number, { id, platform, token }: Pick<DeviceRow, 'id' | 'platform' | 'token'>, at: number): void {
      note.run(id, application, platform, token, at)
    },
  }
}

function isAway({ state }: DeviceRow): boolean {
  return state !== STATE.registered
}
