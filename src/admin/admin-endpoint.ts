import type { JsonSchema } from '../http/fields.ts'
import type { AnswerName } from './answer-schemas.ts'

interface AdminEndpoint {
  readonly tag: 'Session' | 'Administrators' | 'Service' | 'Applications' | 'Pushes' | 'Devices'
  readonly summary: string
  /** What it answers with, by the name of its type in `api-types`; of server-sent events, the data of each. */
  readonly answer: AnswerName | JsonSchema
  /** Parameters of the query: name → what it says. */
  readonly query?: Readonly<Record<string, string>>
  /** What the audit log calls it. Left out by calls that change nothing. */
  readonly action?: string
  /** It changes nothing although it is no GET. */
  readonly isLook?: true
  /** What an answer is when it is no JSON. */
  readonly contentType?: 'text/event-stream' | 'application/x-ndjson'
}

/** What a call of the admin API says of itself; the bodies that it takes are read off the route. */
export function adminCall({ tag, summary, answer, query = {}, action, isLook, contentType }: AdminEndpoint) {
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
    ...(action !== undefined && { 'x-audit-action': action }),
    'x-answers-with': { contentType: contentType ?? 'application/json', answer },
  }
  return { detail: detail as never }
}
