import type { JsonSchema } from '../fields.ts'

/** Keys whose values are data, not schemas. */
export const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const'])

export function referenceTo(title: string): string {
  return `#/components/schemas/${title}`
}

/**
 * Moves each schema with a title to the components: client generators name types after them. Throws for two different
 * schemas of one title.
 */
export function withComponents<D extends { readonly components: { readonly schemas: object } }>(document: D): D {
  const found = new Map<string, JsonSchema>()
  const rest = replaced(document) as D
  const schemas = Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { ...rest, components: { ...rest.components, schemas: { ...rest.components.schemas, ...schemas } } }

  function replaced(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(replaced)
    if (typeof value !== 'object' || value === null) return value
    const copy = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, DATA.has(key) ? (inner as unknown) : replaced(inner)]),
    )
    const { description, ...schema } = copy
    const { title, type } = schema
    if (typeof title !== 'string' || type === undefined) return copy
    const before = found.get(title)
    if (before !== undefined && !Bun.deepEquals(before, schema)) throw new Error(`two schemas are called ${title}`)
    found.set(title, schema)
    // Descriptions differ by place; OpenAPI 3.1 allows one beside the reference.
    return { $ref: referenceTo(title), ...(description !== undefined && { description }) }
  }
}
