import type { Given, JsonSchema } from './fields.ts'

/**
 * A body as the fields' schemas want it, where it is clear what was meant: digits for a string (17 for "17"), an array
 * of one for a scalar, and labels without the empty ones. All else stays, and is judged by the fields.
 */
export function coerced(given: Given, properties: Readonly<Record<string, JsonSchema>>): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, schema === undefined ? value : coercedValue(LABEL_FIELDS.has(name) ? named(value) : value, schema)]
    }),
  )
}

const LABEL_FIELDS: ReadonlySet<string> = new Set(['tag', 'tags', 'except_tags', 'active', 'except_active'])

/** Where all are empty they stay, and are refused: a filter of nothing must not be none. */
function named(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const names = value.filter((name) => name !== '')
  return names.length > 0 ? names : value
}

function coercedValue(value: unknown, schema: JsonSchema): unknown {
  if (!Array.isArray(value)) return asText(value, itemsOf(schema))
  const items = value.map((item: unknown) => asText(item, itemsOf(schema)))
  return isScalar(schema) && items.length === 1 ? items[0] : items
}

function isScalar({ type, oneOf }: JsonSchema): boolean {
  return SCALARS.has(type) || (Array.isArray(oneOf) && (oneOf as readonly JsonSchema[]).every(isScalar))
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean'])

/** The schema of one value, whether it stands alone or in an array. */
function itemsOf(schema: JsonSchema): JsonSchema {
  return (schema['items'] as JsonSchema | undefined) ?? schema
}

/**
 * Only what is the same in every client's digits. A negative badge would turn from a mistake into a decrement, and of
 * a number beyond 2^53 the last digits are lost already: as an alias it would name somebody else.
 */
function asText(value: unknown, { type }: JsonSchema): unknown {
  if (type !== 'string' || typeof value !== 'number') return value
  const text = String(value)
  return value <= Number.MAX_SAFE_INTEGER && /^\d+(\.\d+)?$/.test(text) ? text : value
}
