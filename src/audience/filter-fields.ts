import { DAY_MS } from '../clock.ts'
import { asPlatform, latitude, longitude, platform } from '../device/device-fields.ts'
import type { Platform } from '../device/device.ts'
import { invalid, missing, show } from '../http/fields.ts'
import type { Field, Given } from '../http/fields.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import { isJsonObject } from '../text/json-object.ts'
import { MAX_RADIUS_KM, MIN_RADIUS_KM } from './geo-circle.ts'
import type { GeoCircle } from './geo-circle.ts'

/** No exponent, as for `lat` and `lng`. */
const DECIMAL = /^(\d+(\.\d*)?|\.\d+)$/

const MAX_DAYS = 3650

export const platforms: Field<readonly Platform[]> = {
  schema: {
    type: 'array',
    items: platform.schema,
    description: 'An array, or one value; unknown members are skipped.',
  },
  emptyIsAbsent: true,
  read(value, name) {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value]
    const known = PLATFORMS.filter((one) => given.some((item) => asPlatform(item) === one))
    if (known.length === 0)
      throw invalid(
        name,
        `must contain ${PLATFORM_CHOICE}, ${Array.isArray(value) ? 'which this array does not' : `not ${show(value)}`}`,
      )
    return known
  },
}

export const tagsMatch: Field<'any' | 'all'> = {
  schema: { type: 'string', enum: ['any', 'all'], default: 'any', description: 'Whether one of `tags` is enough.' },
  emptyIsAbsent: true,
  read(value, name) {
    if (value === 'any' || value === 'all') return value
    throw invalid(name, `must be "any" or "all", not ${show(value)}`)
  },
}

/** Days, as ms. */
export const days: Field<number> = {
  schema: { type: 'number', minimum: 1, maximum: MAX_DAYS },
  emptyIsAbsent: false,
  read: (value, name) => Math.round(decimal(value, name, 'days', 1, MAX_DAYS) * DAY_MS),
}

/** Numbers may be strings of digits, as everywhere. */
export const near: Field<GeoCircle> = {
  schema: {
    title: 'Near',
    type: 'object',
    properties: {
      lat: latitude.schema,
      lng: longitude.schema,
      radius_km: { type: 'number', minimum: MIN_RADIUS_KM, maximum: MAX_RADIUS_KM },
    },
    required: ['lat', 'lng', 'radius_km'],
    additionalProperties: false,
    example: { lat: 52.52, lng: 13.405, radius_km: 25 },
  },
  emptyIsAbsent: false,
  read(value, name) {
    const given = filterObjectOf(value, name, 'an object with lat, lng and radius_km')
    const unknown = Object.keys(given).find((key) => !NEAR_MEMBERS.has(key))
    if (unknown !== undefined) throw invalid(pathTo(name, unknown), 'is not known here: it has lat, lng and radius_km')
    const member = (key: string) => {
      if (given[key] === undefined || given[key] === null || given[key] === '') throw missing(pathTo(name, key))
      return [given[key], pathTo(name, key)] as const
    }
    const [lat, lng, radius] = [member('lat'), member('lng'), member('radius_km')]
    return {
      lat: latitude.read(...lat),
      lng: longitude.read(...lng),
      radiusKm: decimal(...radius, 'kilometres', MIN_RADIUS_KM, MAX_RADIUS_KM),
    }
  },
}

const NEAR_MEMBERS: ReadonlySet<string> = new Set(['lat', 'lng', 'radius_km'])

/** `what`: what it should be. */
export function filterObjectOf(value: unknown, name: string, what: string): Given {
  if (isJsonObject(value)) return value
  throw invalid(name, `must be ${what}, not ${show(value)}`)
}

/** For an error. A long or strange key is shown, not repeated. */
export function pathTo(name: string, key: string): string {
  return /^\w{1,32}$/.test(key) ? `${name}.${key}` : `${name}[${show(key)}]`
}

function decimal(value: unknown, name: string, unit: string, min: number, max: number): number {
  const read = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  if (typeof read === 'number' && read >= min && read <= max) return read
  throw invalid(name, `must be ${unit} from ${min} to ${max}, not ${show(value)}`)
}
