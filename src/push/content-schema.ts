import { invalid, optional, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { MAX_BADGE } from './push.ts'
import type { BadgeChange, Notification } from './push.ts'

/** A payload is 4096 bytes at most; nothing of use is nested deeper than this, and stack-driven code meets it later. */
const MAX_PAYLOAD_DEPTH = 64

/** Apple's own key, and what Google refuses in `data` (FCM, projects.messages `data`). */
const RESERVED_KEY = /^(aps|from|message_type|google\..*|gcm\..*)$/s

function text(description: string, emptyIsAbsent: boolean): Field<string> {
  return {
    schema: { type: 'string', description },
    emptyIsAbsent,
    read(value, name) {
      if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
      if (!value.isWellFormed()) throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
      return value
    },
  }
}

export const msg = text(
  'Notification message. With sound and payload at most 4096 bytes, as rendered for each gateway.',
  true,
)
export const sound = text('Notification sound; "" is silent. Counts towards the 4096 bytes.', false)

/** `null`: present, and leaves the badge alone. */
export const badge: Field<BadgeChange | null> = {
  schema: {
    type: 'string',
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

const payload: Field<Readonly<Record<string, unknown>> | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'Custom fields: beside `aps` for APNs, as strings in `data` for FCM. Reserved: aps, from, message_type, google.*, gcm.*. Nested at most 64 deep; counts towards the 4096 bytes.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    // What PHP makes of an empty map.
    if (Array.isArray(value) && value.length === 0) return null
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalid(name, `must be an object, not ${show(value)}`)
    }
    checkPayload(value, name)
    return Object.keys(value).length === 0 ? null : (value as Record<string, unknown>)
  },
}

function checkPayload(value: object, name: string): void {
  for (const key of Object.keys(value)) {
    if (RESERVED_KEY.test(key)) {
      throw invalid(
        `${name}.${key.slice(0, 32)}`,
        'is reserved by Apple or Google; not allowed are aps, from, message_type, google.* and gcm.*',
      )
    }
  }
  // Level by level, not by recursion: depth is what is being checked.
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_PAYLOAD_DEPTH) throw invalid(name, `must not be nested deeper than ${MAX_PAYLOAD_DEPTH}`)
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'string' && !item.isWellFormed())
        throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
      if (typeof item !== 'object' || item === null) continue
      for (const [key, inner] of Object.entries(item)) next.push(key, inner)
    }
    level = next
  }
}

/** The fields of what is shown, in the body of every push. */
export const contentFields = {
  msg: optional(msg),
  sound: optional(sound),
  badge: optional(badge),
  payload: optional(payload),
}

interface Content {
  readonly msg?: string
  readonly sound?: string
  readonly badge?: BadgeChange | null
  readonly payload?: Readonly<Record<string, unknown>> | null
}

export function notificationOf(input: Content): Notification {
  return {
    msg: input.msg ?? null,
    sound: input.sound || null,
    badge: input.badge ?? null,
    payload: input.payload ?? null,
  }
}

export function isNothing({ msg, sound, badge, payload }: Notification): boolean {
  return msg === null && sound === null && badge === null && payload === null
}
