import { count, listOf, oneOf, orNull, platformSchema, text } from '../http/answer-schema.ts'
import { describedAs, optional, required } from '../http/fields.ts'
import type { Field, JsonSchema, Member } from '../http/fields.ts'
import {
  alias,
  fcmPlatform,
  latitude,
  locale,
  longitude,
  names,
  orNone,
  platform,
  shortText,
  timezone,
  token,
  user,
} from './device-fields.ts'
import { keys } from './webpush/keys-field.ts'

/** Its key in `COLUMNS` is its name in bodies, records, exports, imports and the table `device`. */
interface Column {
  /** How PUT /deviceToken reads it. Absent: apps cannot set it. */
  readonly said?: Member<unknown, boolean>
  /** Its schema in the device record. Absent: only an export has it. */
  readonly record?: JsonSchema
  /** Other headers in a CSV, in lower-case letters and digits. Absent: not read from a CSV. */
  readonly csv?: readonly string[]
  readonly plain?: Plain
}

/**
 * An optional text; `""` removes it, and records omit it when unknown. Registration, moves, imports, exports and pages
 * read this list.
 */
interface Plain {
  /** The column stores an index into this list. Default: the text. */
  readonly codes?: readonly string[]
  /** Its names in the exports of other services. */
  readonly onesignal?: string
  readonly parse?: string
  readonly firebase?: readonly string[]
  /** Its name in the dashboard. Absent: not shown, or shown in another way. */
  readonly label?: string
  /** Its heading in `bellhop devices`. Absent: not listed. */
  readonly heading?: string
  /** How `where` of a push reads it. Absent: `where` cannot ask for it. */
  readonly where?: Field<string>
}

const version = shortText(64)

/** A new `plain` entry needs only a migration and a column in database/schema.ts. */
export const COLUMNS = {
  token: {
    said: required(token),
    record: text('The device token of iOS, the registration ID of Android, or the endpoint of a browser.'),
    csv: [
      'devicetoken',
      'registrationid',
      'registrationtoken',
      'fcmtoken',
      'apnstoken',
      'pushtoken',
      'identifier',
      'fid',
      'installationid',
      'firebaseinstallationid',
    ],
  },
  platform: { said: required(platform), record: platformSchema, csv: ['os', 'devicetype', 'deviceplatform'] },
  alias: {
    said: optional(describedAs('Unique within the application; "" removes it.', orNone(alias)), ['Alias']),
    record: orNull(text('Unique within the application; null when unset.')),
    csv: [],
  },
  user: {
    said: optional(
      describedAs(
        'Whose device it is, by the id that your backend knows them by: one user may have several. "" removes it.',
        orNone(user),
      ),
    ),
    record: text('Whose device it is; absent where that is not said.'),
    csv: ['userid', 'uid', 'externaluserid', 'externalid'],
    plain: {},
  },
  tag: {
    said: optional(
      describedAs(
        'Tags, such as "beta" or "plan:pro". For the user, use `user`, which can be proven. Pushes select by them with `tags`. An array of strings, or one string; an empty array removes all.',
        names,
      ),
      ['tags'],
    ),
    record: listOf(text(), 'Tags.'),
    csv: ['tags'],
  },
  active: {
    said: optional(
      describedAs(
        'Notification types that the user wants, such as "news". Pushes select by them with `active`. An array of strings, or one string; an empty array removes all.',
        names,
      ),
    ),
    record: listOf(text(), 'Notification types.'),
    csv: [],
  },
  lat: {
    said: optional(latitude),
    record: orNull(text('Latitude in decimal degrees; null when unset.')),
    csv: ['latitude'],
  },
  lng: {
    said: optional(longitude),
    record: orNull(text('Longitude in decimal degrees; null when unset.')),
    csv: ['lon', 'long', 'longitude'],
  },
  timezone: {
    said: optional(timezone),
    record: text('IANA name. Absent if unknown.'),
    csv: [],
    plain: {
      onesignal: 'timezone_id',
      parse: 'timeZone',
      firebase: ['timezone', 'timeZone', 'time_zone'],
      label: 'Time zone',
    },
  },
  locale: {
    said: optional(locale),
    record: text('Language tag (BCP 47) in canonical form. Absent if unknown.'),
    csv: ['language', 'localeidentifier', 'lang'],
    plain: {
      onesignal: 'language',
      parse: 'localeIdentifier',
      firebase: ['locale', 'language', 'lang'],
      label: 'Language',
    },
  },
  app_version: {
    said: optional(
      describedAs(
        'The app\'s version, such as "2.3.1". Pushes can select by it in `where`. "" removes it.',
        orNone(version),
      ),
    ),
    record: text("The app's version, as it registered it. Absent if unknown."),
    csv: ['gameversion', 'versionname'],
    plain: {
      onesignal: 'game_version',
      parse: 'appVersion',
      firebase: ['appVersion', 'app_version'],
      label: 'App version',
      heading: 'APP VERSION',
      where: version,
    },
  },
  client: {
    said: optional(
      describedAs(
        'The client library and its version, such as "web/1.2.0". Libraries say it in the header `X-BELLHOP-CLIENT`. "" removes it.',
        orNone(version),
      ),
    ),
    record: text('The client library that registered it, and its version. Absent if unknown.'),
    csv: [],
    plain: { label: 'Client library' },
  },
  badge: { record: count('The stored badge count, which relative badges start from.'), csv: [] },
  environment: { csv: [] },
  fcm_platform: {
    said: optional(fcmPlatform),
    record: oneOf(
      ['android', 'ios'],
      "For platform 1: the system behind the token, as the app said or FCM's answers showed. Absent if unknown.",
    ),
    csv: [],
    plain: { codes: ['android', 'ios'] },
  },
  keys: { said: optional(keys) },
  registered_at: { csv: ['createdat', 'created'] },
  seen_at: { csv: ['lastseen', 'lastseenat', 'lastactive', 'updatedat'] },
  updated_at: {},
  /** Each of a browser's two `keys`, if a CSV has a column for it. */
  p256dh: { csv: ['keysp256dh', 'p256', 'webp256'] },
  auth: { csv: ['keysauth', 'webauth'] },
} as const satisfies Readonly<Record<string, Column>>

