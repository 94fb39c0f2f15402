import { loggedAs, Refused } from '../failure.ts'
import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import type { JsonObject } from '../text/json-object.ts'
import { messageFaultOf } from './message-rules.ts'
import { MESSAGE } from './message-schema.ts'
import { misfitsOf, protoName } from './message-type.ts'
import type { FieldType, Misfit, PathStep } from './message-type.ts'
import type { RawApns, RawFcm } from './notification.ts'
import { apsFaultOf } from './payload-rules.ts'

/** A payload is 4096 bytes at most; nothing of use is nested deeper than this, and stack-driven code meets it later. */
const MAX_DEPTH = 64

/** Apple's own key, and what Google refuses in `data` (FCM, projects.messages `data`). */
const RESERVED_KEY = /^(aps$|from$|message_type$|google|gcm)/

/** Custom fields. `null`: there are none. */
export const payload: Field<JsonObject | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'Custom fields: beside `aps` for APNs, as strings in `data` for FCM. A list is read as an object of its indexes. A value that is null is left out for FCM. Reserved: aps, from, message_type, and what begins with google or gcm; and `image` and `link` beside the field of that name. The id of the push goes along as `bellhop`, unless there is a key of that name here. Nested at most 64 deep; counts towards the 4096 bytes.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const read = readObject(Array.isArray(value) ? Object.fromEntries(value.entries()) : value, name)
    for (const key of Object.keys(read ?? {})) {
      if (RESERVED_KEY.test(key)) {
        throw invalid(
          `${name}.${key.slice(0, 32)}`,
          'is reserved by Apple or Google; not allowed are aps, from, message_type, and what begins with google or gcm',
        )
      }
    }
    return read
  },
}

/** Body keys for APNs that the other fields do not have. `null`: none. */
export const apns: Field<RawApns | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'Merged into the body for APNs after everything else: `aps` key by key, other keys whole. Not headers, and not aps.badge, which is `badge`. Nested at most 64 deep; counts towards the 4096 bytes.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const { aps: given, ...besides } = readObject(value, name) ?? {}
    const aps = readInner(given, `${name}.aps`)
    if (aps === undefined) return Object.keys(besides).length === 0 ? null : besides
    if (Object.hasOwn(aps, 'badge')) {
      throw invalid(`${name}.aps.badge`, 'is not allowed: badge sets it, and counts it for each device')
    }
    const fault = apsFaultOf(aps)
    if (fault !== null) throw invalid(`${name}.aps.${fault.key}`, `${fault.problem}, not ${show(aps[fault.key])}`)
    return { aps, ...besides }
  },
}

/** Message keys for FCM that the other fields do not have. `null`: none. */
export const fcm: Field<RawFcm | null> = {
  schema: {
    type: 'object',
    additionalProperties: true,
    description:
      'Merged into the `message` for FCM (projects.messages) after everything else: `notification`, `data`, `android` and `android.notification` key by key, other keys whole. Not whom it is for (token, fid, topic, condition), not android.ttl, which is `ttl`, and not the count, which is `badge`. Nested at most 64 deep; counts towards the 4096 bytes.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const message = readObject(value, name)
    if (message === null) return null
    const [misfit] = misfitsOf(message, MESSAGE)
    if (misfit !== undefined) throw refuseMisfit(misfit, name)
    const { notification, data, android, ...others } = inOneSpelling(message)
    const { notification: onAndroid, ...config } = inOneSpelling(android ?? {})
    const read: RawFcm = {
      ...others,
      ...inner('notification', notification),
      ...inner('data', data),
      ...inner('android', { ...config, ...inner('notification', onAndroid) }),
    }
    checkOwn(read, name)
    const fault = messageFaultOf(read)
    if (fault !== null) {
      const { failure } = invalid(
        `${name}.${fault.field}`,
        `is refused by Google: ${fault.description.replace(/\.$/, '')}`,
      )
      throw new Refused(loggedAs(failure, `${name}.… is refused by Google.`))
    }
    return Object.keys(read).length === 0 ? null : read
  },
}

/** `null` where there is nothing in it. */
function readObject(value: unknown, name: string): JsonObject | null {
  // What PHP makes of an empty map.
  if (Array.isArray(value) && value.length === 0) return null
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(name, `must be an object, not ${show(value)}`)
  }
  checkNesting(value, name)
  return Object.keys(value).length === 0 ? null : (value as JsonObject)
}

function checkNesting(value: object, name: string): void {
  // Level by level, not by recursion: depth is what is being checked.
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid(name, `must not be nested deeper than ${MAX_DEPTH}`)
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

/** An object inside one, without what is `null` there: as everywhere, that is absent. */
function readInner(value: unknown, name: string): JsonObject | undefined {
  const read = value === undefined || value === null ? null : readObject(value, name)
  return read === null ? undefined : withoutNulls(read)
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

/** Fields in the spelling that our own have, so that they meet when they are merged. */
function inOneSpelling(message: JsonObject): RawFcm {
  return Object.fromEntries(Object.entries(withoutNulls(message)).map(([key, value]) => [protoName(key), value]))
}

function inner(key: string, object: JsonObject | undefined): JsonObject {
  const fields = object === undefined ? {} : key === 'data' ? object : inOneSpelling(object)
  return Object.keys(fields).length === 0 ? {} : { [key]: fields }
}

/** What has a field of its own, since it differs from device to device. */
function checkOwn({ android, ...message }: RawFcm, name: string): void {
  for (const address of ['token', 'fid', 'topic', 'condition']) {
    if (Object.hasOwn(message, address)) {
      throw invalid(`${name}.${address}`, 'is not allowed: whom a push is for is said by the fields beside fcm')
    }
  }
  if (android?.['ttl'] !== undefined) throw invalid(`${name}.android.ttl`, 'is not allowed: ttl sets it')
  if (android?.notification?.['notification_count'] !== undefined) {
    throw invalid(
      `${name}.android.notification.notification_count`,
      'is not allowed: badge sets it, and counts it for each device',
    )
  }
}

function refuseMisfit({ path, expected, value }: Misfit, name: string): Error {
  const place = path.reduce<string>(below, name)
  if (expected === null) return invalid(`${place}.${String(value).slice(0, 32)}`, 'is not a field that FCM has')
  return invalid(place, `must be ${allowedBy(expected)}, not ${show(value)}`)
}

function below(place: string, step: PathStep): string {
  if (typeof step === 'number') return `${place}[${step}]`
  return `${place}.${typeof step === 'object' ? step.key.slice(0, 32) : step}`
}

function allowedBy(type: FieldType): string {
  if (typeof type === 'string') return SCALARS[type]
  if ('enumName' in type) return `one of ${type.values.join(', ')}`
  return 'messageName' in type ? 'an object' : SCALARS[type.listOf]
}

const SCALARS: Readonly<Record<Extract<FieldType, string>, string>> = {
  string: 'a string',
  bool: 'true or false',
  int32: 'a whole number of 32 bits',
  double: 'a number',
  duration: 'seconds in the form "3.5s"',
  map: 'an object of strings',
  struct: 'an object',
}
