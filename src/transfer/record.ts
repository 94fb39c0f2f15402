import type { Platform } from '../device/device.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'

/** What a file may be told to be. `bellhop`: what `export` writes; `csv`: columns of one's own. */
export const FORMAT_NAMES = ['bellhop', 'csv', 'onesignal', 'parse', 'firebase', 'sns'] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

/** What a file can say of a device: the fields of PUT /deviceToken, and what it cannot say. */
export const FIELDS = [
  'token',
  'platform',
  'alias',
  'user',
  'tag',
  'active',
  'lat',
  'lng',
  'timezone',
  'locale',
  'badge',
  'environment',
  'fcm_platform',
  'registered_at',
  'seen_at',
  'p256dh',
  'auth',
] as const

export type RecordField = (typeof FIELDS)[number]

/**
 * What only an export of Bellhop says besides: of a device that is gone or in quarantine, why and since when; of one that
 * came by an import, whether it has registered since, and by which token it came; and of a browser its keys.
 */
type OwnField = 'keys' | 'updated_at' | 'state' | 'reason' | 'at' | 'imported' | 'adopted'

/** As it stands in the file, unchecked. `undefined`: not said; `null`: none. */
export type Stated = { readonly [Name in RecordField | OwnField]?: unknown }

/** A JSON object, or a line of a CSV by its columns. */
export type FileRecord = Readonly<Record<string, unknown>>

/** What one record of a file holds. */
export type Entry =
  | { readonly kind: 'device'; readonly stated: Stated }
  /** Not for us. `field` is as the file spells it; `reason` says what is wrong with it, and what is allowed. */
  | { readonly kind: 'refused'; readonly field: string; readonly reason: string }
  /** Only in an export of Bellhop. */
  | { readonly kind: 'header' | 'feedback' | 'tally'; readonly record: FileRecord }

export type FieldNames = { readonly [Name in RecordField]?: string }

/** A service whose lists can be read. */
export interface Format {
  readonly name: string
  /** To follow "reads as": `OneSignal's export`. */
  readonly title: string
  /** What a field is called there, where it has another name. */
  readonly names: FieldNames
  /** `key`: under which the record stands in an object, if it does. */
  read(record: unknown, key: string | null): readonly Entry[]
}

/** What says nothing is `undefined`; a number is a name too. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** A value that says nothing is `undefined`; all others are left to the checks. */
export function statedOf(value: unknown): unknown {
  return value === '' || value === null ? undefined : value
}

export function refused(field: string, reason: string): Entry {
  return { kind: 'refused', field, reason }
}

/** The keys of a browser. Others than Bellhop write them as they like to write base64; `undefined`: there are none. */
export function keysOf(p256dh: unknown, auth: unknown): unknown {
  const [point, secret] = [p256dh, auth].map((value) => {
    const text = textOf(value)
    return text?.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') ?? statedOf(value)
  })
  return point === undefined && secret === undefined ? undefined : { p256dh: point, auth: secret }
}

/** The platform by any of its usual names; `null`: another one. */
export function platformOf(word: string): Platform | null {
  const name = word.toLowerCase()
  const isNamed = (one: Platform) => name === String(one) || (PLATFORM[one].words as readonly string[]).includes(name)
  return PLATFORMS.find(isNamed) ?? null
}
