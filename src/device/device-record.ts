import { listOf, objectSchema, time } from '../http/answer-schema.ts'
import type { JsonSchema } from '../http/fields.ts'
import { isoTime } from '../text/format.ts'
import { PLAIN, RECORDED } from './columns.ts'
import type { PlainName, PlainValues } from './columns.ts'
import { EXAMPLE_TOKEN } from './device-fields.ts'
import type { Device, Platform } from './device.ts'
import { tokenWarning } from './push-token.ts'

/** The device record on the wire (test/api/contract/10-device-details.test.ts). */
export interface DeviceRecord extends Partial<KnownValues> {
  readonly token: string
  readonly platform: WrittenPlatform
  readonly lat: string | null
  readonly lng: string | null
  readonly active: readonly string[]
  readonly tag: readonly string[]
  readonly alias: string | null
  readonly badge: number
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly updated_at: string
  /** Only where there are any. Those about the alias and labels come only in the answer to a registration. */
  readonly warnings?: readonly string[] | undefined
}

/** Left out where they are not known: clients of the contract do not know them. */
type KnownValues = { readonly [Name in keyof PlainValues]: NonNullable<PlainValues[Name]> }

/** How a record is written, and the schema of that. */
export interface RecordShape {
  readonly written: (record: DeviceRecord) => object
  readonly schema: JsonSchema
}

export function deviceRecordOf(device: Device, warnings: readonly string[] = []): DeviceRecord {
  const { registeredAt, updatedAt } = device
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
    ...knownOf(device),
    created_at: registeredAt === updatedAt ? updated : isoTime(registeredAt),
    updated_at: updated,
    warnings: all.length > 0 ? all : undefined,
  }
}

function knownOf(device: PlainValues): Partial<KnownValues> {
  const known: Partial<Record<PlainName, string>> = {}
  for (const name of PLAIN) {
    const value = device[name]
    if (value !== null) known[name] = value
  }
  return known as Partial<KnownValues>
}

/** Without an exponent, which `String` writes below 0.000001 and the API does not read. */
function degreesOnWire(degrees: number | null): string | null {
  if (degrees === null) return null
  return Math.abs(degrees) < 1e-6 ? TINY.format(degrees) : String(degrees)
}

const TINY = new Intl.NumberFormat('en', { maximumFractionDigits: 20, signDisplay: 'negative' })

export type WrittenPlatform = `${Platform}`

export function platformOnWire(platform: Platform): WrittenPlatform {
  return `${platform}`
}

/** `DeviceRecord`, as JSON Schema. */
export const RECORD = objectSchema(
  'Device',
  {
    ...RECORDED,
    created_at: time('First registration.'),
    updated_at: time('Last change.'),
    warnings: {
      ...listOf({ type: 'string' }),
      description:
        'What is not as it should be; absent where all is well. "alias belongs to another device" and "tag: … left out: …", or "active: …", only in the answer to a registration, "not an APNs device token: …" in every record of a device that can never be sent to.',
    },
  },
  [...PLAIN, 'warnings'],
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
