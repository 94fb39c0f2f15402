import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { fullBucket, takeToken } from '../usage/token-bucket.ts'
import { httpStatusOf } from './failures.ts'
import type { OnRefused } from './failures.ts'

/** Refused calls that are said at once, and then one each 3 s: anybody can have calls refused. */
const BURST = 20
const RATE = 1 / 3

interface RefusalLog {
  readonly note: OnRefused
  /** To be called now and then: says how many were left out. */
  readonly look: () => void
}

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  /** The route that a URL leads to, such as `/push/:id`; `null` for none. */
  readonly routeOf: (url: string) => string | null
  /** The id of the application that the headers name, where there is one of this id. */
  readonly applicationOf: (headers: Headers) => string | null
}

/**
 * Says which calls were refused, and why. Of the caller nothing is said but which application it named: a path or a
 * message may repeat what was sent, of which `Failure.logged` has nothing.
 */
export function createRefusalLog({ clock, log, routeOf, applicationOf }: Dependencies): RefusalLog {
  const bucket = fullBucket(BURST, clock.now())
  let leftOut = 0
  return {
    note(request, requestId, why) {
      if (!log.writes('info')) return
      if (!takeToken(bucket, RATE, BURST, clock.now())) {
        leftOut += 1
        return
      }
      const { method, headers, url } = request
      log.info('call refused', {
        requestId,
        application: applicationOf(headers) ?? undefined,
        method,
        path: routeOf(url) ?? undefined,
        status: httpStatusOf(why),
        code: why.code,
        message: why.logged ?? why.message,
      })
    },
    look() {
      if (leftOut > 0) log.info('more calls were refused than are said', { leftOut })
      leftOut = 0
    },
  }
}
