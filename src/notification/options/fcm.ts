import { loggedAs, Refused } from '../../failure.ts'
import { invalid, show } from '../../http/fields.ts'
import type { JsonObject } from '../../text/json-object.ts'
import { messageFaultOf } from '../message-rules.ts'
import { MESSAGE } from '../message-schema.ts'
import { inOneSpelling, misfitsOf } from '../message-type.ts'
import type { FieldType, Misfit, PathStep } from '../message-type.ts'
import { readObject, withoutNulls } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

export type RawFcm = JsonObject & {
  readonly notification?: JsonObject
  readonly data?: JsonObject
  readonly android?: JsonObject & { readonly notification?: JsonObject }
}

/**
 * Merged last; `notification`, `data`, `android` and its `notification` key by key. Names are in snake_case. Has no
 * address, time to live or count.
 */
export const fcm: PushOption<RawFcm> = {
  field: {
    schema: {
      type: 'object',
      additionalProperties: true,
      description:
        'Merged into the `message` for FCM (projects.messages) after everything else: `notification`, `data`, `android` and `android.notification` key by key, other keys whole. Cannot set the target (token, fid, topic, condition), android.ttl (use `ttl`) or the count (use `badge`). Nested at most 64 deep; counts towards the 4096 bytes.',
      example: { android: { notification: { color: '#0b6e4f' } } },
    },
    emptyIsAbsent: true,
    read(value, name) {
      const message = readObject(value, name)
      if (message === null) return null
      const [misfit] = misfitsOf(message, MESSAGE)
      if (misfit !== undefined) throw refuseMisfit(misfit, name)
      const { notification, data, android, ...others } = inOneSpelling(withoutNulls(message)) as RawFcm
      const { notification: onAndroid, ...config } = inOneSpelling(withoutNulls(android ?? {})) as RawFcm
      const read: RawFcm = {
        ...others,
        ...inner('notification', notification),
        ...inner('data', data),
        ...inner('android', { ...config, ...inner('notification', onAndroid) }),
      }
      checkOwn(read, name)
      const fault = messageFaultOf(read)
      if (fault !== null) {
        const problem = `is refused by Google: ${fault.description.replace(/\.$/, '')}`
        const { failure } = invalid(`${name}.${fault.field}`, problem)
        throw new Refused(loggedAs(failure, `${name}.… is refused by Google.`))
      }
      return Object.keys(read).length === 0 ? null : read
    },
  },
  isEnough: true,
  mayBeLong: true,
  input: { kind: 'json', label: 'FCM override (JSON)', hint: 'Merged into the message last.' },
  fcm({ notification, data, android, ...message }, draft) {
    const { notification: onAndroid, ...config } = android ?? {}
    draft.notification = { ...draft.notification, ...notification }
    draft.data = { ...draft.data, ...data }
    draft.android = { ...draft.android, ...config }
    draft['android.notification'] = { ...draft['android.notification'], ...onAndroid }
    draft[''] = { ...draft[''], ...message }
  },
}

function inner(key: string, object: JsonObject | undefined): JsonObject {
  const fields = object === undefined ? {} : key === 'data' ? object : inOneSpelling(withoutNulls(object))
  return Object.keys(fields).length === 0 ? {} : { [key]: fields }
}

/** These have a field of their own, since they differ by device. */
function checkOwn({ android, ...message }: RawFcm, name: string): void {
  for (const address of ['token', 'fid', 'topic', 'condition']) {
    if (Object.hasOwn(message, address)) {
      throw invalid(`${name}.${address}`, 'is not allowed: choose the audience with the fields beside fcm')
    }
  }
  if (android?.['ttl'] !== undefined) throw invalid(`${name}.android.ttl`, 'is not allowed: use ttl')
  if (android?.notification?.['notification_count'] !== undefined) {
    const place = `${name}.android.notification.notification_count`
    throw invalid(place, 'is not allowed: use badge, which counts it for each device')
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
