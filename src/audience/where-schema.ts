import { ASKABLE } from '../device/columns.ts'
import { alias, platform } from '../device/device-fields.ts'
import { referenceTo } from '../http/document/components.ts'
import { invalid, show } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { days, near, filterObjectOf, pathTo } from './filter-fields.ts'
import type { Where } from './where.ts'

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

/** `soFar` counts across the expression. Throws `Refused` with the path to the error. */
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
  // An unknown key is a better hint than one too many.
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
