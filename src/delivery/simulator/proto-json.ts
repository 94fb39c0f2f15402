import type { FieldViolation } from './google-error.ts'
import { isJsonObject } from './json-object.ts'
import type { JsonObject } from './json-object.ts'

/** The type of a field, as far as the JSON of FCM's messages needs it (protobuf, "ProtoJSON format"). */
export type FieldType = Scalar | EnumType | MessageType | { readonly listOf: Scalar }

/** `map`: string to string. `struct`: any JSON object. */
type Scalar = 'string' | 'bool' | 'int32' | 'double' | 'duration' | 'map' | 'struct'

interface EnumType {
  readonly enumName: string
  readonly values: readonly string[]
}

interface MessageType {
  /** Without the package. */
  readonly messageName: string
  readonly fields: Readonly<Record<string, FieldType>>
}

/**
 * Finds what is wrong with `value`, in Google's words; an empty list when nothing is. `path` is how Google names the
 * place, such as `message.android`; `''` for the whole request.
 */
export function violationsOf(value: unknown, type: FieldType, path: string): FieldViolation[] {
  // In ProtoJSON null is an absent field.
  if (value === null) return []
  if (typeof type === 'string') return violationsOfScalar(value, type, path)
  if ('listOf' in type) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    return items.flatMap((item, index) => violationsOf(item, type.listOf, `${path}[${index}]`))
  }
  if ('enumName' in type) {
    // Google reads names in any case: its own Node library sends "high".
    const known = typeof value === 'string' ? type.values.includes(value.toUpperCase()) : Number.isInteger(value)
    return known ? [] : [wrongValue(path, PACKAGE + type.enumName, value)]
  }
  if (!isJsonObject(value)) return [wrongValue(path, PACKAGE + type.messageName, value)]
  return violationsOfMessage(value, type, path)
}

const PACKAGE = 'type.googleapis.com/google.firebase.fcm.v1.'

function violationsOfMessage(value: JsonObject, { fields }: MessageType, path: string): FieldViolation[] {
  return Object.entries(value).flatMap(([name, field]) => {
    // Both spellings are read: collapseKey and collapse_key.
    const protoName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const type = Object.hasOwn(fields, protoName) ? fields[protoName] : undefined
    if (type !== undefined) return violationsOf(field, type, path === '' ? protoName : `${path}.${protoName}`)
    const where = path === '' ? '' : ` at '${path}'`
    return [
      violation(
        path,
        `Invalid JSON payload received. Unknown name ${JSON.stringify(name)}${where}: Cannot find field.`,
      ),
    ]
  })
}

function violationsOfScalar(value: unknown, type: Scalar, path: string): FieldViolation[] {
  switch (type) {
    case 'map':
      if (!isJsonObject(value)) return [wrongValue(path, 'TYPE_MESSAGE', value)]
      return Object.values(value).flatMap((item, index) => violationsOfText(item, `${path}[${index}].value`))
    case 'struct':
      return isJsonObject(value) ? [] : [wrongValue(path, 'type.googleapis.com/google.protobuf.Struct', value)]
    case 'duration':
      if (typeof value === 'string' && DURATION.test(value)) return []
      return [wrongValue(path, 'type.googleapis.com/google.protobuf.Duration', value)]
    case 'bool':
      return typeof value === 'boolean' ? [] : [wrongValue(path, 'TYPE_BOOL', value)]
    case 'int32':
      return Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 31 && typeof value !== 'boolean'
        ? []
        : [wrongValue(path, 'TYPE_INT32', value)]
    case 'double':
      return typeof value === 'number' ? [] : [wrongValue(path, 'TYPE_DOUBLE', value)]
    case 'string':
    default:
      return violationsOfText(value, path)
  }
}

/** Seconds with up to nine decimals: `3600s`, `0.5s`. */
const DURATION = /^-?\d+(?:\.\d{1,9})?s$/

function violationsOfText(value: unknown, path: string): FieldViolation[] {
  return typeof value === 'string' ? [] : [wrongValue(path, 'TYPE_STRING', value)]
}

function wrongValue(path: string, typeName: string, value: unknown): FieldViolation {
  const shown = typeof value === 'object' ? 'Starting an object or list on a scalar field' : JSON.stringify(value)
  return violation(path, `Invalid value at '${path}' (${typeName}), ${shown}`)
}

function violation(path: string, description: string): FieldViolation {
  return path === '' ? { description } : { field: path, description }
}
