import { DAY_MS } from '../clock.ts'
import { ASKABLE } from '../device/columns.ts'
import { alias, asPlatform, latitude, longitude, platform } from '../device/device-fields.ts'
import type { Platform } from '../device/device.ts'
import { referenceTo } from '../http/document/components.ts'
import { invalid, missing, show } from '../http/fields.ts'
import type { Field, Given } from '../http/fields.ts'
import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import { isJsonObject } from '../text/json-object.ts'
import type { Where } from './filter.ts'
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

/** Read as days, kept as ms. */
export const days: Field<number> = {
  schema: { type: 'number', minimum: 1, maximum: MAX_DAYS },
  emptyIsAbsent: false,
  read: (value, name) => Math.round(decimal(value, name, 'days', 1, MAX_DAYS) * DAY_MS),
}

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

const MAX_DEPTH = 16
const MAX_LEAVES = 200

const { description: _, ...NAME } = alias.schema
const oneName = { ...alias, schema: NAME }

const LEAVES: ReadonlyMap<string, Field<Where>> = new Map([
  ['tag', leaf(oneName, (tag) => ({ tag }))],
  ['type', leaf(oneName, (type) => ({ type }))],
  ['alias', leaf(oneName, (one) => ({ alias: one }))],
  ['user', leaf(oneName, (user) => ({ user }))],
  ['platform', leaf(platform, (one) => ({ platform: one }))],
  ...Array.from(ASKABLE, ([column, field]) => [column, leaf(field, (value) => ({ column, value }))] as const),
  ['near', leaf(near, (circle) => ({ near: circle }))],
  ['seen_within', leaf(days, (seenWithinMs) => ({ seenWithinMs }))],
  ['not_seen_for', leaf(days, (notSeenForMs) => ({ notSeenForMs }))],
  ['registered_within', leaf(days, (registeredWithinMs) => ({ registeredWithinMs }))],
])

function leaf<T>(field: Field<T>, whereOf: (value: T) => Where): Field<Where> {
  return { ...field, read: (value, path) => whereOf(field.read(value, path)) }
}

const KEYS = ['all', 'any', 'not', ...LEAVES.keys()]
const ALLOWED = `one of ${KEYS.join(', ')}`

const CONDITION = 'Condition'
const SELF = { $ref: referenceTo(CONDITION) }

export const where: Field<Where> = {
  schema: {
    title: CONDITION,
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    properties: {
      all: { type: 'array', items: SELF, minItems: 1 },
      any: { type: 'array', items: SELF, minItems: 1 },
      not: SELF,
      ...Object.fromEntries(Array.from(LEAVES, ([key, { schema }]) => [key, schema])),
    },
    example: { all: [{ tag: 'beta' }, { not: { any: [{ type: 'news' }, { seen_within: 7 }] } }] },
  },
  emptyIsAbsent: false,
  read: (value, name) => read(value, name, 1, { leaves: 0 }),
}

/** `soFar` counts across the expression. A refusal has the path to the error. */
function read(value: unknown, path: string, depth: number, soFar: { leaves: number }): Where {
  if (depth > MAX_DEPTH) throw invalid(path, `is nested too deeply: at most ${MAX_DEPTH} levels are allowed`)
  const [key, inner] = memberOf(value, path)
  const innerPath = pathTo(path, key)
  if (key === 'not') return { not: read(inner, innerPath, depth + 1, soFar) }
  if (key === 'all') return { all: list(inner, innerPath, depth, soFar) }
  if (key === 'any') return { any: list(inner, innerPath, depth, soFar) }
  const field = LEAVES.get(key)
  if (field === undefined) throw invalid(innerPath, `is not known here: it must be ${ALLOWED}`)
  if (++soFar.leaves > MAX_LEAVES) throw invalid(innerPath, `is too many: at most ${MAX_LEAVES} conditions are allowed`)
  return field.read(inner, innerPath)
}

function memberOf(value: unknown, path: string): readonly [key: string, inner: unknown] {
  const members = Object.entries(filterObjectOf(value, path, `an object with ${ALLOWED}`))
  const [first, second] = members
  // An unknown key is the better hint.
  const unknown = members.find(([key]) => !KEYS.includes(key))
  if (unknown !== undefined) return unknown
  if (first !== undefined && second === undefined) return first
  throw invalid(path, `must have exactly ${ALLOWED}, not ${first === undefined ? 'none' : `${members.length} of them`}`)
}

function list(value: unknown, path: string, depth: number, soFar: { leaves: number }): Where[] {
  if (!Array.isArray(value)) throw invalid(path, `must be an array of conditions, not ${show(value)}`)
  if (value.length === 0) throw invalid(path, 'must have at least one condition, not none')
  return value.map((item, index) => read(item, `${path}[${index}]`, depth + 1, soFar))
}

function filterObjectOf(value: unknown, name: string, what: string): Given {
  if (isJsonObject(value)) return value
  throw invalid(name, `must be ${what}, not ${show(value)}`)
}

/** A long or strange key is quoted with `show`. */
function pathTo(name: string, key: string): string {
  return /^\w{1,32}$/.test(key) ? `${name}.${key}` : `${name}[${show(key)}]`
}

function decimal(value: unknown, name: string, unit: string, min: number, max: number): number {
  const read = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  if (typeof read === 'number' && read >= min && read <= max) return read
  throw invalid(name, `must be ${unit} from ${min} to ${max}, not ${show(value)}`)
}
