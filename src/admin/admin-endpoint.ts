import type { Body, JsonSchema } from '../http/fields.ts'

type Tag = 'Session' | 'Administrators' | 'Service' | 'Applications' | 'Pushes' | 'Devices'

interface AdminEndpoint<B> {
  readonly body?: B
  /** Of server-sent events, the data of each. */
  readonly answer: JsonSchema
  readonly query?: Readonly<Record<string, string>>
  /** In the audit log. Omitted by calls that change nothing. */
  readonly action?: string
  /** Changes nothing although it is no GET. */
  readonly isLook?: true
  /** Default `application/json`. */
  readonly contentType?: 'text/event-stream' | 'application/x-ndjson'
}

/** Options of a route for the document, the audit log and the body reader. */
export function adminCall<B extends Body<unknown>>(
  tag: Tag,
  summary: string,
  endpoint: AdminEndpoint<B> & { readonly body: B },
): { readonly body: B; readonly detail: never }
export function adminCall(tag: Tag, summary: string, endpoint: AdminEndpoint<never>): { readonly detail: never }
export function adminCall(tag: Tag, summary: string, endpoint: AdminEndpoint<unknown>) {
  const { body, answer, query = {}, action, isLook, contentType = 'application/json' } = endpoint
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
    'x-answers-with': { contentType, schema: answer },
  }
  return { ...(body !== undefined && { body }), detail: detail as never }
}
