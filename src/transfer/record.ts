import { CSV, PLAIN, PLAIN_FACTS } from '../device/columns.ts'
import type { CsvName, PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'

/** What a file can be said to be. `bellhop`: what `export` writes; `csv`: columns of any names. */
export const FORMAT_NAMES = [
  'bellhop',
  'csv',
  'onesignal',
  'parse',
  'firebase',
  'sns',
  'pinpoint',
  'twilio',
  'webpush',
] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

/** What a file can say about a device: the fields of PUT /deviceToken, and what that cannot say. */
export type RecordField = CsvName
export const FIELDS = Object.keys(CSV) as readonly RecordField[]

/**
 * What only an export of Bellhop says: why and since when a device is gone or quarantined; whether an imported device has
 * registered since, and which token it was imported with; and the keys of a browser.
 */
type OwnField = 'keys' | 'updated_at' | 'state' | 'reason' | 'at' | 'imported' | 'adopted'

/** As it is in the file, unchecked. `undefined`: not said; `null`: none. */
export type Stated = { readonly [Name in RecordField | OwnField]?: unknown }

export type FileRecord = Readonly<Record<string, unknown>>

export type Entry =
  | { readonly kind: 'device'; readonly stated: Stated }
  /** `field` is as the file spells it; `reason` says what is wrong with it, and what is allowed. */
  | { readonly kind: 'refused'; readonly field: string; readonly reason: string }
  /** Only in an export of Bellhop. */
  | { readonly kind: 'header' | 'feedback' | 'tally'; readonly record: FileRecord }

export type FieldNames = { readonly [Name in RecordField]?: string }

export interface Format {
  readonly name: string
  /** To follow "reads as": `OneSignal's export`. */
  readonly title: string
  /** What a field is called there, where it has another name. */
  readonly names: FieldNames
  /** `key`: the one of the record, if the records are members of an object. */
  read(record: unknown, key: string | null): readonly Entry[]
}

/** A text, or a number as one; `undefined`: neither, or empty. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** An empty value is `undefined`; all others are left to the checks. */
export function statedOf(value: unknown): unknown {
  return value === '' || value === null ? undefined : value
}

export function refused(field: string, reason: string): Entry {
  return { kind: 'refused', field, reason }
}

/** The keys of a browser, in any spelling of base64; `undefined`: there are none. */
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

/** The names of plain columns in the exports of a service. */
export function plainNamesIn(service: 'onesignal' | 'parse'): { readonly [Name in PlainName]?: string } {
  return Object.fromEntries(PLAIN.map((name) => [name, PLAIN_FACTS[name][service]]).filter(([, name]) => name))
}

/** The plain columns of a record with these names. */
export function plainIn(record: FileRecord, names: { readonly [Name in PlainName]?: string }): Stated {
  return Object.fromEntries(Object.entries(names).map(([name, there]) => [name, textOf(record[there])]))
}
