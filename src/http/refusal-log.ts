import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { fullBucket, takeToken } from '../usage/token-bucket.ts'
import { httpStatusOf } from './failures.ts'
import type { OnRefused } from './failures.ts'

/** So many at once, then one in 3 s: anybody can send calls that are refused. */
const BURST = 20
const RATE = 1 / 3

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  readonly routeOf: (url: string) => string | null
  /** The id of an existing application that the headers name. */
  readonly applicationOf: (headers: Headers) => string | null
}

/** Uses `Failure.logged` and the route, since a message or a path may repeat what was sent. */
export function createRefusalLog({ clock, log, routeOf, applicationOf }: Dependencies) {
  const bucket = fullBucket(BURST, clock.now())
  let leftOut = 0
  const note: OnRefused = (request, requestId, why) => {
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
  }

  return {
    note,
    /** Logs how many were suppressed. Call regularly. */
    look(): void {
      if (leftOut > 0) log.info('more calls were refused than are logged', { leftOut })
      leftOut = 0
    },
  }
}
