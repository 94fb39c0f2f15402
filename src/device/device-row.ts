import type { StoredRow, device } from '../database/schema.ts'
import { COLUMNS, PLAIN, plainOf } from './columns.ts'
import type { PlainName } from './columns.ts'
import { PLATFORMS } from '../platform.ts'
import { unpackToken } from './device.ts'
import type { Device, DeviceState, Environment, FcmPlatform, Platform } from './device.ts'
import type { DeviceLabels } from './index/label-index.ts'

export const STATE = { registered: 0, gone: 1, quarantined: 2 } as const satisfies Record<DeviceState, number>

/** `device.environment` in the database. */
export const ENVIRONMENT: Readonly<Record<Environment, 0 | 1>> = { production: 0, sandbox: 1 }

export function storedEnvironment(stored: DeviceRow['environment']): Environment | null {
  return stored === null ? null : stored === ENVIRONMENT.production ? 'production' : 'sandbox'
}

export function fcmPlatformOf(stored: number | null): FcmPlatform | null {
  return stored === null ? null : (COLUMNS.fcm_platform.plain.codes[stored] ?? null)
}

export function stateOf(stored: number): DeviceState {
  return stored === STATE.registered ? 'registered' : stored === STATE.gone ? 'gone' : 'quarantined'
}

const READ = [
  'id',
  'platform',
  'state',
  'environment',
  'alias',
  'lat',
  'lng',
  'badge',
  'imported',
  'registered_at',
  'seen_at',
  'updated_at',
] as const

export type DeviceRow = Pick<StoredRow<typeof device>, (typeof READ)[number] | PlainName | 'token'>

/** For lookups by token: SQLite would build the known token again for each row. */
export const COLUMNS_BUT_TOKEN = [...READ, ...PLAIN].join(', ')

export const DEVICE_COLUMNS = `${COLUMNS_BUT_TOKEN}, token`

export function deviceOf(row: DeviceRow, labels: DeviceLabels): Device {
  // Spread first: behind other members it takes three times as long.
  return {
    ...plainOf(row),
    id: row.id,
    token: unpackToken(row.token),
    platform: row.platform,
    lat: row.lat,
    lng: row.lng,
    active: labels.active,
    tag: labels.tag,
    alias: row.alias,
    badge: row.badge,
    registeredAt: row.registered_at,
    updatedAt: row.updated_at,
  }
}

/**
 * SQL: the registered devices of application ?1 in `range`, by id. SQLite merges one index range per platform: no sort,
 * and no reads beyond a LIMIT.
 */
export function registeredRows(
  columns: string,
  range: string,
  { index = 'device_reach', platforms = PLATFORMS, order = 'ASC' }: RegisteredRows = {},
): string {
  const rowsOf = (platform: Platform) =>
    `SELECT ${columns} FROM device INDEXED BY ${index}
     WHERE application = ?1 AND platform = ${platform} AND state = ${STATE.registered} AND ${range}`
  return `${platforms.map(rowsOf).join(' UNION ALL ')} ORDER BY id ${order}`
}

interface RegisteredRows {
  readonly index?: 'device_reach' | 'device_by_user'
  readonly platforms?: readonly Platform[]
  readonly order?: 'ASC' | 'DESC'
}

/** The highest `device.id` ever given: a push excludes later devices. AUTOINCREMENT never reuses an id. */
export const CEILING = `coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'device'), 0)`
