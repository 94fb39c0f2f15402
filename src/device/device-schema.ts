import { count, listOf, objectSchema, platformSchema, text, time } from '../http/answer-schema.ts'
import type { Field, JsonSchema } from '../http/fields.ts'
import { bodyOf, describedAs, invalid, missing, optional, required, show, wholeNumber } from '../http/fields.ts'
import { PLATFORM, platformChoice, PLATFORMS } from '../platform.ts'
import { either } from '../text/format.ts'
import { MAX_BADGE } from './badge.ts'
import { SAID } from './columns.ts'
import {
  alias,
  asPlatform,
  EXAMPLE_TOKEN,
  fcmPlatform,
  latitude,
  longitude,
  names,
  oneName,
  platform,
  token,
  tokens,
  user,
} from './device-fields.ts'
import type { DeviceAddress, FcmPlatform, Platform } from './device.ts'

/** Contract, "Limits". */
const MAX_BATCH = 500

const PROOF_HEX = /^[0-9A-Fa-f]{64}$/
/** RFC 4648, 5. Python and Ruby pad it; Node and Go do not. */
const PROOF_BASE64URL = /^[\w-]{43}=?$/

const batch = tokens(MAX_BATCH)
const someTokens = { ...batch, schema: { ...batch.schema, minItems: 1 } }

const named = describedAs(
  'The device that has this alias, which needs the secret. The contract writes `Alias`; both are read. 1 to 256 characters.',
  alias,
)

const replaces = describedAs(
  'The previous token, of the same platform, that this one replaces: the device keeps its tags, types, alias, user, badge, location and history. Unknown tokens are ignored.',
  token,
)

const userProof = proof(
  'What your backend says of `user`: its HMAC-SHA256 under the user key of the application, as 64 digits of hex or 43 characters of base64url. It also proves an `alias` that is the same, or comes without a user. An application that verifies its users takes none without it, or without the secret.',
)
const aliasProof = proof('The same of `alias`, where that is another than `user`.')
const proofOfAlias = proof(
  'What your backend says of `alias`: its HMAC-SHA256 under the user key of the application, as 64 digits of hex or 43 characters of base64url. An application that verifies its users takes none without it, or without the secret.',
)

/** Endpoint 1. */
export const RegisterDevice = bodyOf(
  { ...SAID, replaces: optional(replaces), user_proof: optional(userProof), alias_proof: optional(aliasProof) },
  (input) => {
    checkFcmPlatform(input.platform, input.fcm_platform)
    if (input.lat !== undefined && input.lng === undefined) throw missing('lng', ' with lat')
    if (input.lng !== undefined && input.lat === undefined) throw missing('lat', ' with lng')
    const { hasKeys } = PLATFORM[input.platform]
    if (hasKeys && input.keys === undefined) throw missing('keys', ` with platform ${input.platform}`)
    return hasKeys || input.keys === undefined ? input : { ...input, keys: undefined }
  },
)

function checkFcmPlatform(platform: Platform, given: FcmPlatform | undefined): void {
  if (given === undefined || PLATFORM[platform].provider === 'fcm') return
  throw invalid('fcm_platform', 'is only for platform "1": it tells which system an FCM token belongs to')
}

const WITHOUT_KEYS = PLATFORMS.filter((platform) => !PLATFORM[platform].hasKeys)

const platformOfBatch = {
  ...platform,
  schema: {
    ...platform.schema,
    enum: WITHOUT_KEYS.map(String),
    description: `${platformChoice(WITHOUT_KEYS)}. Numbers are read too. Browsers come one by one, with their keys.`,
  },
}

/** Endpoint 2. */
export const ImportDevices = bodyOf(
  {
    tokens: required(someTokens),
    platform: required(platformOfBatch),
    tags: optional(names, ['tag']),
    fcm_platform: optional(fcmPlatform),
  },
  (input) => {
    checkFcmPlatform(input.platform, input.fcm_platform)
    if (input.tokens.length === 0) throw missing('tokens')
    if (PLATFORM[input.platform].hasKeys) {
      const { article, device } = PLATFORM[input.platform]
      throw invalid(
        'platform',
        `must be ${platformChoice(WITHOUT_KEYS)} here: ${article} ${device} comes with its keys, by PUT /deviceToken`,
      )
    }
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
    alias: required(SAID.alias.field, ['Alias'], ' ("" removes it)'),
    current_alias: optional(alias),
    alias_proof: optional(proofOfAlias),
    user_proof: optional(describedAs('Read where `alias_proof` is absent.', proofOfAlias)),
  },
  (input) => {
    if (input.token === undefined && input.current_alias === undefined) throw missing('token', ', or current_alias')
    return input
  },
)

