import { escapeControls } from './text/escape-controls.ts'

/**
 * Every refusal the API can give (contract, "Errors"; the suffix on some names and not on others is the
 * document's own). The HTTP status of each is in `http/failures.ts`, and nowhere else.
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

/** Of the admin side alone. */
export type AdminFailureCode = 'MisdirectedRequestError' | 'ForbiddenError'

export interface Failure {
  readonly code: FailureCode
  /** One sentence for the caller: which field or header, what is wrong, what is allowed. */
  readonly message: string
  /** What the log says in place of the message, where that repeats what the caller sent. Default the message. */
  readonly logged?: string
  /** Extra response headers, such as Allow or Retry-After. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What `message` repeats of a call can do nothing to the terminal in which somebody reads the answer: JSON escapes
 * neither DEL nor C1, and a header or the text of a parser's error is repeated as it is.
 */
export function failure(code: FailureCode, message: string, headers?: Readonly<Record<string, string>>): Failure {
  const harmless = escapeControls(message)
  return headers === undefined ? { code, message: harmless } : { code, message: harmless, headers }
}

/** The same, with a text for the log that has nothing of what the caller sent. */
export function loggedAs(reason: Failure, logged: string): Failure {
  return { ...reason, logged }
}

/** Seconds. Somebody has to make room first. */
const NO_ROOM_RETRY = 60

/** For what would take room on a disk that has little, or none. */
export function noRoom(): Failure {
  return failure(
    'InsufficientStorageError',
    "The server's disk is nearly full: nothing new is accepted until there is room.",
    { 'retry-after': String(NO_ROOM_RETRY) },
  )
}

/** Seconds. A move copies some 20,000 devices in one. */
const MOVING_RETRY = 2

/** For a call of an application that no server answers just now. */
export function beingMoved(): Failure {
  return failure('ServiceUnavailableError', 'The application is being moved to another server: repeat the call.', {
    'retry-after': String(MOVING_RETRY),
  })
}

/**
 * Carries a Failure from where a call is read to where it is answered. It is made by what reads fields of a caller
 * (`*-schema`, `*-fields`), by `http/`, the gate of the admin side and the `*-routes`, and by what accepts, previews, counts and sends again a push, where the
 * throw also undoes the transaction. `http/failure-handler.ts` catches it, and by `refusalIn` whoever reads fields outside of
 * HTTP. Stores, delivery and gateways know nothing of it: what they expect is a value. Held by
 * `test/architecture.test.ts`.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly failure: Failure

  constructor(reason: Failure) {
    super(reason.message)
    this.failure = reason
  }
}

/** The failure that was thrown; whatever else was thrown is thrown on. */
export function refusalIn(error: unknown): Failure {
  if (error instanceof Refused) return error.failure
  throw error
}

/**
 * Why the service does not start, where that is the operator's to change: a port in use, a data directory that another
 * server holds. The message is the one sentence that is printed, without a stack.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

/** Why something an operator asked for, or gave, cannot be: one sentence, with what is expected. */
export interface Problem {
  readonly kind: 'problem'
  readonly problem: string
}

export function problem(sentence: string): Problem {
  return { kind: 'problem', problem: sentence }
}
