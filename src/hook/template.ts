import { NARROWINGS } from '../audience/narrowings.ts'
import { isJsonObject, parseJsonObject } from '../text/json-object.ts'
import { unmet, readConditions } from './condition.ts'
import type { EventCondition } from './condition.ts'
import { fillPattern, hasPlaceholder, readPattern } from './placeholder.ts'
import type { HookEvent, Pattern } from './placeholder.ts'

export interface Template {
  readonly where: readonly EventCondition[]
  /** The event's ID, for deduplication. */
  readonly event: Pattern | null
  readonly push: Readonly<Record<string, Shape>>
}

/** A JSON value with a pattern for each text. */
type Shape =
  | Pattern
  | { readonly list: readonly Shape[] }
  | { readonly fields: Readonly<Record<string, Shape>> }
  | Fixed

interface Fixed {
  readonly value: number | boolean | null
}

/** `why` and `problem` quote the template only, never the event. */
export type Rendered =
  | { readonly kind: 'push'; readonly body: Readonly<Record<string, unknown>>; readonly event: string | null }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'unfit'; readonly problem: string }

/** Bytes of JSON. */
const MAX_TEMPLATE_BYTES = 16 * 1024

const MAX_DEPTH = 16

const CHOOSES_DEVICES: ReadonlySet<string> = new Set([...Object.keys(NARROWINGS), 'token', 'tokens'])

const MEMBERS = ['where', 'event', 'push']

/** Each problem is a sentence without a full stop. */
export function readTemplate(text: string): Template | { readonly problems: readonly string[] } {
  if (Buffer.byteLength(text) > MAX_TEMPLATE_BYTES) {
    return { problems: [`the template is larger than ${MAX_TEMPLATE_BYTES} bytes`] }
  }
  const given = parseJsonObject(text)
  if (given === null) return { problems: ['the template is not a JSON object'] }
  const problems = Object.keys(given)
    .filter((name) => !MEMBERS.includes(name))
    .map((name) => `"${name}" is not part of a template: ${MEMBERS.join(', ')}`)

  const where = given['where'] === undefined ? [] : readConditions(given['where'])
  if ('problem' in where) problems.push(where.problem)
  const event = given['event'] === undefined ? null : readPatternAt(given['event'], 'event', problems)
  const push = readPush(given['push'], problems)
  if (problems.length > 0 || 'problem' in where || push === null) return { problems }
  return { where, event, push }
}

/** `usualEvent`: the event's ID, unless the template has one. */
export function render({ where, event, push }: Template, came: HookEvent, usualEvent: Pattern | null): Rendered {
  const why = unmet(where, came)
  if (why !== null) return { kind: 'ignored', why }
  const body: Record<string, unknown> = {}
  for (const [name, shape] of Object.entries(push)) {
    const found = filledShape(shape, name, came)
    if (found.kind === 'unfit') return found
    // An empty filter would send to everyone.
    if (CHOOSES_DEVICES.has(name) && isEmpty(found.value)) {
      return { kind: 'unfit', problem: `push.${name} chooses the devices, and would be empty` }
    }
    body[name] = found.value
  }
  const told = event ?? usualEvent
  const found = told === null ? null : fillPattern(told, came)
  if (found !== null && found.kind !== 'filled') {
    return { kind: 'unfit', problem: `event asks for ${found.path}, which ${found.problem}` }
  }
  return { kind: 'push', body, event: found === null ? null : String(found.value) }
}

/** Whether the push is the same for every event, so that it can be checked in advance. */
export function isFixed({ push }: Template): boolean {
  return Object.values(push).every(isFixedShape)
}

function isFixedShape(shape: Shape): boolean {
  if ('value' in shape) return true
  if ('list' in shape) return shape.list.every(isFixedShape)
  if ('fields' in shape) return Object.values(shape.fields).every(isFixedShape)
  return !hasPlaceholder(shape)
}

type FilledShape = { readonly kind: 'filled'; readonly value: unknown } | Extract<Rendered, { kind: 'unfit' }>

function filledShape(shape: Shape, path: string, came: HookEvent): FilledShape {
  if ('value' in shape) return { kind: 'filled', value: shape.value }
  if ('list' in shape) {
    const values: unknown[] = []
    for (const [index, one] of shape.list.entries()) {
      const found = filledShape(one, `${path}.${index}`, came)
      if (found.kind === 'unfit') return found
      values.push(found.value)
    }
    return { kind: 'filled', value: values }
  }
  if ('fields' in shape) {
    const values: [string, unknown][] = []
    for (const [name, one] of Object.entries(shape.fields)) {
      const found = filledShape(one, `${path}.${name}`, came)
      if (found.kind === 'unfit') return found
      values.push([name, found.value])
    }
    return { kind: 'filled', value: Object.fromEntries(values) }
  }
  const found = fillPattern(shape, came)
  if (found.kind === 'filled') return found
  return { kind: 'unfit', problem: `push.${path} asks for ${found.path}, which ${found.problem}` }
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  if (Array.isArray(value)) return value.length === 0 || value.some(isEmpty)
  return typeof value === 'object' && value !== null && Object.values(value).some(isEmpty)
}

function readPush(given: unknown, problems: string[]): Template['push'] | null {
  if (!isJsonObject(given)) {
    problems.push('push must be an object: the body of /push/all')
    return null
  }
  const entries = Object.entries(given).map(([name, value]) => [name, readShape(value, `push.${name}`, problems)])
  return Object.fromEntries(entries) as Template['push']
}

function readShape(given: unknown, path: string, problems: string[], depth = 0): Shape {
  if (typeof given === 'string') return readPatternAt(given, path, problems)
  if (typeof given !== 'object' || given === null) return { value: given as Fixed['value'] }
  if (depth === MAX_DEPTH) {
    problems.push(`${path} is nested more than ${MAX_DEPTH} levels deep`)
    return { value: null }
  }
  if (Array.isArray(given)) {
    return { list: given.map((one: unknown, index) => readShape(one, `${path}.${index}`, problems, depth + 1)) }
  }
  const entries = Object.entries(given).map(([name, one]) => {
    if (name.includes('{{')) problems.push(`${path}: a placeholder cannot be a name`)
    return [name, readShape(one, `${path}.${name}`, problems, depth + 1)] as const
  })
  return { fields: Object.fromEntries(entries) }
}

function readPatternAt(given: unknown, path: string, problems: string[]): Pattern {
  const read = typeof given === 'string' ? readPattern(given) : { problem: 'it must be a text' }
  if (!('problem' in read)) return read
  problems.push(`${path}: ${read.problem}`)
  return ['']
}
