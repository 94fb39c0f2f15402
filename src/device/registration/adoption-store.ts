import type { Database } from '../../database/database.ts'
import type { StoredRow, adoptedToken, device } from '../../database/schema.ts'
import { DEVICE_COLUMNS, STATE } from '../device-row.ts'
import type { DeviceRow } from '../device-row.ts'
import type { PackedToken, Platform } from '../device.ts'
import type { FoundRow } from './found-device-store.ts'
import type { Registration } from './registration.ts'

/**
 * How many imported devices of one user are looked at. A person has a few; thousands have one user where an app calls all
 * who are not signed in the same.
 */
const MAX_CANDIDATES = 100

type Candidate = DeviceRow & Pick<StoredRow<typeof device>, 'seen_at'>

/** A token that came by an import, and since when (ms since the Unix epoch) another one has its place. */
export type AdoptedToken = Pick<StoredRow<typeof adoptedToken>, 'token' | 'at'>

/**
 * Imported devices that have not registered by themselves, and registrations that take their place. The token of the list
 * need not be the one that the app has: a Firebase app within an app, such as OneSignal's SDK, has a token of its own at
 * FCM (firebase-android-sdk, "FCM Tokens may change"). To be called inside a transaction.
 */
export function createAdoptionStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  // Put in order below: nearly always there is none, and a query with an order of its own takes 3 to 20 µs to say so,
  // this one 0.6 (measured).
  const candidates = database.statement<Candidate, [number, user: string, Platform, before: number]>(
    `SELECT ${DEVICE_COLUMNS}, seen_at FROM device INDEXED BY device_to_adopt
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
     * The imported device whose place a registration takes: of those of its user and platform a registered one before
     * one that has left, and the one seen last. `null`: there is none, or the registration is of a device that keeps its
     * own place: it was imported itself, has a user already, or came before the imported one, whose row a push that is
     * under way may reach after its own.
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

    /** How many devices of users have been imported and not registered by themselves: reads all of them from an index. */
    count: (application: number): number => count.get(application)?.count ?? 0,

    /** Whether the token came by an import, and another one of the same user has its place. */
    isAdopted,

    /** Notes the token of an imported device, whose place another one has from `at` (ms since the Unix epoch) on. */
    note(application: number, { id, platform, token }: Pick<DeviceRow, 'id' | 'platform' | 'token'>, at: number): void {
      note.run(id, application, platform, token, at)
    },
  }
}

function isAway({ state }: Candidate): boolean {
  return state !== STATE.registered
}
