import { DATA } from './components.ts'
import type { JsonSchema } from '../fields.ts'

/**
 * The document in OpenAPI 3.0.3, for generators that do not read 3.1. `null` as a type becomes `nullable`, a
 * description beside a reference goes around it, and webhooks become `x-webhooks`; their types are in the components.
 *
 * Two changes help generators (tried with swagger-codegen 3.0.34). Second spellings of a field (`Alias`) are left out:
 * their Python and TypeScript do not compile with both. A nullable property is not required: their clients reject a
 * required `null`.
 */
export function inOpenApi30(document: JsonSchema): JsonSchema {
  const { openapi: _, webhooks, info, ...rest } = lowered(document) as JsonSchema
  const { license, ...told } = info as JsonSchema
  const { identifier, ...named } = license as JsonSchema
  const url = `https://spdx.org/licenses/${String(identifier)}`
  return { openapi: '3.0.3', info: { ...told, license: { ...named, url } }, ...rest, 'x-webhooks': webhooks }
}

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered)
  if (typeof value !== 'object' || value === null) return value
  const copy = requiringNoNull(
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        DATA.has(key) ? (inner as unknown) : lowered(key === 'properties' ? onceEach(inner as JsonSchema) : inner),
      ]),
    ),
  )
  const { type, anyOf, $ref, ...rest } = copy
  if (Array.isArray(type)) return { type: type.find((one) => one !== 'null') as unknown, ...rest, nullable: true }
  if (Array.isArray(anyOf)) {
    const [first, ...more] = (anyOf as readonly JsonSchema[]).filter((one) => one['type'] !== 'null')
    // `nullable` needs a type (3.0.3, "nullable").
    if (first !== undefined && more.length === 0) return { type: 'object', allOf: [first], ...rest, nullable: true }
  }
  if ($ref !== undefined && Object.keys(rest).length > 0) return { allOf: [{ $ref }], ...rest }
  return copy
}

function onceEach(properties: JsonSchema): JsonSchema {
  const spelt = (name: string) => name.toLowerCase()
  const first = new Map(
    Object.keys(properties)
      .toReversed()
      .map((name) => [spelt(name), name]),
  )
  return Object.fromEntries(Object.entries(properties).filter(([name]) => first.get(spelt(name)) === name))
}

function requiringNoNull({ required, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(required)) return required === undefined ? schema : { required, ...schema }
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const left = (required as readonly string[]).filter((name) => properties[name]?.['nullable'] !== true)
  return left.length === 0 ? schema : { required: left, ...schema }
}
