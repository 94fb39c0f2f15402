import { Elysia, NotFoundError, ParseError } from 'elysia'
import { isFull, isWithheld } from '../database/sqlite-error.ts'
import { beingMoved, failure, noRoom, Refused } from '../failure.ts'
import type { Log } from '../log.ts'
import { describeError } from '../text/error-code.ts'
import { noSuchPath, refuse } from './failures.ts'
import type { OnRefused } from './failures.ts'
import { pathOf } from './path-table.ts'

/** Our own faults are logged in full. */
export function failureHandler(
  log: Pick<Log, 'warn' | 'error'>,
  onRefused: OnRefused = () => {},
  onFault: OnRefused = () => {},
) {
  return new Elysia({ name: 'failures' })
    .onError(({ error, set, request }) => {
      const requestId = String(set.headers['x-request-id'])
      const thrown = error instanceof ParseError ? error.cause : error
      if (thrown instanceof Refused) {
        // The message asks the caller to give us this request's ID.
        if (thrown.failure.code === 'BadDigest') log.warn('digest does not match', { requestId })
        onRefused(request, requestId, thrown.failure)
        return refuse(thrown.failure)
      }
      if (error instanceof NotFoundError) return refuse(noSuchPath(pathOf(request.url)))
      // Not logged: the disk watch reports a full disk, and lines would fill it further.
      if (isFull(thrown)) {
        onRefused(request, requestId, noRoom())
        return refuse(noRoom())
      }
      // The call was admitted before its application began to move.
      if (isWithheld(thrown)) {
        onRefused(request, requestId, beingMoved())
        return refuse(beingMoved())
      }
      log.error('internal error', { requestId, error: describeError(thrown) })
      const fault = failure('InternalError', `Internal error. Support ID ${requestId}`)
      onFault(request, requestId, fault)
      return refuse(fault)
    })
    .as('global')
}
