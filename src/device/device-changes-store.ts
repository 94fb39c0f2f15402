import type { Database } from '../database/database.ts'
import { STATE } from './device-row.ts'
import { unpackToken } from './device.ts'
import type { Platform } from './device.ts'

export interface Newcomer {
  readonly application: number
  readonly platform: Platform
  readonly token: string
  /** Ms since the Unix epoch. */
  readonly at: number
}

export interface Departed extends Newcomer {
  readonly reason: string
  /** No APNs environment knows the token, which may be a mistake; else the app is gone. */
  readonly quarantined: boolean
}

interface Row extends Omit<Newcomer, 'token'> {
  readonly token: string | Uint8Array
}

export type DeviceChangesStore = ReturnType<typeof createDeviceChangesStore>

/** What is new in the registry. Reads by key, for a caller that asks 4 times a second. */
export function createDeviceChangesStore({ database }: { database: Pick<Database, 'reading'> }) {
  const highest = database.reading<{ id: number | null }, []>('SELECT max(id) AS id FROM device')
  const columns = 'application, platform, token, registered_at AS at'
  // The ids of one platform of an application are a range of this index.
  const since = database.reading<Row, [number, Platform, number, number, number]>(
    `SELECT ${columns} FROM device INDEXED BY device_reach
     WHERE application = ? AND platform = ? AND state = ${STATE.registered} AND id > ? AND id <= ? ORDER BY id LIMIT ?`,
  )
  const counted = database.reading<{ count: number }, [number, Platform, number, number]>(
    `SELECT count(*) AS count FROM device INDEXED BY device_reach
     WHERE application = ? AND platform = ? AND state = ${STATE.registered} AND id > ? AND id <= ?`,
  )
  const departed = database.reading<Row & { reason: string; state: number | null }, [number, number, number]>(
    `SELECT f.application, f.platform, f.token, f.reason, f.at, d.state
     FROM feedback f LEFT JOIN device d ON d.application = f.application AND d.platform = f.platform AND d.token = f.token
     WHERE f.application = ? AND f.at >= ? ORDER BY f.at LIMIT ?`,
  )
  const lastDeparture = database.reading<{ at: number | null }, [number]>(
    'SELECT max(at) AS at FROM feedback WHERE application = ?',
  )

  return {
    /** `device.id`; 0 where there is none. */
    highest: (): number => highest.get()?.id ?? 0,

    /** The first registered devices of a platform with `after` < `device.id` <= `upTo`. */
    since(application: number, platform: Platform, after: number, upTo: number, limit: number): Newcomer[] {
      const rows = since.all(application, platform, after, upTo, limit)
      return rows.map(({ token, at }) => ({ application, platform, token: unpackToken(token), at }))
    },

    countSince: (application: number, platform: Platform, after: number, upTo: number): number =>
      counted.get(application, platform, after, upTo)?.count ?? 0,

    /** The first devices that left at `since` or later, ms since the Unix epoch. */
    departed(application: number, since: number, limit: number): Departed[] {
      return departed.all(application, since, limit).map(({ platform, token, reason, at, state }) => {
        const quarantined = state === STATE.quarantined
        return { application, platform, token: unpackToken(token), reason, at, quarantined }
      })
    },

    /** When the last device left, ms since the Unix epoch; 0: never. */
    lastDeparture: (application: number): number => lastDeparture.get(application)?.at ?? 0,
  }
}
