import type { Database } from '../database/database.ts'
import { DEVICE_COLUMNS, deviceOf, STATE, stateOf } from './device-row.ts'
import type { DeviceRow } from './device-row.ts'
import { packToken } from './device.ts'
import { canonicalToken } from './push-token.ts'
import type { Device, DeviceState, PackedToken, Platform } from './device.ts'
import { LABEL_KIND, LABELS_OF_DEVICE, labelsIn } from './index/label-index.ts'
import type { LabelRow } from './index/label-index.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'

export interface FoundDevice extends Device {
  readonly state: DeviceState
  /** Last registration. */
  readonly seenAt: number
}

export interface LeftQuery {
  readonly state: Exclude<DeviceState, 'registered'>
  readonly platforms: readonly Platform[]
  /** Any of these; `null`: no condition. */
  readonly tags: readonly string[] | null
  /** `device.id`, exclusive. */
  readonly after: number
  readonly limit: number
}

export interface DeviceCount {
  readonly platform: Platform
  readonly registered: number
  /** Gone or quarantined. */
  readonly left: number
}

export interface UserCount extends Omit<DeviceCount, 'platform'> {
  readonly user: string
}

/** Fewer characters of a token would match too many devices. */
export const MIN_PART = 8

/** Longer than any token. */
const LAST_BYTES = 'ff'.repeat(4096)

export const SEARCH_KEYS = ['token', 'alias', 'user', 'tag'] as const
export type SearchKey = (typeof SEARCH_KEYS)[number]

export type DeviceSearch = ReturnType<typeof createDeviceSearch>

