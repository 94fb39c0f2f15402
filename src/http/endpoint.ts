import type { Body, JsonSchema } from './fields.ts'

interface Endpoint {
  readonly summary: string
  readonly description?: string
  readonly tag: 'Devices' | 'Pushes' | 'Analytics'
  /** Also needs X-SERVICE-SECRET. */
  readonly secret?: true
  readonly body?: Body<unknown>
  readonly example?: JsonSchema
  readonly parameters?: readonly JsonSchema[]
  /** Successful answers: status → what it means, and its body. */
  readonly answers: Readonly<
    Record<number, { readonly description: string; readonly example: unknown; readonly schema?: JsonSchema }>
  >
  /** Failures beyond those of every endpoint, by status. */
  readonly failures?: Readonly<Record<number, string>>
}

/** The headers of every call (spec/api-v1, "Authentication"). */
const ACCEPT_VERSION = {
  name: 'Accept-Version',
  in: 'header',
  required: true,
  description: 'A semver range that 1.0.0 satisfies, of at most 4 comparators.',
  schema: { type: 'string', maxLength: 64, example: '1' },
}

const EVERYWHERE: Readonly<Record<number, string>> = {
  400: 'InvalidHeader, InvalidVersion, InvalidContent, InvalidArgument or BadDigest: the message says which and why.',
  401: 'InvalidCredentials: unknown application or wrong secret.',
  429: 'TooManyRequestsError: rate limit exceeded; see Retry-After.',
  500: 'InternalError: our fault; the message has a support ID.',
  507: 'InsufficientStorageError: the request quota of the period is used up, for calls without the secret four fifths of it; see Retry-After.',
}

/**
 * The OpenAPI description of an endpoint of the contract. Its `security` is also what the gate enforces: what is
 * documented and what is checked cannot drift apart.
 */
export function endpoint(of: Endpoint) {
  const failures = {
    ...EVERYWHERE,
    ...(of.body && {
      413: 'RequestEntityTooLargeError: over 256 KiB, or without a length and in more than 2048 chunks.',
    }),
    ...of.failures,
  }
  return {
    summary: of.summary,
    ...(of.description !== undefined && { description: of.description }),
    tags: [of.tag],
    security: [of.secret ? { appId: [], secret: [] } : { appId: [] }],
    parameters: [ACCEPT_VERSION, ...(of.parameters ?? [])],
    ...(of.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: of.body.schema, ...(of.example && { example: of.example }) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(of.answers).map(([status, { description, example, schema }]) => [
          status,
          { description, content: { 'application/json': { ...(schema && { schema }), example } } },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } },
        ]),
      ),
    },
  } as never
}
