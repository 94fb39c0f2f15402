import { DAY_MS } from '../clock.ts'
import { MAX_BADGE } from '../device/badge.ts'
import { PLAIN } from '../device/columns.ts'
import { asPlatform, MAX_LABELS, platform as platformField, readToken } from '../device/device-fields.ts'
import { RegisterDevice } from '../device/device-schema.ts'
import type { Platform } from '../device/device.ts'
import type { ImportedDevice, ImportedFeedback, Left } from '../device/transfer/imported-device.ts'
import { endpointFormProblem } from '../device/webpush/push-services.ts'
import { refusalIn } from '../failure.ts'
import { wholeNumber } from '../http/fields.ts'
import type { PlatformDay } from '../stats/tally-store.ts'
import { isJsonObject } from '../text/json-object.ts'
import type { FieldNames, FileRecord, Stated } from './record.ts'
import { readTime } from './time.ts'
import { PLATFORM } from '../platform.ts'

/** `field` is spelled as in the file; `reason` begins with it and says what is allowed. */
export interface RowComplaint {
  readonly field: string
  readonly reason: string
}

export type Checked =
  /** `leftOut`: fields that broke a rule. */
  | { readonly kind: 'device'; readonly device: ImportedDevice; readonly leftOut: readonly RowComplaint[] }
  | ({ readonly kind: 'refused' } & RowComplaint)

export interface RowCheck {
  readonly names: FieldNames
  /** From another service: its iOS tokens must be Apple's. Bellhop imports all tokens that it exported. */
  readonly isForeign: boolean
  /** Follows `platform`; `null`: browsers are imported. */
  readonly noBrowsers: string | null
  /** Later times become this. */
  readonly now: number
}

/**
 * Checks a row by the rules of PUT /deviceToken. Token and platform must be right. Other fields that break a rule are
 * left out: losing a tag is better than losing a reachable device.
 */
