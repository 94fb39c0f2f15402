import { describedAs, invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import type { Platform } from '../platform.ts'
import { canonicalTag, MAX_TAG_CHARACTERS } from '../text/language-tag.ts'

/** Tags, and notification types, of one device. test/api/http/bodies.test.ts holds these limits. */
export const MAX_LABELS = 100
const MAX_TOKEN_BYTES = 4096
const MAX_NAME_CHARACTERS = 256
const MAX_NAME_BYTES = 512
const MAX_USERS = 10_000
const WHITE_SPACE_OR_CONTROL = /[\s\p{Cc}]/u
const CONTROL = /\p{Cc}/u
/** No exponent: no client library writes one. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/
/** The runtime would also read an offset, or a date with its zone. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** The documentation's example. */
export const EXAMPLE_TOKEN = '3f8a09c1'.repeat(8)

/** Ends the sentence `name …`; `null`: the value is valid. */
type ProblemOf = (value: unknown) => string | null

export const token: Field<string> = {
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_TOKEN_BYTES,
    // As in `problemOfToken`.
    pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$',
    description:
      'The device token of iOS, in upper or lower case (it is kept in lower case); of Android the registration token, or the Firebase Installation ID; of a browser the endpoint of its subscription. 1 to 4096 bytes without white space.',
    example: EXAMPLE_TOKEN,
  },
  emptyIsAbsent: true,
  read: readToken,
}

export function readToken(value: unknown, name: string): string {
  return readOne(value, name, problemOfToken)
}

