import { FAILURE, failureExamples } from './failure-example.ts'
import type { Sentences } from './failure-example.ts'
import type { Body, JsonSchema } from './fields.ts'

interface EndpointAnswer {
  readonly description: string
  /** What it answers with; its `title` is a component of the document. */
  readonly schema: JsonSchema
  readonly example: unknown
  /** Headers beside those of every response, by name. */
  readonly headers?: Readonly<Record<string, JsonSchema>>
}

/** What an endpoint asks of its caller. The application id is inside the app, so whoever has the app can take it out. */
type Access =
  /** Also needs X-SERVICE-SECRET. */
  { readonly secret: true; readonly idAlone?: never } | { readonly secret?: never; readonly idAlone: IdAlone }

/** What somebody with nothing but the application id does here: half sentences, which follow "can" and "cannot". */
export interface IdAlone {
  readonly can: string
  readonly cannot: string
  /** What it can where the application verifies its users. Default the same. */
  readonly verified?: string
}

interface EndpointParts {
  readonly summary: string
  readonly description?: string
  readonly tag: 'Devices' | 'Pushes' | 'Analytics'
  readonly body?: Body<unknown>
  /** A body, or several, each with what it shows. */
  readonly example?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: JsonSchema }>>
  readonly parameters?: readonly JsonSchema[]
  /** Successful answers: status → what it means, and its body. */
  readonly answers: Readonly<Record<number, EndpointAnswer>>
  /** Failures beyond those of every endpoint, by status: their codes, and when. */
  readonly failures?: Readonly<Record<number, string>>
  /** What failures say here, where it is not what they say elsewhere. */
  readonly sentences?: Sentences
}

type Endpoint = EndpointParts & Access

/** The headers of every call (contract, "Authentication"). */
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
  429: 'TooManyRequestsError: rate limit exceeded, or too much that is new from one address; see Retry-After.',
  500: 'InternalError: our fault; the message has a support ID.',
  507: 'InsufficientStorageError: the request quota of the period is used up, for calls without the secret four fifths of it; or there is no room for what is new, on the disk or in what the application may have; see Retry-After.',
}

/**
 * The OpenAPI description of an endpoint of the contract. Its `security` is also what the gate enforces: what is
 * documented and what is checked cannot drift apart.
 */
export function endpoint(spec: Endpoint) {
  const failures = {
    ...EVERYWHERE,
    ...(spec.body && {
      413: 'RequestEntityTooLargeError: over 256 KiB, or without a length and in more than 2048 chunks.',
    }),
    ...spec.failures,
  }
  return {
    summary: spec.summary,
    ...(spec.description !== undefined && { description: spec.description }),
    tags: [spec.tag],
    // An extension (OpenAPI 3.1, 4.9), from which the manual's table is made: test/security/access-table.ts.
    ...(spec.idAlone && { 'x-id-alone': spec.idAlone }),
    security: [spec.secret ? { appId: [], secret: [] } : { appId: [] }],
    parameters: [ACCEPT_VERSION, ...(spec.parameters ?? [])],
    ...(spec.body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: spec.body.schema,
            ...(spec.example && { example: spec.example }),
            ...(spec.examples && { examples: spec.examples }),
          },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(spec.answers).map(([status, { description, schema, example, headers }]) => [
          status,
          { description, ...(headers && { headers }), content: { 'application/json': { schema, example } } },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(failures).map(([status, description]) => {
          const examples = failureExamples(description, spec.sentences)
          return [status, { description, content: { 'application/json': { schema: FAILURE, examples } } }]
        }),
      ),
    },
  } as never
}

/** What a route with a body says of itself: how the body is read, and its description. */
export function described<Read extends Body<unknown>>(spec: Endpoint & { readonly body: Read }) {
  return { body: spec.body, detail: endpoint(spec) }
}
