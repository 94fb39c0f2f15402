import type { Given, JsonSchema } from './fields.ts'

/**
 * Converts a body to the fields' schemas if the meaning is clear: 17 to "17", a scalar from an array of one. Drops
 * empty labels. The fields judge the rest.
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

/** If all are empty they stay, to be refused: an empty filter must not mean no filter. */
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

function itemsOf(schema: JsonSchema): JsonSchema {
  return (schema['items'] as JsonSchema | undefined) ?? schema
}

/** Not for negative numbers: a wrong badge would become a decrement. Beyond 2^53 an alias would lose digits. */
function asText(value: unknown, { type }: JsonSchema): unknown {
  if (type !== 'string' || typeof value !== 'number') return value
  const text = String(value)
  return value <= Number.MAX_SAFE_INTEGER && /^\d+(\.\d+)?$/.test(text) ? text : value
}
