import type { JsonSchema } from '../http/fields.ts'

interface AdminEndpoint {
  readonly tag: 'Session' | 'Administrators' | 'Service' | 'Applications' | 'Pushes' | 'Devices'
  readonly summary: string
  /** Parameters of the query: name → what it says. */
  readonly query?: Readonly<Record<string, string>>
  /** It changes nothing although it is no GET. */
  readonly isLook?: true
  /** What an answer is when it is no JSON. */
  readonly contentType?: 'text/event-stream'
}

/** What a call of the admin API says of itself; the bodies that it takes are read off the route. */
export function adminCall({ tag, summary, query = {}, isLook, contentType }: AdminEndpoint) {
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
    ...(contentType && { 'x-answers-with': contentType }),
  }
  return { detail: detail as never }
}
