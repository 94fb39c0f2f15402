import type { AdminFailureCode, FailureCode } from '../failure.ts'
import { PLATFORM_CHOICE } from '../platform.ts'
import { exampleOf } from './answer-schema.ts'
import type { Body, JsonSchema } from './fields.ts'

type PublicCode = Exclude<FailureCode, AdminFailureCode>

const SENTENCES: Readonly<Record<PublicCode, string>> = {
  InvalidHeader: 'Authentication headers not found.',
  InvalidVersion: '2 is not supported by PUT /deviceToken',
  InvalidContent: 'The body must be a JSON object.',
  InvalidArgument: `platform must be ${PLATFORM_CHOICE}, not "tv".`,
  BadDigest: 'Content-MD5 does not match the body that arrived. Support ID 019a9f7e-3c1b-7000-8000-000000000000',
  InvalidCredentials: 'Application ID and/or Secret unauthorized.',
  ResourceNotFound: 'No device found',
  MethodNotAllowedError: 'GET is not allowed',
  MissingParameter: 'token is required.',
  ConflictError: 'alias belongs to another device of the application.',
  RequestEntityTooLargeError: 'The body is larger than 262144 bytes.',
  TooManyRequestsError: 'You have exceeded your request rate of 10 r/s.',
  InsufficientStorageError: 'User is over API requests quota.',
  InternalError: 'Internal error. Support ID 019a9f7e-3c1b-7000-8000-000000000000',
  ServiceUnavailableError: 'The application is being moved to another server: repeat the call.',
}

const CODES = Object.keys(SENTENCES) as PublicCode[]

type Sentences = Readonly<Partial<Record<PublicCode, string>>>

function failureExamples(description: string, own: Sentences = {}): JsonSchema {
  const named = CODES.filter((code) => description.includes(code))
  return Object.fromEntries(named.map((code) => [code, { value: { code, message: own[code] ?? SENTENCES[code] } }]))
}

export const FAILURE: JsonSchema = {
  title: 'Failure',
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: {
      type: 'string',
      description: `What went wrong, for programs: ${CODES.join(', ')}. More may come.`,
      example: 'MissingParameter',
    },
    message: {
      type: 'string',
      description: 'For people: which field or header, what is wrong, and what is allowed.',
      example: SENTENCES.MissingParameter,
    },
  },
}

interface EndpointAnswer {
  readonly description: string
  /** With a `title`: a component of the document. */
  readonly schema: JsonSchema
  readonly headers?: Readonly<Record<string, JsonSchema>>
}

/** The application id is in the app, so anybody can have it. */
type Access =
  | { readonly secret: true; readonly idAlone?: never }
  | { readonly secret?: never; readonly idAlone: IdAlone }

/** What the application id alone allows, as ends of sentences. */
export interface IdAlone {
  readonly can: string
  readonly cannot: string
  readonly verified?: string
}

interface EndpointParts {
  readonly summary: string
  readonly description?: string
  readonly tag: 'Devices' | 'Pushes' | 'Analytics'
  readonly body?: Body<unknown>
  readonly example?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: JsonSchema }>>
  readonly parameters?: readonly JsonSchema[]
  readonly answers: Readonly<Record<number, EndpointAnswer>>
  /** Failures besides those of every endpoint, by status, with their codes. */
  readonly failures?: Readonly<Record<number, string>>
  readonly sentences?: Sentences
}

type Endpoint = EndpointParts & Access

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
  429: 'TooManyRequestsError: rate limit exceeded, or too much new data from one address; see Retry-After.',
  500: 'InternalError: a bug in Bellhop; the message has a support ID.',
  503: 'ServiceUnavailableError: the application is being moved to another server; see Retry-After.',
  507: 'InsufficientStorageError: the quota is used up (80 % of it for calls without the secret), or a disk or application limit allows nothing new; see Retry-After.',
}

/** The gate enforces its `security`. */
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
    // An extension (OpenAPI 3.1, 4.9), for the manual's table: test/security/access-table.ts.
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
        Object.entries(spec.answers).map(([status, { description, schema, headers }]) => [
          status,
          {
            description,
            ...(headers && { headers }),
            content: { 'application/json': { schema, example: exampleOf(schema) } },
          },
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

export function described<Read extends Body<unknown>>(spec: Endpoint & { readonly body: Read }) {
  return { body: spec.body, detail: endpoint(spec) }
}
