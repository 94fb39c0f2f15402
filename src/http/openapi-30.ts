import { DATA } from './components.ts'
import type { JsonSchema } from './fields.ts'

/**
 * The same document in OpenAPI 3.0.3, for generators that read no 3.1. What only 3.1 has and the document uses: `null`
 * as a type becomes `nullable`, a description beside a reference goes around it, and webhooks are `x-webhooks`, which
 * generators read over. What those webhooks carry is in the components, so that types are made of it all the same.
 */
export function inOpenApi30(document: JsonSchema): JsonSchema {
  const { openapi: _, webhooks, info, ...rest } = lowered(document) as JsonSchema
  // An SPDX identifier is of 3.1: here it is an address.
  const { license, ...told } = info as JsonSchema
  const { identifier, ...named } = license as JsonSchema
  const url = `https://spdx.org/licenses/${String(identifier)}`
  return { openapi: '3.0.3', info: { ...told, license: { ...named, url } }, ...rest, 'x-webhooks': webhooks }
}

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered)
  if (typeof value !== 'object' || value === null) return value
  const copy: JsonSchema = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, DATA.has(key) ? (inner as unknown) : lowered(inner)]),
  )
  const { type, anyOf, $ref, ...rest } = copy
  if (Array.isArray(type)) return { type: type.find((one) => one !== 'null') as unknown, ...rest, nullable: true }
  if (Array.isArray(anyOf)) {
    const [first, ...more] = (anyOf as readonly JsonSchema[]).filter((one) => one['type'] !== 'null')
    // Only of objects: `nullable` has no meaning without a type (3.0.3, "nullable").
    if (first !== undefined && more.length === 0) return { type: 'object', allOf: [first], ...rest, nullable: true }
  }
  if ($ref === undefined || Object.keys(rest).length === 0) return copy
  return { allOf: [{ $ref }], ...rest }
}
