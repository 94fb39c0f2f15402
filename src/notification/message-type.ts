import { isJsonObject } from '../text/json-object.ts'
import type { JsonObject } from '../text/json-object.ts'

/** Field types as far as FCM messages need them (protobuf, "ProtoJSON format"). */
export type FieldType = Scalar | EnumType | MessageType | { readonly listOf: Scalar }

/** `map`: string to string. `struct`: any JSON object. */
type Scalar = 'string' | 'bool' | 'int32' | 'double' | 'duration' | 'map' | 'struct'

interface EnumType {
  readonly enumName: string
  readonly values: readonly string[]
}

export interface MessageType {
  /** Without the package. */
  readonly messageName: string
  readonly fields: Readonly<Record<string, FieldType>>
}

/** A field's name, a place in a list, or a key of a map with its place. */
export type PathStep = string | number | { readonly key: string; readonly index: number }

export interface Misfit {
  readonly path: readonly PathStep[]
  /** `null`: no field has the name in `value`. */
  readonly expected: FieldType | null
  readonly value: unknown
}

export function misfitsOf(value: unknown, type: FieldType, path: readonly PathStep[] = []): Misfit[] {
  // ProtoJSON: null is absent.
  if (value === null) return []
  if (typeof type === 'string') return misfitsOfScalar(value, type, path)
  if ('listOf' in type) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    return items.flatMap((item, index) => misfitsOf(item, type.listOf, [...path, index]))
  }
  if ('enumName' in type) {
    // Google reads names in any case: its own Node library sends "high".
    const known = typeof value === 'string' ? type.values.includes(value.toUpperCase()) : Number.isInteger(value)
    return known ? [] : [{ path, expected: type, value }]
  }
  if (!isJsonObject(value)) return [{ path, expected: type, value }]
  return Object.entries(value).flatMap(([name, field]) => {
    const known = protoName(name)
    const inner = Object.hasOwn(type.fields, known) ? type.fields[known] : undefined
    if (inner === undefined) return [{ path, expected: null, value: name }]
    return misfitsOf(field, inner, [...path, known])
  })
}

/** ProtoJSON reads both collapseKey and collapse_key. */
export function protoName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** In the spelling of our own fields. */
export function inOneSpelling(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [protoName(key), value]))
}

function misfitsOfScalar(value: unknown, type: Scalar, path: readonly PathStep[]): Misfit[] {
  if (type === 'map' && isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, item], index) =>
      typeof item === 'string' ? [] : [{ path: [...path, { key, index }], expected: 'string' as const, value: item }],
    )
  }
  return fits(value, type) ? [] : [{ path, expected: type, value }]
}

function fits(value: unknown, type: Scalar): boolean {
  switch (type) {
    case 'map':
    case 'struct':
      return isJsonObject(value)
    case 'duration':
      return typeof value === 'string' && DURATION.test(value)
    case 'bool':
      return typeof value === 'boolean'
    case 'int32':
      return Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 31 && typeof value !== 'boolean'
    case 'double':
      return typeof value === 'number'
    case 'string':
    default:
      return typeof value === 'string'
  }
}

/** Seconds with up to nine decimals: `3600s`, `0.5s`. */
const DURATION = /^-?\d+(?:\.\d{1,9})?s$/
