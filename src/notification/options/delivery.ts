import { invalid, show } from '../../http/fields.ts'
import { flag, choiceField } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

/* The renderers put these into headers. */

/** FCM keeps a message for at most four weeks (AndroidConfig, `ttl`); APNs for 30 days. */
export const MAX_TTL_SECONDS = 2_419_200

/** Seconds; 0: now or never. */
export const ttl: PushOption<number> = {
  field: {
    schema: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_TTL_SECONDS,
      default: 86_400,
      description:
        'Seconds for which delivery is tried, and for which the gateway keeps it for a phone that is off. 0: the gateway delivers it now or never; Bellhop tries for a minute.',
      example: 14_400,
    },
    emptyIsAbsent: true,
    read(value, name) {
      const seconds = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value
      if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_TTL_SECONDS) {
        return seconds
      }
      throw invalid(name, `must be whole seconds from 0 to ${MAX_TTL_SECONDS} (28 days), not ${show(value)}`)
    },
  },
  alsoCalled: 'timeToLive expiration expirationTime expiry expires',
  flag: { placeholder: 'SECONDS', doc: 'how long to keep trying (default 86400)' },
  input: { kind: 'number', label: 'Expires after, seconds', hint: 'Default 86400, a day.' },
}

const PRIORITIES = ['high', 'normal'] as const

/** Default high where something is shown, else normal. */
export const priority: PushOption<(typeof PRIORITIES)[number]> = {
  field: choiceField(
    PRIORITIES,
    'normal',
    'How urgent: apns-priority 10 or 5, and the same word for FCM. Default high where something is shown, else normal. Apple takes only 5 where nothing is shown.',
  ),
  input: { kind: 'choice', label: 'Priority', choices: PRIORITIES },
}

const silentField = flag(
  'Wakes the app and shows nothing (a background push; for FCM a data message): true, false, 1 or 0. msg, sound and badge are then optional, and nothing visible is allowed.',
)

/** Shows nothing, so no option that `isShown` may be given beside it. */
export const silent: PushOption<true> = {
  field: { ...silentField, read: (value, name) => silentField.read(value, name) || null },
  alsoCalled: 'contentAvailable background',
  isEnough: true,
  input: { kind: 'switch', label: 'Silent push (wakes the app, shows nothing)' },
}

/** Apple, "Sending notification requests to APNs": "must not exceed 64 bytes". It is a header, so ASCII. */
const COLLAPSE = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/

/** In headers. Default: the push's own id. */
export const collapse: PushOption<string> = {
  field: {
    schema: {
      type: 'string',
      maxLength: 64,
      description:
        'A collapse ID. A newer push with the same ID replaces one that the phone still shows: apns-collapse-id, and the `tag` of the Android notification. Where nothing is shown, FCM gets it as collapse_key, of which a device keeps four. At most 64 bytes of printable ASCII.',
      example: 'order-17',
    },
    emptyIsAbsent: true,
    read(value, name) {
      if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
      if (!COLLAPSE.test(value)) {
        throw invalid(name, 'must be at most 64 bytes of printable ASCII, without spaces around it')
      }
      return value
    },
  },
  alsoCalled: 'collapseId collapseKey collapseIdentifier apnsCollapseId',
  flag: { placeholder: 'NAME', doc: 'replaces an earlier push with the same name' },
  input: { kind: 'line', label: 'Collapse ID', hint: 'Replaces an earlier push with the same ID: order-17' },
}
