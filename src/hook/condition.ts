import { isJsonObject } from '../text/json-object.ts'
import { numericText, pathProblem, valueAt } from './placeholder.ts'
import type { HookEvent } from './placeholder.ts'

/** What a value must be for the event to count. All parts must hold. */
export interface EventCondition {
  readonly path: string
  /** One of these. */
  readonly is: readonly Scalar[] | null
  readonly not: readonly Scalar[]
  readonly above: number | null
  readonly below: number | null
  readonly exists: boolean | null
}

type Scalar = string | number | boolean | null

const EXPECTED = 'a text, a number, true, false or null, a list of these, or an object of not, above, below and exists'

const NO_CONDITION = { is: null, not: [], above: null, below: null, exists: null } as const

/** `problem`: one sentence for the template's author. */
export function readConditions(where: unknown): readonly EventCondition[] | { readonly problem: string } {
  if (!isJsonObject(where)) {
    return { problem: 'where must be an object of paths, such as {"type": "order.paid"}' }
  }
  const found: EventCondition[] = []
  for (const [path, expected] of Object.entries(where)) {
    const wrong = pathProblem(path)
    if (wrong !== null) return { problem: `where: ${wrong}` }
    const parts = readExpected(expected)
    if (parts === null) return { problem: `where.${path} must be ${EXPECTED}` }
    found.push({ path, ...NO_CONDITION, ...parts })
  }
  return found
}

/** Why the event does not count, quoting the template only; `null`: it counts. */
export function unmet(conditions: readonly EventCondition[], event: HookEvent): string | null {
  for (const condition of conditions) {
    const problem = unmetOne(condition, valueAt(event, condition.path))
    if (problem !== null) return `${condition.path} ${problem}`
  }
  return null
}

function unmetOne({ is, not, above, below, exists }: EventCondition, value: unknown): string | null {
  const isThere = value !== undefined && value !== null
  if (exists !== null && exists !== isThere) return exists ? 'is missing' : 'is there'
  if (is !== null && !is.some((one) => isSame(one, value))) return `is not ${is.map(shown).join(' or ')}`
  const unwanted = not.find((one) => isSame(one, value))
  if (unwanted !== undefined) return `is ${shown(unwanted)}`
  if (above === null && below === null) return null
  if (!isThere) return 'is missing'
  const number = typeof value === 'string' ? numericText(value) : value
  if (typeof number !== 'number') return 'is not a number'
  if (above !== null && number <= above) return `is not above ${above}`
  if (below !== null && number >= below) return `is not below ${below}`
  return null
}

/** Missing counts as null. */
const isSame = (wanted: Scalar, value: unknown) => wanted === (value ?? null)

const shown = (value: Scalar) => JSON.stringify(value)

function readExpected(expected: unknown): Partial<EventCondition> | null {
  const is = scalarsIn(expected)
  if (is !== null) return { is }
  if (!isJsonObject(expected)) return null
  const parts = Object.entries(expected).map(([name, value]) => readPart(name, value))
  const found = parts.filter((part) => part !== null)
  return found.length === 0 || found.length < parts.length ? null : Object.assign({}, ...found)
}

function readPart(name: string, value: unknown): Partial<EventCondition> | null {
  if (name === 'not') {
    const not = scalarsIn(value)
    return not && { not }
  }
  if (name === 'exists') return typeof value === 'boolean' ? { exists: value } : null
  if (name !== 'above' && name !== 'below') return null
  return typeof value === 'number' ? { [name]: value } : null
}

function scalarsIn(value: unknown): readonly Scalar[] | null {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  return all.length > 0 && all.every(isScalar) ? all : null
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
