import type { Body, JsonSchema } from '../http/fields.ts'

interface AdminEndpoint<B> {
  readonly tag: 'Session' | 'Administrators' | 'Service' | 'Applications' | 'Pushes' | 'Devices'
  readonly summary: string
  readonly body?: B
  /** What a success answers with; of server-sent events, the data of each. */
  readonly answer: JsonSchema
  /** Parameters of the query, with their descriptions. */
  readonly query?: Readonly<Record<string, string>>
  /** The call's name in the audit log. Left out by calls that change nothing. */
  readonly action?: string
  /** The call changes nothing although it is no GET. */
  readonly isLook?: true
  /** Default `application/json`. */
  readonly contentType?: 'text/event-stream' | 'application/x-ndjson'
}

/** The part of a route's options that the document of the admin API, the audit log and the body's reading come from. */
export function adminCall<B extends Body<unknown>>(
  endpoint: AdminEndpoint<B> & { readonly body: B },
): { readonly body: B; readonly detail: never }
export function adminCall(endpoint: AdminEndpoint<never>): { readonly detail: never }
export function adminCall({
  tag,
  summary,
  body,
  answer,
  query = {},
  action,
  isLook,
  contentType,
}: AdminEndpoint<unknown>) {
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
    'x-answers-with': { contentType: contentType ?? 'application/json', schema: answer },
  }
  return { ...(body !== undefined && { body }), detail: detail as never }
}
