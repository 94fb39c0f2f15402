import type { Platform } from '../device/device.ts'
import { isJsonObject } from '../text/json-object.ts'
import { keysOf, plainIn, plainNamesIn, refused, statedOf, textOf } from './record.ts'
import type { Entry, Format } from './record.ts'
import { PLATFORM } from '../platform.ts'

const PLAIN_NAMES = plainNamesIn('onesignal')

/**
 * OneSignal's CSV export (POST /players/csv_export; columns: documentation.onesignal.com/reference/csv-export), or
 * records of its older GET /players, with the same names.
 */
export const onesignal: Format = {
  title: "OneSignal's export",
  names: {
    token: 'identifier',
    platform: 'device_type',
    alias: 'external_user_id',
    user: 'external_user_id',
    tag: 'tags',
    ...PLAIN_NAMES,
    badge: 'badge_count',
    registered_at: 'created_at',
    seen_at: 'last_active',
    p256dh: 'web_p256',
    auth: 'web_auth',
  },

  read(record) {
    if (!isJsonObject(record)) return [refused('identifier', 'is not an object')]
    const type = textOf(record['device_type']) ?? ''
    const platform = PLATFORM_OF[type]
    if (platform === undefined) {
      const other = OTHER_TYPES[type]
      const what = type === '' ? 'is empty' : `is ${type}${other === undefined ? '' : ` (${other})`}`
      return [refused('device_type', `${what}: only iOS (0), Android (1) and web push (5, 8, 12, 17) can be sent to`)]
    }
    const user = textOf(record['external_user_id'])
    const invalid = textOf(record['invalid_identifier']) ?? String(record['invalid_identifier'])
    if (['t', 'true', '1'].includes(invalid.toLowerCase())) {
      return [refused('invalid_identifier', 'is true: OneSignal counts this device as unsubscribed')]
    }
    const types = textOf(record['notification_types'])
    if (types !== undefined && Number(types) <= 0) {
      return [refused('notification_types', `is ${types}: OneSignal counts this device as not subscribed`)]
    }
    return [
      {
        kind: 'device',
        stated: {
          token: statedOf(record['identifier']),
          platform,
          keys: PLATFORM[platform].hasKeys ? keysOf(record['web_p256'], record['web_auth']) : undefined,
          alias: user,
          user,
          tag: tagsOf(record['tags']),
          ...plainIn(record, PLAIN_NAMES),
          badge: statedOf(record['badge_count']),
          registered_at: statedOf(record['created_at']),
          seen_at: statedOf(record['last_active']),
        },
      } satisfies Entry,
    ]
  },
}

/** iOS, Android, then Chrome, Firefox, Edge and Safari. */
const PLATFORM_OF: Readonly<Record<string, Platform>> = { 0: 0, 1: 1, 5: 2, 8: 2, 12: 2, 17: 2 }

/** From the same page and older ones. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  2: 'Amazon Fire',
  3: 'Windows Phone',
  4: 'Chrome app',
  6: 'Windows',
  7: 'Safari before web push',
  9: 'macOS',
  10: 'Alexa',
  11: 'email',
  13: 'Huawei',
  14: 'SMS',
}

/** OneSignal has pairs, Bellhop names: `{"plan": "pro"}` becomes `plan:pro`. */
function tagsOf(value: unknown): unknown {
  let tags = value
  if (typeof value === 'string') {
    if (value.trim() === '') return undefined
    try {
      tags = JSON.parse(value)
    } catch {
      // The check refuses it.
      return { unreadable: value }
    }
  }
  if (!isJsonObject(tags)) return statedOf(tags)
  const pairs = Object.entries(tags)
  return pairs.length === 0 ? undefined : pairs.map(([name, content]) => `${name}:${wordOf(content)}`)
}

function wordOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}