function problemOfToken(value: unknown): string | null {
  if (typeof value !== 'string') return `must be a string, not ${show(value)}`
  if (value === '') return 'must not be empty'
  if (WHITE_SPACE_OR_CONTROL.test(value)) return 'must not contain white space or control characters'
  if (!value.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates'
  return isLongerThan(MAX_TOKEN_BYTES, value) ? `must be at most ${MAX_TOKEN_BYTES} bytes` : null
}

const UTF8 = new TextEncoder()

/** A UTF-16 unit is at most 3 bytes of UTF-8, so short texts need no count. */
function isLongerThan(maxBytes: number, text: string): boolean {
  return text.length > maxBytes / 3 && UTF8.encode(text).length > maxBytes
}

export function tokens(max: number): Field<readonly string[]> {
  return {
    schema: { type: 'array', items: token.schema, maxItems: max },
    emptyIsAbsent: true,
    read(value, name) {
      const list = Array.isArray(value) ? value : [value]
      if (list.length > max) throw invalid(name, `must have at most ${max} entries, not ${list.length}`)
      return readEach(list, name, problemOfToken)
    },
  }
}

export const platform: Field<Platform> = {
  schema: {
    type: 'string',
    enum: PLATFORMS.map(String),
    description: `${PLATFORM_CHOICE}. Numbers are read too.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    const known = asPlatform(value)
    if (known === null) throw invalid(name, `must be ${PLATFORM_CHOICE}, not ${show(value)}`)
    return known
  },
}

export function asPlatform(value: unknown): Platform | null {
  return PLATFORMS.find((one) => value === one || value === String(one)) ?? null
}

/** 1 to `max` characters, no control characters. */
export function shortText(max: number, maxBytes = Number.POSITIVE_INFINITY): Field<string> {
  const problemOf = problemOfText(max, maxBytes)
  return {
    schema: { type: 'string', minLength: 1, maxLength: max },
    emptyIsAbsent: true,
    read: (value, name) => readOne(value, name, problemOf),
  }
}

function problemOfText(max: number, maxBytes: number): ProblemOf {
  return (value) => {
    if (typeof value !== 'string') return `must be a string, not ${show(value)}`
    if (value === '') return `must be 1 to ${max} characters, not empty`
    if (value.length > max && codePoints(value) > max) return `must be at most ${max} characters`
    if (!value.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates'
    if (isLongerThan(maxBytes, value)) return `must be at most ${maxBytes} bytes`
    return CONTROL.test(value) ? 'must not contain control characters' : null
  }
}

function readOne(value: unknown, name: string, problemOf: ProblemOf): string {
  const problem = problemOf(value)
  if (problem !== null) throw invalid(name, problem)
  return value as string
}

/** Naming 10,000 users would take 0.5 ms, so an entry gets its name only in a refusal. */
function readEach(list: readonly unknown[], name: string, problemOf: ProblemOf): readonly string[] {
  for (let index = 0; index < list.length; index++) {
    if (problemOf(list[index]) !== null) readOne(list[index], `${name}[${index}]`, problemOf)
  }
  return list as readonly string[]
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** `""` removes the value. */
export function orNone(field: Field<string>): Field<string> {
  const { minLength: _, ...schema } = field.schema
  return { schema, emptyIsAbsent: false, read: (value, name) => (value === '' ? '' : field.read(value, name)) }
}

const problemOfName = problemOfText(MAX_NAME_CHARACTERS, MAX_NAME_BYTES)
const { schema: NAME, ...nameReading } = shortText(MAX_NAME_CHARACTERS, MAX_NAME_BYTES)
const name = { ...nameReading, schema: { type: 'string', maxLength: MAX_NAME_CHARACTERS } }

/** Without duplicates. */
export const names: Field<readonly string[]> = {
  schema: { type: 'array', items: NAME, maxItems: MAX_LABELS, description: 'An array of strings, or one string.' },
  emptyIsAbsent: true,
  read(value, name) {
    const read = new Set(readNames(value, name))
    if (read.size > MAX_LABELS) throw invalid(name, `must have at most ${MAX_LABELS} entries, not ${read.size}`)
    return [...read]
  },
}

function readNames(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') return [readOne(value, name, problemOfName)]
  if (!Array.isArray(value)) throw invalid(name, `must be an array of strings, not ${show(value)}`)
  return readEach(value, name, problemOfName)
}

/** The contract has one name here. */
export const oneName: Field<readonly string[]> = {
  ...names,
  schema: { ...NAME, description: 'One string; an array of strings is read too.' },
}

export const alias = describedAs('Unique within the application.', name)

/** The ID that the app's backend has for a user. */
export const user = describedAs('Whose device it is: one user may have several.', name)

export const users: Field<readonly string[]> = {
  schema: {
    type: 'array',
    items: NAME,
    maxItems: MAX_USERS,
    description: `An array of at most ${MAX_USERS} strings, or one string.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (Array.isArray(value) && value.length > MAX_USERS)
      throw invalid(name, `must have at most ${MAX_USERS} entries, not ${value.length}`)
    return readNames(value, name)
  },
}

/** An iPhone has an FCM token too if its app uses Firebase's SDK. */
export const fcmPlatform: Field<'android' | 'ios'> = {
  schema: {
    type: 'string',
    enum: ['android', 'ios'],
    description:
      'Only for platform 1: "ios" for an iPhone whose app uses Firebase\'s SDK, so that FCM delivers what APNs would: sound, badge, thread and so on. Without it, FCM delivers only the text. Default "android"; a device of which nobody has said anything is also known by the first answer of Apple\'s that FCM passes on.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (value === 'android' || value === 'ios') return value
    throw invalid(name, `must be "android" or "ios", not ${show(value)}`)
  },
}

export const latitude = degrees(90)
export const longitude = degrees(180)

function degrees(limit: number): Field<number> {
  return {
    schema: {
      oneOf: [{ type: 'number', minimum: -limit, maximum: limit }, { type: 'string' }],
      description: `Decimal degrees, -${limit} to ${limit}, as a number or in a string.`,
    },
    emptyIsAbsent: true,
    read(value, name) {
      const read = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
      if (typeof read === 'number' && Math.abs(read) <= limit) return read === 0 ? 0 : read
      throw invalid(name, `must be decimal degrees between -${limit} and ${limit}, not ${show(value)}`)
    },
  }
}

/** A BCP 47 tag in canonical form, or `''`. */
export const locale: Field<string> = {
  schema: {
    type: 'string',
    maxLength: MAX_TAG_CHARACTERS,
    description: 'The device\'s language, a BCP 47 tag with - or _. Selects the text of a push. "" removes it.',
    example: 'pt-BR',
  },
  emptyIsAbsent: false,
  read(value, name) {
    const tag = typeof value === 'string' ? canonicalTag(value) : null
    if (value === '' || tag !== null) return tag ?? ''
    throw invalid(name, `must be a language tag such as pt-BR, or "" for none, not ${show(value)}`)
  },
}

/** An IANA time zone as the zone database spells it, or `''`. */
export const timezone: Field<string> = {
  schema: {
    type: 'string',
    maxLength: 64,
    description: 'The time zone of the device, by its IANA name; "" removes it.',
    example: 'Europe/Berlin',
  },
  emptyIsAbsent: false,
  read(value, name) {
    if (value === '') return ''
    const known = typeof value === 'string' && ZONE_NAME.test(value) ? nameInDatabase(value) : null
    if (known !== null) return known
    throw invalid(name, `must be an IANA time zone such as Europe/Berlin, or "" for none, not ${show(value)}`)
  },
}

/** `europe/berlin` → Europe/Berlin; an alias of a zone stays. `null`: unknown. */
function nameInDatabase(name: string): string | null {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
