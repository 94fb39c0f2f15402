import type { Platform } from '../device/device.ts'
import { isJsonObject } from '../text/json-object.ts'
import { refused, statedOf, textOf } from './record.ts'
import type { Format } from './record.ts'

/**
 * The bindings of Twilio Notify, as GET /v1/Services/{Sid}/Bindings lists them in pages
 * (twilio.com/docs/notify/api/binding-resource), or as Twilio's CLI and libraries print them, with names in camel case.
 */
export const twilio: Format = {
  name: 'twilio',
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
          // `date_updated` is when the binding changed, years before the phone was seen last.
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
