import { PLATFORM_CHOICE, PLATFORMS } from '../platform.ts'
import type { JsonSchema } from './fields.ts'

/*
 * What the service answers with, as JSON Schema (the dialect of OpenAPI 3.1). A schema with a `title` becomes a component
 * of that name in the document; see `components.ts`.
 */

/** An object of these properties; all of them are there but those of `optional`. */
export function objectSchema(
  title: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { title, type: 'object', required, properties }
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function text(description: string): JsonSchema {
  return { type: 'string', description }
}

export function oneOf(values: readonly string[], description: string): JsonSchema {
  return { type: 'string', enum: values, description }
}

export function count(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, description }
}

/** ISO 8601, UTC. */
export function time(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description }
}

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) }
}

export const platformSchema = oneOf(PLATFORMS.map(String), `${PLATFORM_CHOICE}.`)

/** What a write answers where there is nothing more to say. */
export function doneAnswer(message: string, status = 200) {
  return { [status]: { description: message, schema: DONE, example: { message } } }
}

const DONE = objectSchema('Done', { message: text('What was done, in a word or two.') })

/**
 * What the header Link of a list leads to; relative, since a proxy may have taken a prefix from the address of the call.
 * `user`: whose devices the list is of.
 */
export function nextPage(limit: number, after: number, user?: string): string {
  const ofUser = user === undefined ? '' : `&user=${encodeURIComponent(user)}`
  return `<?limit=${limit}&after=${after}${ofUser}>; rel="next"`
}

/** The header Link of a list that goes on (RFC 8288). */
export const NEXT_PAGE: JsonSchema = {
  description:
    'Leads to the next page, `<?limit=…&after=…>; rel="next"`, relative to the address of the call; absent on the last.',
  schema: { type: 'string' },
}
