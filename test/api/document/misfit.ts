import * as fc from 'fast-check'
import type { Json } from '../../support/openapi.ts'
import { fitting, resolved } from './fitting.ts'

/** A body that does not fit, and why. */
export interface Misfit {
  readonly body: unknown
  readonly why: string
}

/** Bodies with one thing about them that their schema does not allow; everything else fits. */
export function misfitting(document: Json, schema: Json): fc.Arbitrary<Misfit> {
  const properties: Readonly<Record<string, Json>> = schema['properties'] ?? {}
  const required: readonly string[] = schema['required'] ?? []
  const bodies = fitting(document, schema) as fc.Arbitrary<Readonly<Record<string, unknown>>>
  const missing = required.map((name) =>
    bodies.map((body) => ({ body: without(body, spellingsOf(name, properties)), why: `${name} is missing` })),
  )
  const wrong = Object.entries(properties).flatMap(([name, property]) =>
    wrongFor(document, property).map(([value, why]) =>
      bodies.map((body) => ({ body: { ...without(body, insteadOf(property)), [name]: value }, why: `${name} ${why}` })),
    ),
  )
  const strange =
    schema['additionalProperties'] === false
      ? [bodies.map((body) => ({ body: { ...body, strange: 1 }, why: 'a field nobody knows' }))]
      : []
  return fc.oneof(...missing, ...wrong, ...strange)
}

function without(body: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** The field that a second spelling stands for, which is read before it. */
function insteadOf({ description = '' }: Json): readonly string[] {
  return /^Read where `(\w+)` is absent\.$/.exec(description)?.slice(1) ?? []
}

function spellingsOf(name: string, properties: Readonly<Record<string, Json>>): readonly string[] {
  const others = Object.entries(properties).filter(([, property]) => insteadOf(property).includes(name))
  return [name, ...others.map(([other]) => other)]
}

type Wrong = readonly (readonly [value: unknown, why: string])[]

/** What a field may not be. A list, since each keyword is to be broken by itself. */
function wrongFor(document: Json, unresolved: Json): Wrong {
  const schema = resolved(document, unresolved)
  const variants: readonly Json[] | undefined = schema['oneOf'] ?? schema['anyOf']
  if (variants !== undefined) return [[{ an: 'object' }, 'is an object']]
  const wrong: [unknown, string][] = []
  const { type, pattern, minimum, maximum, maxLength, minItems, maxItems, items } = schema
  if (type !== 'object') wrong.push([{ an: 'object' }, 'is an object'])
  if (type === 'object') wrong.push(['text', 'is a text'], [[1, 2], 'is an array'], [7, 'is a number'])
  if (schema['enum']) wrong.push(['neither', 'is none of those it may be'])
  if (type === 'string') wrong.push([true, 'is a boolean'], [[{ an: 'object' }], 'is an array of an object'])
  if (type === 'integer' || type === 'number') wrong.push(['many', 'is a text'], [true, 'is a boolean'])
  if (type === 'integer') wrong.push([1.5, 'is no whole number'])
  if (type === 'boolean') wrong.push(['perhaps', 'is a text'], [2, 'is a number'])
  if (minimum !== undefined) wrong.push([minimum - 1, 'is too small'])
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) wrong.push([maximum + 1, 'is too large'])
  if (pattern !== undefined) wrong.push(['of no such form', 'has another form'])
  if (maxLength !== undefined) wrong.push(['x'.repeat(maxLength + 1), 'is too long'])
  if (minItems !== undefined) wrong.push([[], 'has too few'])
  if (maxItems !== undefined) wrong.push([Array.from({ length: maxItems + 1 }, (_, n) => `a${n}`), 'has too many'])
  if (type === 'array') {
    for (const [value, why] of wrongFor(document, items)) wrong.push([[value], `has one that ${why}`])
  }
  return wrong
}