/** For operators; uses only the read-only connection. */
export function createDeviceSearch({ database }: { database: Pick<Database, 'reading'> }) {
  const byId = database.reading<DeviceRow, [number]>(`SELECT ${DEVICE_COLUMNS} FROM device WHERE id = ?`)
  const inApplication = database.reading<DeviceRow, [number, number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND id = ?`,
  )
  const byTag = database.reading<DeviceRow, [application: number, tag: string, limit: number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE id IN (
       SELECT x.device FROM label l JOIN device_label x ON x.label = l.id
       WHERE l.application = ? AND l.kind = ${LABEL_KIND.tag} AND l.name = ? ORDER BY x.device LIMIT ?) ORDER BY id`,
  )
  const between = database.reading<DeviceRow, [number, PackedToken, PackedToken, number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND platform IN (${PLATFORMS.join()}) AND token BETWEEN ? AND ? LIMIT ?`,
  )
  const byAlias = database.reading<DeviceRow, [number, string]>(
    `SELECT ${DEVICE_COLUMNS} FROM device WHERE application = ? AND alias = ?`,
  )
  const byUser = database.reading<DeviceRow, [number, string, number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device INDEXED BY device_by_user WHERE application = ? AND user = ? ORDER BY id LIMIT ?`,
  )
  // Covered by the index.
  const users = database.reading<UserCount, [number, string, string, string, number]>(
    `SELECT user, sum(state = ${STATE.registered}) AS registered, sum(state <> ${STATE.registered}) AS left
     FROM device INDEXED BY device_by_user
     WHERE application = ? AND user > ? AND user BETWEEN ? AND ? GROUP BY user ORDER BY user LIMIT ?`,
  )
  // No index lists devices that left: this reads every device after `after`.
  const left = database.reading<DeviceRow, [number, number, string, string | null, number, number]>(
    `SELECT ${DEVICE_COLUMNS} FROM device d NOT INDEXED WHERE id > ?5 AND application = ?1 AND state = ?2
       AND platform IN (SELECT value FROM json_each(?3))
       AND (?4 IS NULL OR EXISTS (SELECT 1 FROM device_label x JOIN label l ON l.id = x.label
         WHERE x.device = d.id AND l.kind = ${LABEL_KIND.tag} AND l.name IN (SELECT value FROM json_each(?4))))
     ORDER BY id LIMIT ?6`,
  )
  const labels = database.reading<LabelRow, [number]>(LABELS_OF_DEVICE)
  const counts = database.reading<{ registered: number; total: number }, [number, Platform]>(
    `SELECT (SELECT count(*) FROM device WHERE application = ?1 AND platform = ?2 AND state = ${STATE.registered})
         AS registered,
       (SELECT count(*) FROM device INDEXED BY device_by_token WHERE application = ?1 AND platform = ?2) AS total`,
  )
  const gone = database.reading<{ count: number }, [number, number]>(
    'SELECT count(*) AS count FROM feedback WHERE application = ? AND at >= ?',
  )

  function foundOf(row: DeviceRow): FoundDevice {
    const device = deviceOf(row, labelsIn(labels.all(row.id)))
    return { ...device, state: stateOf(row.state), seenAt: row.seen_at }
  }

  const by = {
    /**
     * On any platform. Without a match, and with MIN_PART characters, returns tokens that begin with `token`. Ignores
     * the `…` or `...` of a shortened one.
     */
    byToken: (application: number, token: string, limit: number): FoundDevice[] => {
      const given = token.replace(/(…|\.\.\.)$/, '')
      // Apple's tokens are stored in canonical spelling, others unchanged.
      const packings = new Set([canonicalToken(0, given), given])
      const exact = [...packings].flatMap((one) => {
        const packed = packToken(one, 1)
        return between.all(application, packed, packed, limit)
      })
      if (exact.length > 0 || given.length < MIN_PART) return exact.slice(0, limit).map(foundOf)
      const texts = between.all(application, given, `${given}\u{10FFFF}`, limit)
      const hex = /^[0-9a-f]+$/i.test(given) ? given.toLowerCase() : null
      const from = hex && Uint8Array.fromHex(hex.length % 2 === 0 ? hex : `${hex}0`)
      const to = hex && Uint8Array.fromHex(`${hex}${hex.length % 2 === 0 ? '' : 'f'}${LAST_BYTES}`)
      const bytes = from && to ? between.all(application, from, to, limit) : []
      return [...bytes, ...texts].slice(0, limit).map(foundOf)
    },

    byAlias: (application: number, alias: string): FoundDevice[] => byAlias.all(application, alias).map(foundOf),

    byUser: (application: number, user: string, limit: number): FoundDevice[] =>
      byUser.all(application, user, limit).map(foundOf),

    byTag: (application: number, tag: string, limit: number): FoundDevice[] =>
      byTag.all(application, tag, limit).map(foundOf),
  }
  const ways: Readonly<Record<SearchKey, (application: number, text: string, limit: number) => FoundDevice[]>> = {
    token: by.byToken,
    alias: by.byAlias,
    user: by.byUser,
    tag: by.byTag,
  }

  return {
    ...by,

    /** Tries `keys` in order. `key` `null`: no match. */
    find(application: number, text: string, keys: readonly SearchKey[], limit: number) {
      for (const key of keys) {
        const devices = ways[key](application, text, limit)
        if (devices.length > 0) return { key, devices }
      }
      return { key: null, devices: [] }
    },

    /** `null`: the application has no such device. */
    byId(application: number, id: number): FoundDevice | null {
      const row = inApplication.get(application, id)
      return row && foundOf(row)
    },

    byIds: (ids: readonly number[]): FoundDevice[] => ids.flatMap((id) => byId.get(id) ?? []).map(foundOf),

    /** User IDs that begin with `start`, after `after`, in order. */
    users: (application: number, start: string, after: string, limit: number): UserCount[] =>
      users.all(application, after, start, `${start}\u{10FFFF}`, limit),

    left({ state, platforms, tags, after, limit }: LeftQuery, application: number): FoundDevice[] {
      const named = tags && JSON.stringify(tags)
      return left.all(application, STATE[state], JSON.stringify(platforms), named, after, limit).map(foundOf)
    },

    /** Reads two whole indexes: 0.1 s per million devices. Omits an optional platform without devices. */
    counts: (application: number, platforms: readonly Platform[]): DeviceCount[] =>
      platforms.flatMap((platform) => {
        const { registered, total } = counts.get(application, platform) ?? { registered: 0, total: 0 }
        return PLATFORM[platform].isOptional && total === 0 ? [] : [{ platform, registered, left: total - registered }]
      }),

    goneSince: (application: number, since: number): number => gone.get(application, since)?.count ?? 0,
  }
}
