import type { AdminFailureCode, FailureCode } from '../failure.ts'
import { PLATFORM_CHOICE } from '../platform.ts'
import type { JsonSchema } from './fields.ts'

type PublicCode = Exclude<FailureCode, AdminFailureCode>

/** A sentence that each failure may say. */
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
}

const CODES = Object.keys(SENTENCES) as PublicCode[]

/** The sentences that an endpoint says instead. */
export type Sentences = Readonly<Partial<Record<PublicCode, string>>>

/** An example of each failure whose code is named in `description`, by its code. */
export function failureExamples(description: string, own: Sentences = {}): JsonSchema {
  const named = CODES.filter((code) => description.includes(code))
  return Object.fromEntries(named.map((code) => [code, { value: { code, message: own[code] ?? SENTENCES[code] } }]))
}

/** The body of every failure. */
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
      description: 'The same for people: which field or header, what is wrong with it and what is allowed.',
      example: SENTENCES.MissingParameter,
    },
  },
}