/** Endpoints 5 and 6. The contract capitalizes `Alias`. */
export const TagDevice = bodyOf(
  {
    platform: required(platform),
    tag: required(oneName, ['tags']),
    token: optional(token),
    alias: optional(named, ['Alias']),
  },
  (input) => {
    if (input.tag.length === 0) throw missing('tag')
    return { tag: input.tag, address: deviceNamed(input, 'Alias') }
  },
)

/** `token` wins over `alias`. */
export function deviceNamed(
  { platform, token, alias }: { platform: Platform; token?: string; alias?: string },
  aliasField: 'alias' | 'Alias',
): DeviceAddress {
  if (token !== undefined) return { platform, token }
  if (alias !== undefined) return { platform, alias }
  throw missing('token', `, or ${aliasField}`)
}

/** Endpoint 7. */
export const SetLocation = bodyOf({
  platform: required(platform),
  token: required(token),
  lat: required(latitude),
  lng: required(longitude),
})

/** PUT /user/del. */
export const ForgetUser = bodyOf({ user: required(user) })

/** Endpoint 13. */
export const SetBadge = bodyOf({
  token: required(token),
  platform: required(platform),
  setbadgecount: required(
    describedAs('The new badge count; relative badges of pushes count from it.', wholeNumber(0, MAX_BADGE)),
  ),
})

/** PUT /tag. */
export const TAGGED = objectSchema(
  'TagResult',
  {
    message: text('"Tagged".', 'Tagged'),
    warnings: listOf(text(), 'Omitted tags, and why. Absent if there are none.'),
  },
  ['warnings'],
)

/** PUT /deviceToken/batch. */
export const IMPORTED = objectSchema(
  'ImportResult',
  {
    message: text('"Devices imported".', 'Devices imported'),
    imported: count('Devices now registered. A token given twice counts once.', 2),
    created: count('Of them new.', 2),
    updated: count('Of them known before.', 0),
    warnings: listOf(text(), 'Tokens that can never be sent to, by index. Absent if there are none.'),
  },
  ['warnings'],
)

export const FEEDBACK_ENTRY = objectSchema('FeedbackEntry', {
  token: text('The unregistered token.', EXAMPLE_TOKEN),
  platform: platformSchema,
  reason: text("The gateway's reason.", 'Unregistered'),
  at: time('When it said so.', '2026-11-20T09:00:00.000Z'),
})

export function readDeviceLimit(value: string | undefined): number | null {
  if (value === undefined) return null
  return wholeNumber(1, 10_000).read(value, 'limit')
}

/** Refuses an empty `user`, which must not mean everybody. */
export function readUser(value: string | undefined): string | undefined {
  return value === undefined ? undefined : user.read(value, 'user')
}

/** From a page's Link header: a device id, opaque to callers. */
export function readDeviceCursor(value: string | undefined): number {
  return value === undefined ? 0 : wholeNumber(0, Number.MAX_SAFE_INTEGER).read(value, 'after')
}

/** A time needs its zone: without one it would depend on the machine. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** ISO 8601 or ms since the Unix epoch. */
export function readSince(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const read = /^\d+$/.test(value) ? Number(value) : ISO_TIME.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isSafeInteger(read)) return read
  throw invalid('since', `must be an ISO 8601 time or milliseconds since 1970, not ${show(value)}`)
}

export const HEADER_PARAMETERS: readonly JsonSchema[] = [
  {
    name: 'token',
    in: 'header',
    required: true,
    description: 'The device token.',
    schema: { type: 'string' },
    example: EXAMPLE_TOKEN,
  },
  {
    name: 'platform',
    in: 'header',
    description: `${either(PLATFORMS.map(String))}, optional.`,
    schema: { type: 'string' },
    example: '0',
  },
]

export function readDeviceHeaders(headers: Readonly<Record<string, string | undefined>>) {
  const { token: named } = headers
  if (named === undefined || named === '') throw missing('token header')
  return { token: named, platform: readPlatformHeader(headers['platform']) }
}

function readPlatformHeader(value: string | undefined): Platform | undefined {
  if (value === undefined || value === '') return undefined
  const read = asPlatform(value)
  if (read === null) throw invalid('platform header', `must be ${either(PLATFORMS.map(String))}, not ${show(value)}`)
  return read
}

/** The 32 bytes of an HMAC-SHA256, unchecked: see `judgeNames`. */
function proof(description: string): Field<Uint8Array> {
  return {
    schema: { type: 'string', maxLength: 64, pattern: `${PROOF_HEX.source}|${PROOF_BASE64URL.source}`, description },
    emptyIsAbsent: true,
    read(value, name) {
      const text = typeof value === 'string' ? value : ''
      if (PROOF_HEX.test(text)) return Buffer.from(text, 'hex')
      if (PROOF_BASE64URL.test(text)) return Buffer.from(text, 'base64url')
      throw invalid(name, 'must be an HMAC-SHA256: 64 digits of hex, or 43 characters of base64url')
    },
  }
}
