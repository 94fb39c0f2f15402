import type { Platform } from '../device/device.ts'
import { isJsonObject } from '../text/json-object.ts'
import { refused, statedOf, textOf } from './record.ts'
import type { Format } from './record.ts'

/**
 * Twilio Notify's bindings: pages of GET /v1/Services/{Sid}/Bindings (twilio.com/docs/notify/api/binding-resource), or
 * output of Twilio's CLI and libraries, in camel case.
 */
export const twilio: Format = {
  title: 'the bindings of Twilio Notify',
  names: {
    token: 'address',
    platform: 'binding_type',
    user: 'identity',
    alias: 'identity',
    tag: 'tags',
    registered_at: 'date_created',
  },

  read(record) {
    if (!isJsonObject(record)) return [refused('address', 'is not an object')]
    const type = textOf(record['binding_type'] ?? record['bindingType']) ?? ''
    const platform = PLATFORM_OF.get(type)
    if (platform === undefined) {
      const what = type === '' ? 'is empty' : `is ${type}`
      return [refused('binding_type', `${what}: only apn, fcm and gcm can be sent to`)]
    }
    const user = textOf(record['identity'])
    return [
      {
        kind: 'device',
        stated: {
          token: statedOf(record['address']),
          platform,
          alias: user,
          user,
          tag: statedOf(record['tags']),
          registered_at: statedOf(record['date_created'] ?? record['dateCreated']),
          // `date_updated` is when the binding changed, possibly years before the phone was last seen.
        },
      },
    ]
  },
}

const PLATFORM_OF: ReadonlyMap<string, Platform> = new Map([
  ['apn', 0],
  ['fcm', 1],
  ['gcm', 1],
])
