import { failure, loggedAs } from '../failure.ts'
import type { Failure, FailureCode } from '../failure.ts'

/** The contract's table ("Errors"), and restify's statuses for what it leaves out. */
const STATUS = {
  InvalidHeader: 400,
  InvalidVersion: 400,
  InvalidContent: 400,
  InvalidArgument: 400,
  BadDigest: 400,
  InvalidCredentials: 401,
  ResourceNotFound: 404,
  MethodNotAllowedError: 405,
  MissingParameter: 409,
  ConflictError: 409,
  RequestEntityTooLargeError: 413,
  TooManyRequestsError: 429,
  InternalError: 500,
  MisdirectedRequestError: 421,
  ForbiddenError: 403,
  ServiceUnavailableError: 503,
  InsufficientStorageError: 507,
} as const satisfies Record<FailureCode, number>

/** Answers may be personal, so nothing caches them. Routes may override these. */
export function answerHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

/** RFC 9110, 15.6.4. */
export const UNAVAILABLE = 503

export type OnRefused = (request: Request, requestId: string, why: Failure) => void

export function httpStatusOf({ code }: Failure): number {
  return STATUS[code]
}

export function refuse(reason: Failure): Response {
  return new Response(JSON.stringify({ code: reason.code, message: reason.message }), {
    status: httpStatusOf(reason),
    headers: { 'content-type': 'application/json', ...reason.headers },
  })
}

export function noSuchPath(path: string): Failure {
  return loggedAs(failure('ResourceNotFound', `${path} does not exist`), 'There is no such path.')
}
