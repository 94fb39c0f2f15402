import { isJsonObject } from '../text/json-object.ts'
import type { JsonObject } from '../text/json-object.ts'
import { protoName } from './message-type.ts'
import { MAX_TTL_SECONDS } from './options/delivery.ts'

/** Why FCM refuses a message with fields of the right types. */
export interface MessageFault {
  /** Below the message: `android.ttl`. */
  readonly field: string
  readonly description: string
}

/** `message` must fit `MESSAGE`. */
export function messageFaultOf(message: JsonObject): MessageFault | null {
  const android = objectAt(message, 'android')
  const ttlSeconds = Number.parseFloat(typeof android['ttl'] === 'string' ? android['ttl'] : '0')
  if (ttlSeconds < 0 || ttlSeconds > MAX_TTL_SECONDS) {
    return { field: 'android.ttl', description: `TTL must be a duration between 0 and ${MAX_TTL_SECONDS} seconds.` }
  }
  for (const [field, data] of [
    ['data', objectAt(message, 'data')],
    ['android.data', objectAt(android, 'data')],
  ] as const) {
    const reserved = Object.keys(data).find((key) => RESERVED_KEY.test(key))
    if (reserved !== undefined) return { field, description: `Invalid data payload key: ${reserved}` }
  }
  const color = objectAt(android, 'notification')['color']
  if (typeof color === 'string' && !COLOR.test(color)) {
    return { field: 'android.notification.color', description: 'Color must be in the form #rrggbb.' }
  }
  const link = objectAt(objectAt(message, 'webpush'), 'fcm_options')['link']
  if (typeof link === 'string' && !link.startsWith('https://')) {
    return { field: 'webpush.fcm_options.link', description: 'Link must be an HTTPS URL.' }
  }
  for (const [field, options] of [
    ['fcm_options', objectAt(message, 'fcm_options')],
    ['android.fcm_options', objectAt(android, 'fcm_options')],
  ] as const) {
    const label = options['analytics_label']
    if (typeof label === 'string' && !ANALYTICS_LABEL.test(label)) {
      return {
        field: `${field}.analytics_label`,
        description: 'Analytics label must be 1 to 50 letters, digits and -_.~%.',
      }
    }
  }
  return null
}

/** FCM's documentation names "google." and "gcm.notification."; it refuses both without a dot too. */
const RESERVED_KEY = /^(?:from$|message_type$|google|gcm)/
/** AndroidNotification, `color`: "expressed in #rrggbb format". */
const COLOR = /^#[0-9a-f]{6}$/i
/** "Understanding message delivery", on labels. */
const ANALYTICS_LABEL = /^[\w.~%-]{1,50}$/

/** In either spelling of ProtoJSON. */
function objectAt(parent: JsonObject, name: string): JsonObject {
  const value = parent[name] ?? Object.entries(parent).find(([key]) => protoName(key) === name)?.[1]
  return isJsonObject(value) ? value : {}
}
