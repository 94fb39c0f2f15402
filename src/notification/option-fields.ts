import { invalid, show } from '../http/fields.ts'
import type { Field, JsonSchema } from '../http/fields.ts'
import { isJsonObject } from '../text/json-object.ts'
import type { JsonObject } from '../text/json-object.ts'

export const COUNTS = 'Counts towards the 4096 bytes.'

export function textField(description: string, example?: string): Field<string> {
  return {
    schema: { type: 'string', description, ...(example !== undefined && { example }) },
    emptyIsAbsent: true,
    read(value, name) {
      if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
      if (!value.isWellFormed()) throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
      return value
    },
  }
}

/** A name the app knows: a control character is a mistake. */
export function identifier(description: string, example: string): Field<string> {
  const field = textField(description, example)
  return {
    ...field,
    read(value, name) {
      const read = field.read(value, name)
      if (/\p{Cc}/u.test(read)) throw invalid(name, 'must not contain control characters')
      return read
    },
  }
}

export function choiceField<T extends string>(values: readonly T[], example: T, description: string): Field<T> {
  return {
    schema: { type: 'string', enum: values, description, example },
    emptyIsAbsent: true,
    read(value, name) {
      const known = values.find((one) => one === value)
      if (known !== undefined) return known
      throw invalid(name, `must be ${values.map((one) => `"${one}"`).join(' or ')}, not ${show(value)}`)
    },
  }
}

/** Whether a `flag`'s raw value is a yes. */
export function saysYes(value: unknown): boolean {
  return YES.has(value)
}

const YES = new Set<unknown>([true, 'true', 1, '1'])
const NO = new Set<unknown>([false, 'false', 0, '0'])

export function flag(description: string, example?: boolean): Field<boolean> {
  return {
    schema: { type: 'boolean', description, ...(example !== undefined && { example }) },
    emptyIsAbsent: true,
    read(value, name) {
      if (YES.has(value) || NO.has(value)) return YES.has(value)
      throw invalid(name, `must be true or false, not ${show(value)}`)
    },
  }
}

/** What the `URL` parser would repair is refused. `schemes`: of `url.protocol`. */
export function url(schemes: RegExp, expected: string, schema: JsonSchema = {}): Field<string> {
  return {
    schema: { type: 'string', ...schema },
    emptyIsAbsent: true,
    read(value, name) {
      const isUrl =
        typeof value === 'string' && !/[\s\p{Cc}]/u.test(value) && value.isWellFormed() && URL.canParse(value)
      if (isUrl && schemes.test(new URL(value).protocol)) return value
      throw invalid(name, `must be ${expected}, not ${show(value)}`)
    },
  }
}

export const webUrl = url(/^https?:$/, 'an http or https URL')

/** Far deeper than 4096 useful bytes would nest; later code recurses. */
const MAX_DEPTH = 64

/** `null` if it is empty, or the empty list that PHP makes of an empty map. */
export function readObject(value: unknown, name: string): JsonObject | null {
  if (Array.isArray(value) && value.length === 0) return null
  if (!isJsonObject(value)) throw invalid(name, `must be an object, not ${show(value)}`)
  checkNesting(value, name)
  return Object.keys(value).length === 0 ? null : value
}

function checkNesting(value: object, name: string): void {
  // By level: recursion could overflow on the very depth checked here.
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid(name, `must not be nested deeper than ${MAX_DEPTH}`)
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'string' && !item.isWellFormed())
        throw invalid(name, 'must be well-formed Unicode, without lone surrogates')
      if (typeof item !== 'object' || item === null) continue
      for (const [key, inner] of Object.entries(item)) next.push(key, inner)
    }
    level = next
  }
}

/** `null` is absent, as everywhere in the API. */
export function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
