import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import { MAX_LABELS } from './device.ts'
import type { FcmPlatform, Platform } from './device.ts'

/** The limits that test/api/http/bodies.test.ts holds. */
const MAX_TOKEN_BYTES = 4096
const MAX_NAME_CHARACTERS = 256
/** Of UTF-8, which writes a letter in 1 to 4 of them. */
const MAX_NAME_BYTES = 512
const WHITE_SPACE_OR_CONTROL = /[\s\p{Cc}]/u
const CONTROL = /\p{Cc}/u
/** A decimal, no exponent: what a location looks like in every client library. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

/** The device of all examples in the documentation; as long as Apple's. */
export const EXAMPLE_TOKEN = '3f8a09c1'.repeat(8)

export const token: Field<string> = {
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_TOKEN_BYTES,
    // As `problemOfToken` has it.
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
  // A UTF-16 unit is at most 3 bytes of UTF-8: only a long token needs counting.
  if (value.length > MAX_TOKEN_BYTES / 3 && Buffer.byteLength(value) > MAX_TOKEN_BYTES) {
    return `must be at most ${MAX_TOKEN_BYTES} bytes`
  }
  return null
}

/** An array of tokens, or one. */
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

/** A name of 1 to 256 characters and at most 512 bytes: a tag, a notification type, an alias or a user. */
function readName(value: unknown, name: string): string {
  return readOne(value, name, problemOfName)
}

function problemOfName(value: unknown): string | null {
  if (typeof value !== 'string') return `must be a string, not ${show(value)}`
  if (value === '') return `must be 1 to ${MAX_NAME_CHARACTERS} characters, not empty`
  if (value.length > MAX_NAME_CHARACTERS && codePoints(value) > MAX_NAME_CHARACTERS) {
    return `must be at most ${MAX_NAME_CHARACTERS} characters`
  }
  if (!value.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates'
  // A UTF-16 unit is at most 3 bytes of UTF-8: only a long name needs counting.
  if (value.length > MAX_NAME_BYTES / 3 && Buffer.byteLength(value) > MAX_NAME_BYTES) {
    return `must be at most ${MAX_NAME_BYTES} bytes`
  }
  return CONTROL.test(value) ? 'must not contain control characters' : null
}

/** What is wrong with a string, as the end of a sentence, or that it is none; `null`: nothing is. */
type ProblemOf = (value: unknown) => string | null

function readOne(value: unknown, name: string, problemOf: ProblemOf): string {
  const problem = problemOf(value)
  if (problem !== null) throw invalid(name, problem)
  return value as string
}

/** Names no entry but the one that is refused: of 10,000 users that takes 0.5 ms. */
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

/** An array of names, or one name; repeated names count once. */
export const names: Field<readonly string[]> = {
  schema: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS },
    maxItems: MAX_LABELS,
    description: 'An array of strings, or one string.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (!Array.isArray(value)) {
      if (typeof value === 'string') return [readName(value, name)]
      throw invalid(name, `must be an array of strings, not ${show(value)}`)
    }
    const read = new Set(readEach(value, name, problemOfName))
    if (read.size > MAX_LABELS) throw invalid(name, `must have at most ${MAX_LABELS} entries, not ${read.size}`)
    return [...read]
  },
}

/** For the endpoints whose contract has one name; more are read, as everywhere. */
export const oneName: Field<readonly string[]> = {
  ...names,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_NAME_CHARACTERS,
    description: 'One string; an array of strings is read too.',
  },
}

export const alias: Field<string> = {
  schema: { type: 'string', maxLength: MAX_NAME_CHARACTERS, description: 'Unique within the application.' },
  emptyIsAbsent: true,
  read: readName,
}

/** Where `""` takes the alias away. */
export const aliasOrNone: Field<string> = {
  schema: { ...alias.schema, description: 'Unique within the application; "" removes it.' },
  emptyIsAbsent: false,
  read: (value, name) => (value === '' ? '' : readName(value, name)),
}

/** A user of the app, by the name that its backend has for them. Several devices may have the same. */
export const user: Field<string> = {
  schema: {
    type: 'string',
    maxLength: MAX_NAME_CHARACTERS,
    description: 'Whose device it is: one user may have several.',
  },
  emptyIsAbsent: true,
  read: readName,
}

/** Where `""` takes the user away. */
export const userOrNone: Field<string> = {
  schema: {
    ...user.schema,
    description:
      'Whose device it is, by the id that your backend knows them by: one user may have several. "" removes it.',
  },
  emptyIsAbsent: false,
  read: (value, name) => (value === '' ? '' : readName(value, name)),
}

/** The most users that a call names. */
const MAX_USERS = 10_000

/** An array of users, or one. */
export const users: Field<readonly string[]> = {
  schema: {
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS },
    maxItems: MAX_USERS,
    description: `An array of at most ${MAX_USERS} strings, or one string.`,
  },
  emptyIsAbsent: true,
  read(value, name) {
    if (typeof value === 'string') return [readName(value, name)]
    if (!Array.isArray(value)) throw invalid(name, `must be an array of strings, not ${show(value)}`)
    if (value.length > MAX_USERS) throw invalid(name, `must have at most ${MAX_USERS} entries, not ${value.length}`)
    return readEach(value, name, problemOfName)
  },
}

/** What stands behind a token of FCM. */
export const fcmPlatform: Field<FcmPlatform> = {
  schema: {
    type: 'string',
    enum: ['android', 'ios'],
    description:
      'Of platform 1 alone: "ios" for an iPhone whose app has Firebase\'s SDK, so that FCM hands it what APNs would: sound, badge, thread and the rest. Without it FCM passes on no more than the text. Default "android"; a device of which nobody has said anything is also known by the first answer of Apple\'s that FCM passes on.',
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
