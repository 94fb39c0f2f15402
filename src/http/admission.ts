import type { Application } from '../application/application.ts'
import { failure, loggedAs } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { RateVerdict } from '../usage/rate-limiter.ts'
import { satisfies } from './accept-version.ts'

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** Costs a system call, so it is not called for a valid secret. */
  readonly addressOf: () => string
}

export interface Admitted {
  readonly kind: 'admitted'
  readonly application: Application
  /** Only the application's backend has the secret. The application id is public. */
  readonly withSecret: boolean
  /** `null` with the secret. */
  readonly address: string | null
  readonly bucket: RateVerdict
}

export type Admit = (call: Call, needsSecret: boolean) => Admitted | { readonly kind: 'refused'; readonly why: Failure }

export interface AdmissionDeps {
  readonly versionOptional: boolean
  /** Each NAME whose X-NAME-APPID and X-NAME-SECRET are read, besides SERVICE. */
  readonly headerPrefixes: readonly string[]
  readonly byId: (id: string) => Application | null
  /** Takes as long for an unknown application as for a wrong secret. */
  readonly secretMatches: (application: Application | null, secret: string) => boolean
  /** Re-reads the applications if another process changed them. Returns whether it did. */
  readonly refresh: () => boolean
  readonly throttleFailure: (address: string) => { readonly allowed: boolean; readonly retryAfterSeconds: number }
  /** `address` `null`: the application's backend, which has a bucket of its own. */
  readonly takeCall: (application: Application, address: string | null) => RateVerdict
  readonly chargeQuota: (
    application: Application,
    withSecret: boolean,
  ) => { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }
}

/** Checks headers only, in the order of test/api/http/order-of-checks.test.ts. */
export function admission(rely: AdmissionDeps): Admit {
  const refused = (why: Failure) => ({ kind: 'refused', why }) as const
  const idHeaders = headersFor('appid', rely.headerPrefixes)
  const secretHeaders = headersFor('secret', rely.headerPrefixes)

  return ({ method, path, headers, addressOf }, needsSecret) => {
    const range = headers.get('accept-version')
    if (range === null || range === '') {
      if (!rely.versionOptional) return refused(failure('InvalidHeader', 'Accept-Version header is required.'))
    } else if (!satisfies(range)) {
      const message = `${range.slice(0, 64)} is not supported by ${method} ${path}`
      return refused(loggedAs(failure('InvalidVersion', message), 'Accept-Version matches no supported version.'))
    }

    const id = firstOf(headers, idHeaders)
    const secret = firstOf(headers, secretHeaders)
    if (id === null || (needsSecret && secret === null)) {
      return refused(failure('InvalidHeader', 'Authentication headers not found.'))
    }
    const application = identify(id, secret)
    if (application === null) return refused(wrongCredentials(rely, addressOf(), WRONG_SECRET))
    if (application.limits.secretEverywhere && secret === null) {
      return refused(failure('InvalidHeader', 'X-SERVICE-SECRET is required: every call of this application needs it.'))
    }

    const withSecret = secret !== null
    const address = withSecret ? null : addressOf()
    const charged = charge(rely, application, address)
    if ('why' in charged) return refused(charged.why)
    return { kind: 'admitted', application, withSecret, address, ...charged }
  }

  function identify(id: string, secret: string | null): Application | null {
    const known = look(id, secret)
    // A command may have just created the application or rotated its secret.
    return known ?? (rely.refresh() ? look(id, secret) : null)
  }

  function look(id: string, secret: string | null): Application | null {
    const application = rely.byId(id)
    // A secret that is sent must be right, even when none is needed.
    if (!secret) return application
    return rely.secretMatches(application, secret) ? application : null
  }
}

const WRONG_SECRET = 'Application ID and/or Secret unauthorized.'

/** `sentence`, or that there were too many such calls from `address`. */
export function wrongCredentials(
  rely: Pick<AdmissionDeps, 'throttleFailure'>,
  address: string,
  sentence: string,
): Failure {
  const throttle = rely.throttleFailure(address)
  if (throttle.allowed) return failure('InvalidCredentials', sentence)
  return failure('TooManyRequestsError', 'Too many calls with wrong credentials from this address.', {
    'retry-after': String(throttle.retryAfterSeconds),
  })
}

/** `address` `null`: with the rights of the backend. */
export function charge(
  rely: Pick<AdmissionDeps, 'takeCall' | 'chargeQuota'>,
  application: Application,
  address: string | null,
): { readonly bucket: RateVerdict } | { readonly why: Failure } {
  const bucket = rely.takeCall(application, address)
  if (!bucket.allowed) return { why: tooMany(bucket) }
  const quota = rely.chargeQuota(application, address === null)
  if (quota.allowed) return { bucket }
  const headers = { 'retry-after': String(quota.retryAfterSeconds) }
  return { why: failure('InsufficientStorageError', 'User is over API requests quota.', headers) }
}

export function createIdOf(headerPrefixes: readonly string[]): (headers: Headers) => string | null {
  const names = headersFor('appid', headerPrefixes)
  return (headers) => firstOf(headers, names)
}

function headersFor(what: 'appid' | 'secret', prefixes: readonly string[]): readonly string[] {
  return ['service', ...prefixes.map((name) => name.toLowerCase())].map((name) => `x-${name}-${what}`)
}

function firstOf(headers: Headers, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers.get(name)
    if (value) return value
  }
  return null
}

export function tooMany(bucket: RateVerdict): Failure {
  const headers = { 'retry-after': String(bucket.retryAfterSeconds) }
  addRateLimit(headers, bucket)
  return failure('TooManyRequestsError', `You have exceeded your request rate of ${bucket.rate} r/s.`, headers)
}

/** draft-ietf-httpapi-ratelimit-headers-07; `reset`: seconds until the bucket is full. */
export function addRateLimit(headers: Record<string, string | number>, bucket: RateVerdict): void {
  if (bucket.limit === 0) return
  headers['ratelimit-limit'] = String(bucket.limit)
  headers['ratelimit-remaining'] = String(bucket.remaining)
  headers['ratelimit-reset'] = String(bucket.resetSeconds)
}
