import type { Application } from '../application/application.ts'
import { failure, loggedAs } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { RateVerdict } from '../usage/rate-limiter.ts'
import { satisfies } from './accept-version.ts'

/** What admission needs to know of a call: nothing of its body. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** Looks up the caller's network address. Costs a system call, so it is asked for only without a valid secret. */
  readonly addressOf: () => string
}

export interface Admitted {
  readonly kind: 'admitted'
  readonly application: Application
  /** Whether a valid secret was sent: the call is the application's own backend's. The application id is public. */
  readonly withSecret: boolean
  /** The caller's network address; `null` with the secret. */
  readonly address: string | null
  /** The state of the caller's bucket, for the RateLimit headers. */
  readonly bucket: RateVerdict
}

export type Admit = (call: Call, needsSecret: boolean) => Admitted | { readonly kind: 'refused'; readonly why: Failure }

interface Dependencies {
  /** Whether Accept-Version may be left out. */
  readonly versionOptional: boolean
  /** Each NAME of which X-NAME-APPID and X-NAME-SECRET are read besides those of SERVICE. */
  readonly headerPrefixes: readonly string[]
  /** The application of this id; looks again, where it is not known, for one made by another process. */
  readonly byId: (id: string) => Application | null
  /** Takes the same time for an unknown application as for a wrong secret. */
  readonly secretMatches: (application: Application | null, secret: string) => boolean
  /** Re-reads the applications if another process changed them; `true` if so. */
  readonly refresh: () => boolean
  /** Whether a wrong credential from this address may still be answered with 401. */
  readonly throttleFailure: (address: string) => { readonly allowed: boolean; readonly retryAfterSeconds: number }
  /** Takes one call from the bucket of this user of this application; `null`: the application's own backend. */
  readonly takeCall: (application: Application, address: string | null) => RateVerdict
  readonly chargeQuota: (
    application: Application,
    withSecret: boolean,
  ) => { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }
}

/** Decides from headers alone whether a call may enter, in the order of test/api/http/order-of-checks.test.ts. */
export function admission(rely: Dependencies): Admit {
  const refused = (why: Failure) => ({ kind: 'refused', why }) as const
  const idHeaders = headersFor('appid', rely.headerPrefixes)
  const secretHeaders = headersFor('secret', rely.headerPrefixes)

  return ({ method, path, headers, addressOf }, needsSecret) => {
    const range = headers.get('accept-version')
    if (range === null || range === '') {
      if (!rely.versionOptional) return refused(failure('InvalidHeader', 'Accept-Version header is required.'))
    } else if (!satisfies(range)) {
      const message = `${range.slice(0, 64)} is not supported by ${method} ${path}`
      return refused(loggedAs(failure('InvalidVersion', message), 'Accept-Version names none that is served.'))
    }

    const id = firstOf(headers, idHeaders)
    const secret = firstOf(headers, secretHeaders)
    if (id === null || (needsSecret && secret === null)) {
      return refused(failure('InvalidHeader', 'Authentication headers not found.'))
    }
    const application = identify(id, secret)
    if (application === null) {
      const throttle = rely.throttleFailure(addressOf())
      if (throttle.allowed) {
        return refused(failure('InvalidCredentials', 'Application ID and/or Secret unauthorized.'))
      }
      return refused(
        failure('TooManyRequestsError', 'Too many calls with wrong credentials from this address.', {
          'retry-after': String(throttle.retryAfterSeconds),
        }),
      )
    }
    if (application.limits.secretEverywhere && secret === null) {
      return refused(failure('InvalidHeader', 'X-SERVICE-SECRET is required: every call of this application needs it.'))
    }

    // `identify` has held one that was sent against the application's.
    const withSecret = secret !== null
    const address = withSecret ? null : addressOf()
    const bucket = rely.takeCall(application, address)
    if (!bucket.allowed) return refused(tooMany(bucket))

    const quota = rely.chargeQuota(application, withSecret)
    if (!quota.allowed) {
      return refused(
        failure('InsufficientStorageError', 'User is over API requests quota.', {
          'retry-after': String(quota.retryAfterSeconds),
        }),
      )
    }
    return { kind: 'admitted', application, withSecret, address, bucket }
  }

  function identify(id: string, secret: string | null): Application | null {
    const known = look(id, secret)
    // A command may have made the application, or turned its secret, a moment ago.
    return known ?? (rely.refresh() ? look(id, secret) : null)
  }

  function look(id: string, secret: string | null): Application | null {
    const application = rely.byId(id)
    // A secret that was sent must be right, also where none is needed.
    if (!secret) return application
    return rely.secretMatches(application, secret) ? application : null
  }
}

/** Tells which application a call says that it is for, of which nothing has been proven. */
export function createIdOf(headerPrefixes: readonly string[]): (headers: Headers) => string | null {
  const names = headersFor('appid', headerPrefixes)
  return (headers) => firstOf(headers, names)
}

function headersFor(what: 'appid' | 'secret', prefixes: readonly string[]): readonly string[] {
  return ['service', ...prefixes.map((name) => name.toLowerCase())].map((name) => `x-${name}-${what}`)
}

/** The first of these headers that says something: an empty one is as good as none. */
function firstOf(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name)
    if (value) return value
  }
  return null
}

/** For a call that its bucket did not allow. */
export function tooMany(bucket: RateVerdict): Failure {
  const headers = { 'retry-after': String(bucket.retryAfterSeconds) }
  addRateLimit(headers, bucket)
  return failure('TooManyRequestsError', `You have exceeded your request rate of ${bucket.rate} r/s.`, headers)
}

/** draft-ietf-httpapi-ratelimit-headers-07: limit, remaining, and seconds until the bucket is full again. */
export function addRateLimit(headers: Record<string, string | number>, bucket: RateVerdict): void {
  if (bucket.limit === 0) return
  headers['ratelimit-limit'] = String(bucket.limit)
  headers['ratelimit-remaining'] = String(bucket.remaining)
  headers['ratelimit-reset'] = String(bucket.resetSeconds)
}
