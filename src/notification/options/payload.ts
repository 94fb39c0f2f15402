import { invalid } from '../../http/fields.ts'
import type { JsonObject } from '../../text/json-object.ts'
import { readObject } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

/** Apple's own key, and what Google refuses in `data` (FCM, projects.messages `data`). */
const RESERVED_KEY = /^(aps$|from$|message_type$|google|gcm)/

function merge(payload: JsonObject, draft: Record<'data', Record<string, unknown>>): void {
  draft.data = { ...draft.data, ...payload }
}

export const payload: PushOption<JsonObject> = {
  field: {
    schema: {
      type: 'object',
      additionalProperties: true,
      description:
        'Custom fields: beside `aps` for APNs, as strings in `data` for FCM. A list is read as an object of its indexes. A null value is omitted for FCM. Reserved: aps, from, message_type, and keys that start with google or gcm; and `image` and `link` beside the field of that name. The id of the push goes along as `bellhop`, unless there is a key of that name here. Nested at most 64 deep; counts towards the 4096 bytes.',
    },
    emptyIsAbsent: true,
    read(value, name) {
      const read = readObject(Array.isArray(value) ? Object.fromEntries(value.entries()) : value, name)
      for (const key of Object.keys(read ?? {})) {
        if (RESERVED_KEY.test(key)) {
          throw invalid(
            `${name}.${key.slice(0, 32)}`,
            'is reserved by Apple or Google; not allowed are aps, from, message_type, and keys that start with google or gcm',
          )
        }
      }
      return read
    },
  },
  alsoCalled: 'data custom customData additionalData extra extras userInfo',
  isEnough: true,
  flag: { placeholder: 'JSON', doc: 'custom data for the app', takes: 'json', example: '{"article": 17}' },
  input: { kind: 'json', label: 'Payload', hint: 'Custom data for your app: {"order": 17}' },
  apns(payload, draft) {
    draft[''] = { ...draft[''], ...payload }
  },
  fcm: merge,
  webPush: merge,
}
