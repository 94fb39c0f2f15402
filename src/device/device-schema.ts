import {
  count,
  listOf,
  objectSchema,
  orNull,
  platformSchema as platformWritten,
  text,
  time,
} from '../http/answer-schema.ts'
import { bodyOf, describedAs, invalid, missing, optional, required, show, wholeNumber } from '../http/fields.ts'
import type { JsonSchema } from '../http/fields.ts'
import { isoTime } from '../text/format.ts'
import { MAX_BADGE } from './badge.ts'
import {
  alias,
  aliasOrNone,
  asPlatform,
  EXAMPLE_TOKEN,
  latitude,
  longitude,
  names,
  oneName,
  platform,
  token,
  tokens,
} from './device-fields.ts'
import type { Device, Platform } from './device.ts'
import { tokenWarning } from './push-token.ts'
import { timezone } from './timezone-field.ts'

/** The most devices one batch may bring (contract, "Limits"). */
const MAX_BATCH = 500

const batch = tokens(MAX_BATCH)
const someTokens = { ...batch, schema: { ...batch.schema, minItems: 1 } }

const types = describedAs(
  'Notification types: what its user wants to hear of, such as "news". Pushes choose by them with `active`. An array of strings, or one string; an empty array removes all.',
  names,
)
const tags = describedAs(
  'Tags: what is known of it, such as "beta" or "user:17". Pushes choose by them with `tags`. An array of strings, or one string; an empty array removes all.',
  names,
)
const named = describedAs(
  'The device that has this alias, which needs the secret. The contract writes `Alias`; both are read. 1 to 256 characters.',
  alias,
)

/** Endpoint 1. */
export const RegisterDevice = bodyOf(
  {
    token: required(token),
    platform: required(platform),
    lat: optional(latitude),
    lng: optional(longitude),
    active: optional(types),
    tag: optional(tags, ['tags']),
    alias: optional(aliasOrNone, ['Alias']),
    timezone: optional(timezone),
  },
  (input) => {
    if (input.lat !== undefined && input.lng === undefined) throw missing('lng', ' with lat')
    if (input.lng !== undefined && input.lat === undefined) throw missing('lat', ' with lng')
    return input
  },
)

/** Endpoint 2. */
export const ImportDevices = bodyOf(
  {
    tokens: required(someTokens),
    platform: required(platform),
    tags: optional(names, ['tag']),
  },
  (input) => {
    if (input.tokens.length === 0) throw missing('tokens')
    return input
  },
)

/** Endpoint 3. */
export const UnregisterDevice = bodyOf({ token: required(token), platform: required(platform) })

/** Endpoint 4. */
export const SetAlias = bodyOf(
  {
    platform: required(platform),
    token: optional(token),
    alias: optional(aliasOrNone, ['Alias']),
    current_alias: optional(alias),
  },
  ({ alias: wanted, ...input }) => {
    if (wanted === undefined) throw missing('alias', ' ("" removes it)')
    if (input.token === undefined && input.current_alias === undefined) throw missing('token', ', or current_alias')
    return { ...input, alias: wanted }
  },
)

/** Endpoints 5 and 6. The document writes `Alias` with a capital A. */
export const TagDevice = bodyOf(
  {
    platform: required(platform),
    tag: required(oneName, ['tags']),
    token: optional(token),
    alias: optional(named, ['Alias']),
  },
  ({ token: byToken, alias: byAlias, ...input }) => {
    if (input.tag.length === 0) throw missing('tag')
    if (byToken !== undefined) return { ...input, address: { platform: input.platform, token: byToken } }
    if (byAlias !== undefined) return { ...input, address: { platform: input.platform, alias: byAlias } }
    throw missing('token', ', or Alias')
  },
)

/** Endpoint 7. */
export const SetLocation = bodyOf({
  platform: required(platform),
  token: required(token),
  lat: required(latitude),
  lng: required(longitude),
})

/** Endpoint 13. */
export const SetBadge = bodyOf({
  token: required(token),
  platform: required(platform),
  setbadgecount: required(
    describedAs('The new badge count; relative badges of pushes count from it.', wholeNumber(0, MAX_BADGE)),
  ),
})

/** The device record on the wire (test/api/contract/10-device-details.test.ts). */
export interface DeviceRecord {
  readonly token: string
  readonly platform: '0' | '1'
  readonly lat: string | null
  readonly lng: string | null
  readonly active: readonly string[]
  readonly tag: readonly string[]
  readonly alias: string | null
  readonly badge: number
  /** Only where it is known: clients of the contract do not know it. */
  readonly timezone?: string
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly updated_at: string
  /** Only where there are any. Of the alias only in the answer to a registration. */
  readonly warnings?: readonly string[]
}

