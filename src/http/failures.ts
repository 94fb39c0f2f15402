import { Elysia, NotFoundError, ParseError } from 'elysia'
import { isFull } from '../database/sqlite-error.ts'
import { failure, loggedAs, noRoom, Refused } from '../failure.ts'
import type { Failure, FailureCode } from '../failure.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import { pathOf } from './path-table.ts'

/** The document's table (contract, "Errors"), and where it is silent restify's. */
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
  InsufficientStorageError: 507,
} as const satisfies Record<FailureCode, number>

/**
 * Headers of every answer, unless its route says otherwise: it may hold what is personal, so nothing keeps it, and it is
 * what its Content-Type says (Fetch standard, "nosniff").
 */
export function answerHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

/** Of a service that cannot do its work now (RFC 9110, 15.6.4). */
export const UNAVAILABLE = 503

/** Hears of a call that is refused, of which the answer carries this id. */
export type OnRefused = (request: Request, requestId: string, why: Failure) => void

/** The HTTP status that a failure has. */
export function httpStatusOf({ code }: Failure): number {
  return STATUS[code]
}

/** The response for a failure: `{"code": …, "message": …}`. */
export function refuse(reason: Failure): Response {
  return new Response(JSON.stringify({ code: reason.code, message: reason.message }), {
    status: httpStatusOf(reason),
    headers: { 'content-type': 'application/json', ...reason.headers },
  })
}

/** Turns whatever a route threw into the failure the caller reads. What was our own fault is logged in full. */
export function failures(
  log: Pick<Log, 'warn' | 'error'>,
  onRefused: OnRefused = () => {},
  onFault: OnRefused = () => {},
) {
  return new Elysia({ name: 'failures' })
    .onError(({ error, set, request }) => {
      const requestId = String(set.headers['x-request-id'])
      // Elysia wraps what its body parser throws.
      const thrown = error instanceof ParseError ? error.cause : error
      if (thrown instanceof Refused) {
        // Its message asks the caller to name this request to us.
        if (thrown.failure.code === 'BadDigest') log.warn('digest does not match', { requestId })
        onRefused(request, requestId, thrown.failure)
        return refuse(thrown.failure)
      }
      if (error instanceof NotFoundError) return refuse(noSuchPath(pathOf(request.url)))
      // That is seen and said elsewhere; to say it for each call would fill what is full.
      if (isFull(thrown)) {
        onRefused(request, requestId, noRoom())
        return refuse(noRoom())
      }
      log.error('internal error', { requestId, error: describeError(thrown) })
      const fault = failure('InternalError', `Internal error. Support ID ${requestId}`)
      onFault(request, requestId, fault)
      return refuse(fault)
    })
    .as('global')
}

export function noSuchPath(path: string): Failure {
  return loggedAs(failure('ResourceNotFound', `${path} does not exist`), 'There is no such path.')
}
