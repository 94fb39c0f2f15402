import { PLATFORMS } from '../device/device.ts'
import type { Platform } from '../device/device.ts'
import { alias, asPlatform, names, platform, token } from '../http/common-fields.ts'
import { bodyOf, invalid, missing, optional, required, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { MAX_BADGE } from './push.ts'
import type { BadgeChange, Filter, Notification } from './push.ts'

/** A payload is 4096 bytes at most; nothing of use is nested deeper than this, and stack-driven code meets it later. */
const MAX_PAYLOAD_DEPTH = 64

/** Apple's own key, and what Google refuses in `data` (FCM, projects.messages `data`). */
const RESERVED_KEY = /^(aps|from|message_type|google\..*|gcm\..*)$/s

const platforms: Field<readonly Platform[]> = {
  schema: {
    type: 'array',
    items: platform.schema,
    description: 'An array, or one value; unknown members are skipped.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value]
    const known = PLATFORMS.filter((one) => given.some((item) => asPlatform(item) === one))
    if (known.length === 0)
      throw invalid(
        name,
        `must contain "0" (iOS) or "1" (Android), ${Array.isArray(value) ? 'which this array does not' : `not ${show(value)}`}`,
      )
    return known
  },
}

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

const msg = text('Notification message. With sound and payload at most 4096 bytes, as rendered for each gateway.', true)
const sound = text('Notification sound; "" is silent. Counts towards the 4096 bytes.', false)

/** `null`: present, and leaves the badge alone. */
const badge: Field<BadgeChange | null> = {
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

const tagsMatch: Field<'any' | 'all'> = {
  schema: { type: 'string', enum: ['any', 'all'], default: 'any', description: 'Whether one of `tags` is enough.' },
  emptyIsAbsent: true,
  read(value, name) {
    if (value === 'any' || value === 'all') return value
    throw invalid(name, `must be "any" or "all", not ${show(value)}`)
  },
}

function describedAs<T>(description: string, field: Field<T>): Field<T> {
  return { ...field, schema: { ...field.schema, description } }
}

/**
 * A filter that says who is reached. Empty must not count as absent here: a caller whose user has no alias would
 * address everybody.
 */
function including<T>(description: string, field: Field<T>): Field<T> {
  return { ...describedAs(description, field), emptyIsAbsent: false }
}

/** Endpoint 11: a broadcast when no filter field is present, else a conditional push. */
export const PushToAll = bodyOf(
  {
    platform: optional(platforms),
    msg: optional(msg),
    sound: optional(sound),
    badge: optional(badge),
    payload: optional(payload),
    tags: optional(including('Devices with any of these tags. An array, or one; an empty one is nobody.', names)),
    tags_match: optional(tagsMatch),
    except_tags: optional(describedAs('Not devices with one of these tags. An array, or one.', names)),
    active: optional(including('Devices with any of these types. An array, or one; an empty one is nobody.', names)),
    except_active: optional(describedAs('Not devices with one of these types. An array, or one.', names)),
    alias: optional(including('The device with this alias.', alias), ['Alias']),
    except_alias: optional(describedAs('Not the device with this alias.', alias)),
  },
  (input) => {
    const filter: Filter = {
      platforms: input.platform ?? PLATFORMS,
      tags: input.tags ?? null,
      tagsMatch: input.tags_match ?? 'any',
      exceptTags: input.except_tags ?? null,
      active: input.active ?? null,
      exceptActive: input.except_active ?? null,
      alias: input.alias ?? null,
      exceptAlias: input.except_alias ?? null,
    }
    const notification = notificationOf(input)
    if (isBroadcast(filter)) {
      for (const name of ['platform', 'msg', 'sound', 'badge'] as const) {
        if (input[name] === undefined) throw missing(name, ' for a broadcast')
      }
    } else if (isNothing(notification)) throw missing('msg', ', or sound, badge or payload')
    return { filter, notification }
  },
)

/** Endpoint 12. */
export const PushToOne = bodyOf(
  {
    platform: required(platform),
    token: required(token),
    msg: required(msg),
    sound: required(sound),
    badge: required(badge),
    payload: optional(payload),
  },
  (input) => ({ platform: input.platform, token: input.token, notification: notificationOf(input) }),
)

interface Content {
  readonly msg?: string
  readonly sound?: string
  readonly badge?: BadgeChange | null
  readonly payload?: Readonly<Record<string, unknown>> | null
}

function notificationOf(input: Content): Notification {
  return {
    msg: input.msg ?? null,
    sound: input.sound || null,
    badge: input.badge ?? null,
    payload: input.payload ?? null,
  }
}

function isNothing({ msg, sound, badge, payload }: Notification): boolean {
  return msg === null && sound === null && badge === null && payload === null
}

function isBroadcast(filter: Filter): boolean {
  const narrowing = [
    filter.tags,
    filter.exceptTags,
    filter.active,
    filter.exceptActive,
    filter.alias,
    filter.exceptAlias,
  ]
  return narrowing.every((one) => one === null)
}