/** How a record is written, and the schema of that. */
export interface RecordShape {
  readonly written: (record: DeviceRecord) => object
  readonly schema: JsonSchema
}

export function deviceRecordOf(device: Device, warnings: readonly string[] = []): DeviceRecord {
  const { registeredAt, updatedAt, timezone } = device
  const ofToken = tokenWarning(device.platform, device.token)
  const all = ofToken === null ? warnings : [...warnings, ofToken]
  const updated = isoTime(updatedAt)
  return {
    token: device.token,
    platform: platformOnWire(device.platform),
    lat: degreesOnWire(device.lat),
    lng: degreesOnWire(device.lng),
    active: device.active,
    tag: device.tag,
    alias: device.alias,
    badge: device.badge,
    ...(timezone !== null && { timezone }),
    created_at: registeredAt === updatedAt ? updated : isoTime(registeredAt),
    updated_at: updated,
    ...(all.length > 0 && { warnings: all }),
  }
}

/** Plain digits also below 0.000001, where `String` turns to an exponent, which the API does not read. */
function degreesOnWire(degrees: number | null): string | null {
  if (degrees === null) return null
  return Math.abs(degrees) < 1e-6 ? TINY.format(degrees) : String(degrees)
}

const TINY = new Intl.NumberFormat('en', { maximumFractionDigits: 20, signDisplay: 'negative' })

export function platformOnWire(platform: Platform): '0' | '1' {
  return platform === 0 ? '0' : '1'
}

const label = { type: 'string' }

/** `DeviceRecord`, as JSON Schema. */
export const RECORD = objectSchema(
  'Device',
  {
    token: text('The device token of iOS, or the registration ID of Android.'),
    platform: platformWritten,
    lat: orNull(text('Latitude in decimal degrees; null when unset.')),
    lng: orNull(text('Longitude in decimal degrees; null when unset.')),
    active: { ...listOf(label), description: 'Notification types.' },
    tag: { ...listOf(label), description: 'Tags.' },
    alias: orNull(text('Unique within the application; null when unset.')),
    badge: count('The badge count that is stored; relative badges count from it.'),
    timezone: text('IANA name; absent where it is not known.'),
    created_at: time('First registration.'),
    updated_at: time('Last change.'),
    warnings: {
      ...listOf({ type: 'string' }),
      description:
        'What is not as it should be; absent where all is well. "alias belongs to another device" only in the answer to a registration, "not an APNs device token: …" in every record of a device that can never be sent to.',
    },
  },
  ['timezone', 'warnings'],
)

/** What PUT /deviceToken/batch answers. */
export const IMPORTED = objectSchema(
  'ImportResult',
  {
    message: text('"Devices imported".'),
    imported: count('Devices registered now; one that the batch has twice counts once.'),
    created: count('Of them new.'),
    updated: count('Of them known before.'),
    warnings: {
      ...listOf({ type: 'string' }),
      description: 'Tokens that can never be sent to, by their index; absent where there are none.',
    },
  },
  ['warnings'],
)

/** An entry of GET /feedback. */
export const FEEDBACK_ENTRY = objectSchema('FeedbackEntry', {
  token: text('The token that was declared gone.'),
  platform: platformWritten,
  reason: text('The word of APNs or FCM for it.'),
  at: time('When it said so.'),
})

export const RECORD_EXAMPLE: DeviceRecord = {
  token: EXAMPLE_TOKEN,
  platform: '0',
  lat: '52.52',
  lng: '13.405',
  active: ['news'],
  tag: ['beta', 'user:17'],
  alias: 'front-desk',
  badge: 0,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
}

/** Query parameters are strings; a wrong one is refused like a wrong field. */
export function readDeviceLimit(value: string | undefined): number | null {
  if (value === undefined) return null
  return wholeNumber(1, 10_000).read(value, 'limit')
}

/** `after` is the cursor of a page's Link header: opaque to callers, a device id here. */
export function readDeviceCursor(value: string | undefined): number {
  return value === undefined ? 0 : wholeNumber(0, Number.MAX_SAFE_INTEGER).read(value, 'after')
}

/** A date, or a time with its zone: one without would mean another moment on another machine. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** `since`: ISO 8601 or ms since the Unix epoch. */
export function readSince(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const read = /^\d+$/.test(value) ? Number(value) : ISO_TIME.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isSafeInteger(read)) return read
  throw invalid('since', `must be an ISO 8601 time or milliseconds since 1970, not ${show(value)}`)
}

/** Endpoint 10 takes an optional `platform` header too, for a token that both platforms hold. */
export function readPlatformHeader(value: string | undefined): Platform | undefined {
  if (value === undefined || value === '') return undefined
  const read = asPlatform(value)
  if (read === null) throw invalid('platform header', `must be 0 or 1, not ${show(value)}`)
  return read
}
