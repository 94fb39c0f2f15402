import { isJsonObject } from '../text/json-object.ts'
import { plainIn, plainNamesIn, refused, statedOf, textOf } from './record.ts'
import type { FileRecord, Format } from './record.ts'

const PLAIN_NAMES = plainNamesIn('parse')

/**
 * Parse's `_Installation` class (docs.parseplatform.org/rest/guide, "Push Notifications"), exported by its dashboard,
 * by parse.com, or by mongoexport, which writes times, places and pointers differently.
 */
export const parse: Format = {
  title: "Parse's installations",
  names: {
    token: 'deviceToken',
    platform: 'deviceType',
    alias: 'user',
    user: 'user',
    tag: 'channels',
    lat: 'location',
    lng: 'location',
    ...PLAIN_NAMES,
    registered_at: 'createdAt',
    seen_at: 'updatedAt',
  },

  read(record) {
    if (!isJsonObject(record)) return [refused('deviceToken', 'is not an object')]
    const type = textOf(record['deviceType']) ?? ''
    const pushType = textOf(record['pushType']) ?? ''
    // `pushType` wins over `deviceType`, as in parse-server's push adapter.
    const through = pushType === '' ? type : pushType
    const platform = through === 'ios' ? 0 : ['android', 'gcm', 'fcm'].includes(through) ? 1 : null
    if (platform === null) {
      const field = pushType === '' ? 'deviceType' : 'pushType'
      const what = through === '' ? 'is empty' : `is ${JSON.stringify(through)}`
      return [refused(field, `${what}: only ios and android (gcm, fcm) can be sent to`)]
    }
    const user = userOf(record)
    return [
      {
        kind: 'device',
        stated: {
          token: statedOf(record['deviceToken']),
          platform,
          alias: user,
          user,
          // The empty name is Parse's broadcast channel.
          tag: Array.isArray(record['channels'])
            ? record['channels'].filter((channel) => channel !== '')
            : statedOf(record['channels']),
          ...placeOf(record['location']),
          ...plainIn(record, PLAIN_NAMES),
          badge: numberOf(record['badge']),
          registered_at: statedOf(record['createdAt'] ?? record['_created_at']),
          seen_at: statedOf(record['updatedAt'] ?? record['_updated_at']),
        },
      },
    ]
  },
}

/** `{"__type": "Pointer", "objectId": …}`, in MongoDB `"_User$…"`. */
function userOf(record: FileRecord): string | undefined {
  const pointer = record['user']
  if (isJsonObject(pointer)) return textOf(pointer['objectId'])
  return textOf(record['_p_user'])?.split('$').at(-1)
}

/** A GeoPoint, in MongoDB [longitude, latitude]. */
function placeOf(location: unknown): { lat?: unknown; lng?: unknown } {
  if (Array.isArray(location)) return { lat: location[1], lng: location[0] }
  return isJsonObject(location) ? { lat: location['latitude'], lng: location['longitude'] } : {}
}

/** Extended JSON may have `{"$numberInt": "3"}`. */
function numberOf(value: unknown): unknown {
  return isJsonObject(value) ? (value['$numberInt'] ?? value['$numberLong'] ?? value['$numberDouble']) : statedOf(value)
}