export function checkDevice(stated: Stated, check: RowCheck): Checked {
  const leftOut: RowComplaint[] = []
  const given: Record<string, unknown> = { ...stated }
  const complain = (field: string, problem: string) => complaintOf(`${field} ${problem}.`, check.names)
  const platform = asPlatform(given['platform'])
  const facts = platform === null ? null : PLATFORM[platform]
  if (typeof given['token'] === 'string' && /^Expo(nent)?PushToken\[/.test(given['token'])) {
    return { kind: 'refused', ...complain('token', EXPO_TOKEN) }
  }
  if (check.isForeign && typeof given['token'] === 'string' && facts?.tokens === 'hex') {
    const token = appleToken(given['token'])
    if (token === null) {
      return { kind: 'refused', ...complain('token', 'of iOS must be 64 to 200 hex digits, as Apple gives it') }
    }
    given['token'] = token
  }
  // Other senders number platforms differently: 1 is iOS for Gorush.
  if (check.isForeign && facts?.tokens === 'opaque' && appleToken(String(given['token'])) !== null) {
    return { kind: 'refused', ...complain('token', `is Apple's, but the platform is ${facts.name}`) }
  }
  const hasKeys = facts?.hasKeys === true
  if (hasKeys && check.noBrowsers !== null) {
    return { kind: 'refused', ...complain('platform', check.noBrowsers) }
  }
  // For other platforms, a column of this name is something else.
  if (!hasKeys && check.isForeign) delete given['keys']

  for (;;) {
    try {
      const { value } = RegisterDevice['~standard'].validate(given)
      const strayed = PLATFORM[value.platform].tokens === 'endpoint' ? endpointFormProblem(value.token) : null
      if (strayed !== null) return { kind: 'refused', ...complain('token', strayed) }
      return { kind: 'device', device: { ...value, ...rest(given, check, leftOut) }, leftOut }
    } catch (error) {
      const { message } = refusalIn(error)
      const complaint = complaintOf(message, check.names)
      if (!leaveOut(given, message)) return { kind: 'refused', ...complaint }
      leftOut.push(complaint)
    }
  }
}

/** A phone's name in Expo's own database (docs.expo.dev/push-notifications/sending-notifications-custom). */
const EXPO_TOKEN =
  "is Expo's, which only Expo can send to: the app has to register the phone's own token (bellhop manual from-expo)"

/** Removes the refused field from `given`; false: a device needs it. */
function leaveOut(given: Record<string, unknown>, message: string): boolean {
  const [, field = '', index] = /^(\w+)(?:\[(\d+)\])?/.exec(message) ?? []
  if (
    field === 'token' ||
    field === 'platform' ||
    field === 'keys' ||
    !(field in given || field === 'lat' || field === 'lng')
  )
    return false
  const value = given[field]
  if (index !== undefined && Array.isArray(value)) given[field] = value.toSpliced(Number(index), 1)
  else if (Array.isArray(value)) given[field] = [...new Set(value)].slice(0, MAX_LABELS)
  else {
    delete given[field]
    if (field === 'lat' || field === 'lng') {
      delete given['lat']
      delete given['lng']
    }
  }
  return true
}

/** `token must be …` → with the file's name. */
function complaintOf(message: string, names: FieldNames): RowComplaint {
  const [, field = '', more = ''] = /^(keys\.\w+|\w+)([^]*)$/.exec(message) ?? []
  // A CSV has two columns for keys; a complaint about both names the first.
  const inFile = field === 'keys' ? 'p256dh' : field.replace('keys.', '')
  const name = (names as Readonly<Record<string, string>>)[inFile] ?? field
  return { field: name, reason: `${name}${more}` }
}

/** The fields that PUT /deviceToken does not have. */
function rest(given: Record<string, unknown>, check: RowCheck, leftOut: RowComplaint[]): Partial<ImportedDevice> {
  const problem = (field: string, text: string) => void leftOut.push(complaintOf(`${field} ${text}.`, check.names))

  function timeIn(field: string): number | undefined {
    const value = given[field]
    if (value === undefined || value === null) return undefined
    const time = readTime(value)
    if (time === null) problem(field, 'must be a time: ISO 8601, or seconds or milliseconds since 1970')
    return time === null ? undefined : Math.min(time, check.now)
  }

  const { alias, user, lat, badge, environment, state, imported = check.isForeign || undefined } = given
  const device: { -readonly [Name in keyof ImportedDevice]?: ImportedDevice[Name] } = {
    registeredAt: timeIn('registered_at'),
    seenAt: timeIn('seen_at'),
    updatedAt: timeIn('updated_at'),
  }
  for (const name of ['alias', ...PLAIN] as const) if (given[name] === null) device[name] = null
  if (check.isForeign && user !== undefined && user === alias) device.aliasIsUser = true
  if (lat === null) Object.assign(device, { lat: null, lng: null })
  if (badge !== undefined && badge !== null) {
    try {
      device.badge = wholeNumber(0, MAX_BADGE).read(badge, 'badge')
    } catch (error) {
      leftOut.push(complaintOf(refusalIn(error).message, check.names))
    }
  }
  if (environment === null || environment === 'production' || environment === 'sandbox') {
    device.environment = environment
  } else if (environment !== undefined) problem('environment', 'must be production or sandbox')
  if (typeof imported === 'boolean') device.imported = imported
  else if (imported !== undefined) problem('imported', 'must be true or false')
  if (given['adopted'] !== undefined) {
    device.adopted = adoptedIn(given['adopted'])
    if (device.adopted === undefined) problem('adopted', 'must be {"token": …, "at": an ISO 8601 time}')
  }
  if (state === 'gone' || state === 'quarantined') device.left = leftOf(given, state, device.updatedAt ?? check.now)
  return device
}

function leftOf({ reason, at }: FileRecord, state: Left['state'], updatedAt: number): Left {
  const time = readTime(at)
  return { state, reason: typeof reason === 'string' && time !== null ? reason : null, at: time ?? updatedAt }
}

function adoptedIn(value: unknown): ImportedDevice['adopted'] {
  if (!isJsonObject(value)) return undefined
  const at = readTime(value['at'])
  try {
    return at === null ? undefined : { token: readToken(value['token'], 'token'), at }
  } catch (error) {
    refusalIn(error)
    return undefined
  }
}

/** Apple's SDK gives bytes. Apps write them as hex in either case, some as `<… …>`. `null`: not Apple's. */
function appleToken(token: string): string | null {
  const hex = token.replaceAll(/[<>\s]/g, '').toLowerCase()
  return /^([0-9a-f]{2}){32,100}$/.test(hex) ? hex : null
}

/** `null`: invalid line. */
export function feedbackOf(record: FileRecord): ImportedFeedback | null {
  const { reason } = record
  const at = readTime(record['at'])
  const tokens = tokenOf(record)
  return tokens === null || typeof reason !== 'string' || at === null ? null : { ...tokens, reason, at }
}

function tokenOf({ token, platform }: FileRecord): { token: string; platform: Platform } | null {
  try {
    return { token: readToken(token, 'token'), platform: platformField.read(platform, 'platform') }
  } catch (error) {
    refusalIn(error)
    return null
  }
}

/** `null`: invalid line. */
export function tallyOf(record: FileRecord): PlatformDay | null {
  // Exports had no `received` before Bellhop counted arrivals.
  const { day, platform, t, s, o, received = 0 } = record
  const time = readTime(day)
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
  const on = typeof platform === 'string' ? asPlatform(platform) : null
  if (time === null || on === null) return null
  if (!isCount(t) || !isCount(s) || !isCount(o) || !isCount(received)) return null
  return { day: Math.floor(time / DAY_MS), platform: on, t, s, o, received }
}
