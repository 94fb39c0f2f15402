import { escapeControls } from './text/escape-controls.ts'

/**
 * Every refusal of the API (contract, "Errors", with its inconsistent suffixes). Only `http/failures.ts` has the HTTP
 * statuses.
 */
export type FailureCode =
  | 'InvalidHeader'
  | 'InvalidVersion'
  | 'InvalidContent'
  | 'InvalidArgument'
  | 'BadDigest'
  | 'InvalidCredentials'
  | 'ResourceNotFound'
  | 'MethodNotAllowedError'
  | 'MissingParameter'
  | 'ConflictError'
  | 'RequestEntityTooLargeError'
  | 'TooManyRequestsError'
  | 'InsufficientStorageError'
  | 'InternalError'
  | 'ServiceUnavailableError'
  | AdminFailureCode

export type AdminFailureCode = 'MisdirectedRequestError' | 'ForbiddenError'

export interface Failure {
  readonly code: FailureCode
  /** One sentence: which field or header, what is wrong, what is allowed. */
  readonly message: string
  /** For the log, if the message quotes the call. Default: the message. */
  readonly logged?: string
  /** Extra response headers, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A quotation could control the reader's terminal: JSON escapes neither DEL nor C1. */
export function failure(code: FailureCode, message: string, headers?: Readonly<Record<string, string>>): Failure {
  const harmless = escapeControls(message)
  return headers === undefined ? { code, message: harmless } : { code, message: harmless, headers }
}

/** `logged` must not quote the call. */
export function loggedAs(reason: Failure, logged: string): Failure {
  return { ...reason, logged }
}

/** Seconds: an operator has to make room first. */
const NO_ROOM_RETRY = 60

export function noRoom(): Failure {
  return failure(
    'InsufficientStorageError',
    "The server's disk is nearly full: nothing new is accepted until there is room.",
    { 'retry-after': String(NO_ROOM_RETRY) },
  )
}

/** Seconds, in which a move copies some 20,000 devices. */
const MOVING_RETRY = 2

/** During a move no server answers for the application. */
export function beingMoved(): Failure {
  return failure('ServiceUnavailableError', 'The application is being moved to another server: repeat the call.', {
    'retry-after': String(MOVING_RETRY),
  })
}

/**
 * Carries a Failure from reading a call to its answer. Thrown by readers of a caller's fields (`*-schema`, `*-fields`),
 * by `http/`, the admin gate and the `*-routes`, and by accepting, previewing, counting and resending a push, where the
 * throw also undoes the transaction. Caught by `http/failure-handler.ts`, and by `refusalIn` outside of HTTP. Stores,
 * delivery and gateways return values instead. See `test/architecture.test.ts`.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly failure: Failure

  constructor(reason: Failure) {
    super(reason.message)
    this.failure = reason
  }
}

/** Rethrows anything else. */
export function refusalIn(error: unknown): Failure {
  if (error instanceof Refused) return error.failure
  throw error
}

/**
 * The operator can change why the service does not start: a port in use, a data directory of another server. Printed
 * without a stack.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

/** Why an operator's request or input is refused, in one sentence with what is expected. */
export interface Problem {
  readonly kind: 'problem'
  readonly problem: string
}

export function problem(sentence: string): Problem {
  return { kind: 'problem', problem: sentence }
}
