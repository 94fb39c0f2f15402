import { listOf, objectSchema, shownAs, text, time } from '../http/answer-schema.ts'
import type { AnswerOf } from '../http/answer-schema.ts'
import type { JsonSchema } from '../http/fields.ts'
import { isoTime } from '../text/format.ts'
import { PLAIN, RECORDED } from './columns.ts'
import type { PlainName, PlainValues } from './columns.ts'
import { EXAMPLE_TOKEN } from './device-fields.ts'
import type { Device, Platform } from './device.ts'
import { tokenWarning } from './push-token.ts'

export interface RecordShape {
  readonly written: (record: DeviceRecord) => object
  readonly schema: JsonSchema
}

export function deviceRecordOf(device: Device, warnings: readonly string[] = []): DeviceRecord {
  const { registeredAt, updatedAt } = device
  const ofToken = tokenWarning(device.platform, device.token)
  const all = ofToken === null ? warnings : [...warnings, ofToken]
  const updated = isoTime(updatedAt)
  const record = {
    token: device.token,
    platform: platformOnWire(device.platform),
    lat: degreesOnWire(device.lat),
    lng: degreesOnWire(device.lng),
    active: device.active,
    tag: device.tag,
    alias: device.alias,
    badge: device.badge,
    created_at: registeredAt === updatedAt ? updated : isoTime(registeredAt),
    updated_at: updated,
    warnings: all.length > 0 ? all : undefined,
  }
  return Object.assign(record, knownOf(device))
}

function knownOf(device: PlainValues): Pick<DeviceRecord, PlainName> {
  const known: Partial<Record<PlainName, string>> = {}
  for (const name of PLAIN) {
    const value = device[name]
    if (value !== null) known[name] = value
  }
  return known as Pick<DeviceRecord, PlainName>
}

/** `String` writes an exponent below 0.000001, which the API does not read. */
function degreesOnWire(degrees: number | null): string | null {
  if (degrees === null) return null
  return Math.abs(degrees) < 1e-6 ? TINY.format(degrees) : String(degrees)
}

const TINY = new Intl.NumberFormat('en', { maximumFractionDigits: 20, signDisplay: 'negative' })

export type WrittenPlatform = `${Platform}`

export function platformOnWire(platform: Platform): WrittenPlatform {
  return `${platform}`
}

const RECORD_SHAPE = objectSchema(
  'Device',
  {
    ...RECORDED,
    created_at: time('First registration.'),
    updated_at: time('Last change.'),
    warnings: listOf(
      text(),
      'Warnings. Absent if there are none. "alias belongs to another device" and "tag: … left out: …", or "active: …", only in the answer to a registration, "not an APNs device token: …" in every record of a device that can never be sent to.',
    ),
  },
  [...PLAIN, 'warnings'],
)

/**
 * The record on the wire (test/api/contract/10-device-details.test.ts). Omits unknown plain columns, which clients of
 * the contract do not know.
 */
export const RECORD = shownAs(RECORD_SHAPE, {
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
})

export type DeviceRecord = AnswerOf<typeof RECORD>
