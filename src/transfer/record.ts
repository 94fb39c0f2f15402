import { CSV, PLAIN, PLAIN_FACTS } from '../device/columns.ts'
import type { CsvName, PlainName } from '../device/columns.ts'
import type { Platform } from '../device/device.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'

/** `bellhop`: from `export`; `csv`: columns of any names. */
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

/** The fields of PUT /deviceToken, and more. */
export type RecordField = CsvName
export const FIELDS = Object.keys(CSV) as readonly RecordField[]

/** Only Bellhop's export has these. */
type OwnField = 'keys' | 'updated_at' | 'state' | 'reason' | 'at' | 'imported' | 'adopted'

/** Unchecked, as in the file. `undefined`: absent; `null`: none. */
export type Stated = { readonly [Name in RecordField | OwnField]?: unknown }

export type FileRecord = Readonly<Record<string, unknown>>

export type Entry =
  | { readonly kind: 'device'; readonly stated: Stated }
  /** `field` is spelled as in the file; `reason` says what is wrong and what is allowed. */
  | { readonly kind: 'refused'; readonly field: string; readonly reason: string }
  /** Only in Bellhop's export. */
  | { readonly kind: 'header' | 'feedback' | 'tally'; readonly record: FileRecord }

export type FieldNames = { readonly [Name in RecordField]?: string }

export interface Format {
  /** Follows "reads as": `OneSignal's export`. */
  readonly title: string
  /** Other names for fields. */
  readonly names: FieldNames
  /** `key`: the record's, if records are members of an object. */
  read(record: unknown, key: string | null): readonly Entry[]
}

/** A number becomes text. `undefined`: empty, or neither. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** Empty becomes `undefined`; the checks judge the rest. */
export function statedOf(value: unknown): unknown {
  return value === '' || value === null ? undefined : value
}

export function refused(field: string, reason: string): Entry {
  return { kind: 'refused', field, reason }
}

/** A browser's keys, in any base64. `undefined`: none. */
export function keysOf(p256dh: unknown, auth: unknown): unknown {
  const [point, secret] = [p256dh, auth].map((value) => {
    const text = textOf(value)
    return text?.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') ?? statedOf(value)
  })
  return point === undefined && secret === undefined ? undefined : { p256dh: point, auth: secret }
}

/** By any usual name; `null`: unknown. */
export function platformOf(word: string): Platform | null {
  const name = word.toLowerCase()
  const isNamed = (one: Platform) => name === String(one) || (PLATFORM[one].words as readonly string[]).includes(name)
  return PLATFORMS.find(isNamed) ?? null
}

export function plainNamesIn(service: 'onesignal' | 'parse'): { readonly [Name in PlainName]?: string } {
  return Object.fromEntries(PLAIN.map((name) => [name, PLAIN_FACTS[name][service]]).filter(([, name]) => name))
}

export function plainIn(record: FileRecord, names: { readonly [Name in PlainName]?: string }): Stated {
  return Object.fromEntries(Object.entries(names).map(([name, there]) => [name, textOf(record[there])]))
}
