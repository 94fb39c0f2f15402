import * as fc from 'fast-check'
import type { Json } from '../../support/openapi.ts'

/** How deep a schema is followed into itself. */
const MOST_DEPTH = 3

/** Strings beyond this are seldom worth their time. */
const USUAL_LENGTH = 30

/** Values that fit a schema of the document: its own examples, what it allows at its ends, and anything between. */
export function fitting(document: Json, schema: Json, depth = 0): fc.Arbitrary<unknown> {
  if ('$ref' in schema) return fitting(document, resolved(document, schema), depth)
  const made = madeFor(document, schema, depth)
  return 'example' in schema ? fc.oneof({ weight: 2, arbitrary: fc.constant(schema['example']) }, made) : made
}

export function resolved(document: Json, schema: Json): Json {
  if (!('$ref' in schema)) return schema
  const steps = String(schema['$ref']).split('/').slice(1)
  return steps.reduce((found: Json, step) => found[step], document)
}

function madeFor(document: Json, schema: Json, depth: number): fc.Arbitrary<unknown> {
  const variants: readonly Json[] | undefined = schema['oneOf'] ?? schema['anyOf']
  if (variants !== undefined) return fc.oneof(...variants.map((variant) => fitting(document, variant, depth)))
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]))
  switch (schema['type']) {
    case 'string':
      return stringOf(schema)
    case 'integer':
      return fc.integer({ min: schema['minimum'] ?? 0, max: schema['maximum'] ?? Number.MAX_SAFE_INTEGER })
    case 'number':
      return fc.double({ min: schema['minimum'] ?? -1e9, max: schema['maximum'] ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting(document, schema['items'], depth + 1), {
        minLength: schema['minItems'] ?? 0,
        maxLength: Math.min(schema['maxItems'] ?? 4, 4),
      })
    default:
      return objectOf(document, schema, depth)
  }
}

function stringOf({ format, pattern, minLength = 0, maxLength }: Json): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  if (format === 'uuid') return fc.uuid()
  const usual = fc.string({ minLength, maxLength: Math.min(maxLength ?? USUAL_LENGTH, USUAL_LENGTH), unit: 'grapheme' })
  if (maxLength === undefined) return usual
  return fc.oneof({ weight: 9, arbitrary: usual }, fc.constant('x'.repeat(maxLength)))
}

function objectOf(document: Json, schema: Json, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], minProperties = 0, maxProperties, additionalProperties } = schema
  if (Object.keys(properties).length === 0) {
    return additionalProperties === true ? fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }) : fc.constant({})
  }
  // What leads back into itself has an end.
  const own = Object.entries<Json>(properties).filter(
    ([, each]) => depth < MOST_DEPTH || !JSON.stringify(each).includes('$ref'),
  )
  const members = Object.fromEntries(own.map(([name, each]) => [name, fitting(document, each, depth + 1)]))
  if (maxProperties === 1) {
    return fc.oneof(...Object.entries(members).map(([name, member]) => member.map((value) => ({ [name]: value }))))
  }
  const some = fc.record(members, { requiredKeys: required })
  return minProperties === 0 ? some : some.filter((made) => Object.keys(made).length >= minProperties)
}
