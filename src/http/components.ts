import type { JsonSchema } from './fields.ts'

/** Keys whose values are JSON of callers and of the service, not schemas. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** Where the schema of this title is, for one that has itself inside. */
export function referenceTo(title: string): string {
  return `#/components/schemas/${title}`
}

/**
 * Puts each schema that has a title among the components, under that name, and a reference in its places. The generators
 * of clients name their types by the components. Throws for two different schemas of one title.
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
    // What it is for differs from place to place; OpenAPI 3.1 lets it stand beside the reference.
    return { $ref: referenceTo(title), ...(description !== undefined && { description }) }
  }
}