type Columns = typeof COLUMNS
type NameWith<Part> = { [Name in keyof Columns]: Columns[Name] extends Part ? Name : never }[keyof Columns]

export type PlainName = NameWith<{ readonly plain: object }>
type ValueOf<Name extends PlainName> = Columns[Name]['said'] extends Member<infer Value, boolean> ? Value : never

/** `null`: unknown. */
export type PlainValues = { readonly [Name in PlainName]: ValueOf<Name> | null }
/** An omitted value stays; `''` and `null` remove it. */
export type PlainChanges = { readonly [Name in PlainName]?: ValueOf<Name> | null | undefined }
export type PlainRow = {
  readonly [Name in PlainName]: Columns[Name]['plain'] extends { readonly codes: unknown }
    ? number | null
    : string | null
}

const ENTRIES: readonly (readonly [string, Column])[] = Object.entries(COLUMNS)

/** Every list of columns keeps this order. */
export const PLAIN = ENTRIES.flatMap(([name, { plain }]) => (plain === undefined ? [] : [name])) as readonly PlainName[]
export const PLAIN_FACTS = Object.fromEntries(ENTRIES.map(([name, { plain }]) => [name, plain])) as Readonly<
  Record<PlainName, Plain>
>

export const ASKABLE: ReadonlyMap<PlainName, Field<string>> = new Map(
  PLAIN.flatMap((name) => {
    const { where } = PLAIN_FACTS[name]
    return where === undefined ? [] : [[name, where]]
  }),
)

type Said = { readonly [Name in NameWith<{ readonly said: unknown }>]: Columns[Name]['said'] }
export const SAID = partsOf('said') as Said

type Recorded = { readonly [Name in NameWith<{ readonly record: unknown }>]: Columns[Name]['record'] }
export const RECORDED = partsOf('record') as Recorded

export type CsvName = NameWith<{ readonly csv: unknown }>
export const CSV = partsOf('csv') as Readonly<Record<CsvName, readonly string[]>>

function partsOf(part: 'said' | 'record' | 'csv'): object {
  return Object.fromEntries(
    ENTRIES.filter(([, column]) => part in column).map(([name, column]) => [name, column[part]]),
  )
}

export function storedOf(name: PlainName, value: string | null): string | number | null {
  const { codes } = PLAIN_FACTS[name]
  return value === null || codes === undefined ? value : codes.indexOf(value)
}

export function plainOf(row: PlainRow): PlainValues {
  const values: Record<string, unknown> = {}
  for (const name of PLAIN) {
    const stored = row[name]
    values[name] = typeof stored === 'number' ? (PLAIN_FACTS[name].codes?.[stored] ?? null) : stored
  }
  return values as PlainValues
}

export function plainAfter(said: PlainChanges, had?: PlainValues): PlainValues {
  const values: Record<string, unknown> = {}
  for (const name of PLAIN) values[name] = said[name] === undefined ? (had?.[name] ?? null) : said[name] || null
  return values as PlainValues
}
