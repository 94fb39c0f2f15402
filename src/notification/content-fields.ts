import { MAX_BADGE } from '../device/badge.ts'
import type { BadgeChange } from '../device/badge.ts'
import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { INTERRUPTIONS, MAX_TTL_SECONDS, PRIORITIES } from './notification.ts'

const COUNTS = 'Counts towards the 4096 bytes.'

export const msg = text(
  'Notification message. With all that is sent beside it at most 4096 bytes, as rendered for each gateway.',
)

/** `""` is not absent: it says that nothing is to be heard. */
export const sound = { ...text(`Notification sound; "" is silent. ${COUNTS}`), emptyIsAbsent: false }
export const title = text(`The line above the message. ${COUNTS}`)
export const subtitle = text(`iOS only: the line between title and message. Needs \`msg\` or \`title\`. ${COUNTS}`)
export const category = identifier(
  `iOS only: the category (aps.category) that the app has registered with its actions. ${COUNTS}`,
)
export const thread = identifier(`iOS only: notifications of the same thread are grouped (aps.thread-id). ${COUNTS}`)
export const channel = identifier(
  `Android only: the notification channel, which decides on sound and importance. ${COUNTS}`,
)

export const image: Field<string> = {
  schema: {
    type: 'string',
    description: `An https URL. Android shows it. For iOS it is \`image\` beside \`aps\`, with mutable-content: 1, for the app's notification service extension to fetch. Needs \`msg\` or \`title\`. ${COUNTS}`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (isUrl(value) && new URL(value).protocol === 'https:') return value
    throw invalid(name, `must be an https URL, not ${show(value)}`)
  },
}

export const link: Field<string> = {
  schema: {
    type: 'string',
    // RFC 3986, 3.1, and what `isUrl` refuses.
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: `A URL for the app to open, of any scheme: \`link\` beside \`aps\` for APNs, and in \`data\` for FCM. ${COUNTS}`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (isUrl(value)) return value
    throw invalid(name, `must be a URL with its scheme, such as https: or the app's own, not ${show(value)}`)
  },
}

/** What a browser can open. */
export const webUrl: Field<string> = {
  schema: { type: 'string' },
  emptyIsAbsent: true,
  read(value, name) {
    if (isUrl(value) && /^https?:$/.test(new URL(value).protocol)) return value
    throw invalid(name, `must be an http or https URL, not ${show(value)}`)
  },
}

/** Apple, "Sending notification requests to APNs": "must not exceed 64 bytes". It is a header, so ASCII. */
const COLLAPSE = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/

export const collapse: Field<string> = {
  schema: {
    type: 'string',
    maxLength: 64,
    description:
      'A name by which a push replaces an earlier one that the phone still shows: apns-collapse-id, and the `tag` of the Android notification. Where nothing is shown, FCM gets it as collapse_key, of which a device keeps four. At most 64 bytes of printable ASCII.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
    if (!COLLAPSE.test(value)) {
      throw invalid(name, 'must be at most 64 bytes of printable ASCII, without spaces around it')
    }
    return value
  },
}

export const priority = oneOf(
  PRIORITIES,
  'How urgent: apns-priority 10 or 5, and the same word for FCM. Default high where something is shown, else normal. Apple takes only 5 where nothing is shown.',
)
export const interruption = oneOf(
  INTERRUPTIONS,
  'iOS only: how much it interrupts (aps.interruption-level). critical needs a sound, and an app that Apple allows critical alerts.',
)
export const silent = flag(
  'Wakes the app and shows nothing (a background push; for FCM a data message): true, false, 1 or 0. Then msg, sound and badge need not be there, and nothing that shows may be.',
)
export const mutable = flag(
  "iOS only: the app's notification service extension may change it before it is shown (aps.mutable-content): true, false, 1 or 0. Default true with an image.",
)

/** `null`: present, and leaves the badge alone. */
export const badge: Field<BadgeChange | null> = {
  schema: {
    type: 'string',
    pattern: '^([+-]?[0-9]{1,10})?$',
    description: `The badge number, 0 to ${MAX_BADGE}, or "+1", "-1" relative to the stored count of each device; "" leaves it alone.`,
  },
  emptyIsAbsent: false,
  read(value, name) {
    if (value === '') return null
    const digits = typeof value === 'number' ? String(value) : value
    const parts = typeof digits === 'string' ? /^([+-]?)(\d{1,10})$/.exec(digits) : null
    const size = Number(parts?.[2])
    // A negative number is a number, not a decrement: only the text "-1" asks for one.
    const sign = typeof value === 'number' ? (value < 0 ? null : '') : parts?.[1]
    if (parts === null || sign === null || size > MAX_BADGE) {
      throw invalid(name, `must be a whole number from 0 to ${MAX_BADGE}, "+n", "-n" or "", not ${show(value)}`)
    }
    if (sign === '') return { set: size }
    return { add: sign === '-' ? -size : size }
  },
}

export const ttl: Field<number> = {
  schema: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_TTL_SECONDS,
    default: 86_400,
    description:
      'Seconds for which it is tried, and kept by the gateway for a phone that is off. 0: the gateways deliver it now or never, and it is tried for a minute.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const seconds = typeof value === 'string' && /^\d{1,7}$/.test(value) ? Number(value) : value
    if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_TTL_SECONDS) {
      return seconds
    }
    throw invalid(name, `must be whole seconds from 0 to ${MAX_TTL_SECONDS} (28 days), not ${show(value)}`)
  },
}

/** Whether a field that is a `flag` says yes, in a body as it came. */
export function saysYes(value: unknown): boolean {
  return YES.has(value)
}

const YES = new Set<unknown>([true, 'true', 1, '1'])
const NO = new Set<unknown>([false, 'false', 0, '0'])

export function flag(description: string): Field<boolean> {
  return {
    schema: { type: 'boolean', description },
    emptyIsAbsent: true,
    read(value, name) {
      if (YES.has(value) || NO.has(value)) return YES.has(value)
      throw invalid(name, `must be true or false, not ${show(value)}`)
    },
  }
}

function oneOf<T extends string>(values: readonly T[], description: string): Field<T> {
  return {
    schema: { type: 'string', enum: values, description },
    emptyIsAbsent: true,
    read(value, name) {
      const known = values.find((one) => one === value)
      if (known !== undefined) return known
      throw invalid(name, `must be ${values.map((one) => `"${one}"`).join(' or ')}, not ${show(value)}`)
    },
  }
}

/** A name that the app knows: a control character in it is a mistake. */
function identifier(description: string): Field<string> {
  const field = text(description)
  return {
    ...field,
    read(value, name) {
      const read = field.read(value, name)
      if (/\p{Cc}/u.test(read)) throw invalid(name, 'must not contain control characters')
      return read
    },
  }
}

function text(description: string): Field<string> {
  return {
    schema: { type: 'string', description },
    emptyIsAbsent: true,
    read(value, name) {
      if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
      if (!value.isWellFormed()) throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
      return value
    },
  }
}

/** The URL as it stands: what `URL` would mend is refused. */
function isUrl(value: unknown): value is string {
  return typeof value === 'string' && !/[\s\p{Cc}]/u.test(value) && value.isWellFormed() && URL.canParse(value)
}
