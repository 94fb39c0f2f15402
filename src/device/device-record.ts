import {
  count,
  listOf,
  objectSchema,
  oneOf,
  orNull,
  platformSchema as platformWritten,
  text,
  time,
} from '../http/answer-schema.ts'
import type { JsonSchema } from '../http/fields.ts'
import { isoTime } from '../text/format.ts'
import { EXAMPLE_TOKEN } from './device-fields.ts'
import type { Device, FcmPlatform, Platform } from './device.ts'
import { tokenWarning } from './push-token.ts'

/** The device record on the wire (test/api/contract/10-device-details.test.ts). */
export interface DeviceRecord {
  readonly token: string
  readonly platform: WrittenPlatform
  readonly lat: string | null
  readonly lng: string | null
  readonly active: readonly string[]
  readonly tag: readonly string[]
  readonly alias: string | null
  readonly badge: number
  /** These only where they are known: clients of the contract do not know them. */
  readonly user?: string | undefined
  readonly timezone?: string | undefined
  /** BCP 47. */
  readonly locale?: string | undefined
  /** Of platform 1. */
  readonly fcm_platform?: FcmPlatform | undefined
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly updated_at: string
  /** Only where there are any. Of the alias and of labels only in the answer to a registration. */
  readonly warnings?: readonly string[] | undefined
}

/** How a record is written, and the schema of that. */
export interface RecordShape {
  readonly written: (record: DeviceRecord) => object
  readonly schema: JsonSchema
}

export function deviceRecordOf(device: Device, warnings: readonly string[] = []): DeviceRecord {
  const { registeredAt, updatedAt, user, timezone, locale, fcmPlatform } = device
  const ofToken = tokenWarning(device.platform, device.token)
  const all = ofToken === null ? warnings : [...warnings, ofToken]
  const updated = isoTime(updatedAt)
  return {
    token: device.token,
    platform: platformOnWire(device.platform),
    lat: degreesOnWire(device.lat),
    lng: degreesOnWire(device.lng),
    active: device.active,
    tag: device.tag,
    alias: device.alias,
    badge: device.badge,
    user: user ?? undefined,
    timezone: timezone ?? undefined,
    locale: locale ?? undefined,
    fcm_platform: fcmPlatform ?? undefined,
    created_at: registeredAt === updatedAt ? updated : isoTime(registeredAt),
    updated_at: updated,
    warnings: all.length > 0 ? all : undefined,
  }
}

/** Plain digits also below 0.000001, where `String` turns to an exponent, which the API does not read. */
function degreesOnWire(degrees: number | null): string | null {
  if (degrees === null) return null
  return Math.abs(degrees) < 1e-6 ? TINY.format(degrees) : String(degrees)
}

const TINY = new Intl.NumberFormat('en', { maximumFractionDigits: 20, signDisplay: 'negative' })

export type WrittenPlatform = `${Platform}`

export function platformOnWire(platform: Platform): WrittenPlatform {
  return `${platform}`
}

const label = { type: 'string' }

/** `DeviceRecord`, as JSON Schema. */
export const RECORD = objectSchema(
  'Device',
  {
    token: text('The device token of iOS, the registration ID of Android, or the endpoint of a browser.'),
    platform: platformWritten,
    lat: orNull(text('Latitude in decimal degrees; null when unset.')),
    lng: orNull(text('Longitude in decimal degrees; null when unset.')),
    active: { ...listOf(label), description: 'Notification types.' },
    tag: { ...listOf(label), description: 'Tags.' },
    alias: orNull(text('Unique within the application; null when unset.')),
    badge: count('The badge count that is stored; relative badges count from it.'),
    user: text('Whose device it is; absent where that is not said.'),
    timezone: text('IANA name; absent where it is not known.'),
    locale: text('Language tag (BCP 47) in canonical form; absent where it is not known.'),
    fcm_platform: oneOf(
      ['android', 'ios'],
      'Of platform 1: what stands behind the token, as the app said or as Apple has answered through FCM; absent where it is not known.',
    ),
    created_at: time('First registration.'),
    updated_at: time('Last change.'),
    warnings: {
      ...listOf({ type: 'string' }),
      description:
        'What is not as it should be; absent where all is well. "alias belongs to another device" and "tag: … left out: …", or "active: …", only in the answer to a registration, "not an APNs device token: …" in every record of a device that can never be sent to.',
    },
  },
  ['user', 'timezone', 'locale', 'fcm_platform', 'warnings'],
)

export const RECORD_EXAMPLE: DeviceRecord = {
  token: EXAMPLE_TOKEN,
  platform: '0',
  lat: '52.52',
  lng: '13.405',
  active: ['news'],
  tag: ['beta', 'plan:pro'],
  alias: 'front-desk',
  badge: 0,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
}
