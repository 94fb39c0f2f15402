import type { JsonSchema } from '../http/fields.ts'
import ANSWERS from './answer-schemas.json' with { type: 'json' }

interface AdminEndpoint {
  readonly tag: 'Session' | 'Administrators' | 'Service' | 'Applications' | 'Pushes' | 'Devices'
  readonly summary: string
  /** What it answers with, by the name of its type in `api-types`; of server-sent events, the data of each. */
  readonly answer: keyof typeof ANSWERS | JsonSchema
  /** Parameters of the query: name → what it says. */
  readonly query?: Readonly<Record<string, string>>
  /** It changes nothing although it is no GET. */
  readonly isLook?: true
  /** What an answer is when it is no JSON. */
  readonly contentType?: 'text/event-stream' | 'application/x-ndjson'
}

/** What a call of the admin API says of itself; the bodies that it takes are read off the route. */
export function adminCall({ tag, summary, answer, query = {}, isLook, contentType }: AdminEndpoint) {
  const schema = typeof answer === 'string' ? answerSchema(answer) : answer
  const detail = {
    tags: [tag],
    summary,
    parameters: Object.entries(query).map(([name, description]): JsonSchema => ({
      name,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
    // Extensions (OpenAPI 3.1, 4.9).
    ...(isLook && { 'x-changes-nothing': true }),
    'x-answers-with': { contentType: contentType ?? 'application/json', schema },
  }
  return { detail: detail as never }
}

/** The schema with those inside of it, each with its title: the document makes components of them. */
function answerSchema(name: keyof typeof ANSWERS): JsonSchema {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as JsonSchema
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, whole(one)]))
    return { ...answerSchema($ref.slice($ref.lastIndexOf('/') + 1) as keyof typeof ANSWERS), ...rest }
  }
  return { title: name, ...(whole(ANSWERS[name]) as JsonSchema) }
}
