import type { StoredRow, device } from '../database/schema.ts'
import { unpackToken } from './device.ts'
import type { Device, DeviceState, Environment, FcmPlatform } from './device.ts'
import type { DeviceLabels } from './index/label-index.ts'

/** `device.state` in the database. */
export const STATE: Readonly<Record<DeviceState, number>> = { registered: 0, gone: 1, quarantined: 2 }

/** `device.environment` in the database. */
export const ENVIRONMENT: Readonly<Record<Environment, number>> = { production: 0, sandbox: 1 }

/** `device.fcm_platform` in the database. */
export const FCM_PLATFORM: Readonly<Record<FcmPlatform, 0 | 1>> = { android: 0, ios: 1 }

export function fcmPlatformOf(stored: number | null): FcmPlatform | null {
  return stored === null ? null : stored === FCM_PLATFORM.ios ? 'ios' : 'android'
}

export type DeviceRow = Pick<
  StoredRow<typeof device>,
  | 'id'
  | 'platform'
  | 'state'
  | 'token'
  | 'alias'
  | 'user'
  | 'lat'
  | 'lng'
  | 'badge'
  | 'timezone'
  | 'locale'
  | 'imported'
  | 'fcm_platform'
  | 'registered_at'
  | 'updated_at'
>

/** For who asks by the token, which SQLite would make anew for each row. */
export const COLUMNS_BUT_TOKEN =
  'id, platform, state, alias, user, lat, lng, badge, timezone, locale, imported, fcm_platform, registered_at, updated_at'

export const DEVICE_COLUMNS = `${COLUMNS_BUT_TOKEN}, token`

export function deviceOf(row: DeviceRow, labels: DeviceLabels): Device {
  return {
    id: row.id,
    token: unpackToken(row.token),
    platform: row.platform,
    lat: row.lat,
    lng: row.lng,
    active: labels.active,
    tag: labels.tag,
    alias: row.alias,
    user: row.user,
    badge: row.badge,
    fcmPlatform: fcmPlatformOf(row.fcm_platform),
    timezone: row.timezone,
    locale: row.locale,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  }
}

/**
 * Devices that register from now on are not addressed. AUTOINCREMENT never gives an id twice, so this cannot move back.
 */
export const CEILING = `coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'device'), 0)`
