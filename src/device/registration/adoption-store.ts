import type { Database } from '../../database/database.ts'
import type { StoredRow, adoptedToken } from '../../database/schema.ts'
import { DEVICE_COLUMNS, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import type { PackedToken, Platform } from '../device.ts'
import type { FoundRow } from './device-lookup-store.ts'
import type { Registration } from './registration.ts'

/** Imported devices of one user that are looked at. A person has a few; an app may give thousands the user "guest". */
const MAX_CANDIDATES = 100

/** A token that came by an import and was replaced `at` (ms since the Unix epoch). */
export type AdoptedToken = Pick<StoredRow<typeof adoptedToken>, 'token' | 'at'>

/**
 * Imported devices that have not registered by themselves, and registrations that replace them. The imported token need
 * not be the app's: a Firebase app inside the app, such as OneSignal's SDK, has a token of its own at FCM
 * (firebase-android-sdk, "FCM Tokens may change"). To be called inside a transaction.
 */
export function createAdoptionStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  // Sorted below: nearly always there is no row, which this says in 0.6 µs and a query with ORDER BY in 3 to 20 (measured).
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
     * The imported device that a registration replaces: of its user and platform, a registered one before one that has
     * left, then the one seen last. `null`: there is none, or the registering device keeps its own row: it was imported
     * itself, has a user already, or has the lower id, so that a push under way could reach it under both.
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

    /** Imported devices with a user that have not registered by themselves. Reads all of them from an index. */
    count: (application: number): number => count.get(application)?.count ?? 0,

    isAdopted,

    /** Notes that the token of an imported device was replaced `at`, ms since the Unix epoch. */
    note(application: number, { id, platform, token }: Pick<DeviceRow, 'id' | 'platform' | 'token'>, at: number): void {
      note.run(id, application, platform, token, at)
    },
  }
}

function isAway({ state }: DeviceRow): boolean {
  return state !== STATE.registered
}
