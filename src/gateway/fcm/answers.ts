import { MINUTE_MS } from '../../clock.ts'
import { judgeApns } from '../apns/protocol.ts'
import type { Outcome } from '../gateway.ts'
import type { FcmError } from './error.ts'

/** A test compares the manual's `fcm.md` with this table. */
export interface FcmAnswer {
  readonly http: string
  readonly says: string
  readonly blames: string
  readonly done: string
  readonly source: string
  readonly is: (said: FcmReply) => boolean
  readonly outcome: (said: FcmReply) => Outcome
  /** Google may mean only this token: answers for other devices decide. Default false. */
  readonly isVague?: true
}

export interface FcmReply {
  readonly status: number
  readonly error: FcmError
  readonly reason: string
  /** From Retry-After; `null` without it. */
  readonly afterMs: number | null
  readonly isFid: boolean
}

/** "If there is no Retry-After, wait 60 seconds" (Google, "Scale FCM": 429). */
const QUOTA_MS = MINUTE_MS

/** `FirebaseInstallations.getId()` alone registers no device. */
const NOT_REGISTERED_FID = 'the app was removed, or it has not called register() of Firebase Messaging'

const ERROR_CODES = 'Google, "ErrorCode"'
const APPLE = 'FCM reference, "ApnsError"; Apple, "Handling notification responses from APNs"'

/** The first match counts; success is not listed. */
export const FCM_ANSWERS: readonly FcmAnswer[] = [
  {
    http: '4xx',
    says: '`ApnsError` 410 (`Unregistered`, `ExpiredToken`)',
    blames: 'the iPhone',
    done: 'the app was removed: the device is unregistered',
    source: `${APPLE}; "APNs device token is disabled."`,
    is: ({ status, error }) => isRefusal(status) && error.apns?.status === 410,
    outcome: gone,
  },
  {
    http: 'any but 200',
    says: '`ApnsError` with another reason',
    blames: "as APNs' own answer; its key is Firebase's",
    done: 'a bad token is set aside; a bad push fails; for all else, also a refused key, this device later. The reason has Apple’s word',
    source: APPLE,
    is: ({ error }) => error.apns !== null,
    outcome: ofApple,
  },
  {
    http: '404',
    says: '`UNREGISTERED`',
    blames: 'the device',
    done: 'the app was removed: the device is unregistered',
    source: ERROR_CODES,
    is: ({ status, error }) => status === 404 && error.code === 'UNREGISTERED',
    outcome: gone,
  },
  {
    http: '4xx',
    says: '`UNREGISTERED_FID`',
    blames: 'the installation ID',
    done: 'the same',
    source: 'firebase-admin, `installation-id-not-registered`',
    is: ({ status, error }) => isRefusal(status) && (error.code ?? error.status) === 'UNREGISTERED_FID',
    outcome: gone,
  },
  {
    http: '403',
    says: '`SENDER_ID_MISMATCH`',
    blames: 'the token, or the service account',
    done: 'the device is set aside, unless nobody was taken with this service account yet',
    source: ERROR_CODES,
    is: ({ status, error }) => status === 403 && error.code === 'SENDER_ID_MISMATCH',
    outcome: ({ reason }) => ({ kind: 'rejected', blame: 'mismatch', reason }),
  },
  {
    http: '401',
    says: '`THIRD_PARTY_AUTH_ERROR`',
    blames: 'the APNs key or VAPID key in Firebase',
    done: 'this device later: the operator may yet upload the key',
    source: ERROR_CODES,
    is: ({ error }) => error.code === 'THIRD_PARTY_AUTH_ERROR',
    outcome: deviceLater,
  },
  {
    http: '401',
    says: 'no error of Google in the body',
    blames: 'the token, where others are taken; else the service account',
    done: 'no new access token where the one in use was taken; again; set aside if others were taken meanwhile',
    source: 'firebase-admin-java#486',
    is: ({ status, error }) => status === 401 && !error.isGoogles,
    outcome: misconfigured,
    isVague: true,
  },
  {
    http: '401',
    says: '`UNAUTHENTICATED`',
    blames: 'the access token',
    done: 'a new access token, once; then the service account is refused',
    source: ERROR_CODES,
    is: ({ status }) => status === 401,
    outcome: misconfigured,
  },
  {
    http: '403',
    says: '`PERMISSION_DENIED`, or anything else',
    blames: 'the service account: API off, or role missing',
    done: 'sending pauses once several devices are told so',
    source: ERROR_CODES,
    is: ({ status }) => status === 403,
    outcome: misconfigured,
  },
  {
    http: '404',
    says: '`NOT_FOUND` without details',
    blames: 'the token, where others are taken; else the project ID',
    done: 'again; set aside if others were taken meanwhile; pauses once several devices are told so and none is taken',
    source: 'novuhq/novu, fcm.provider.ts: treated as an unregistered token',
    is: ({ status, error }) => status === 404 && error.isGoogles && !error.hasDetails,
    outcome: misconfigured,
    isVague: true,
  },
  {
    http: '404',
    says: 'anything else, such as a page',
    blames: 'the address that is sent to',
    done: 'sending pauses once several devices are told so; nobody is erased',
    source: 'Google’s front end',
    is: ({ status }) => status === 404,
    outcome: misconfigured,
  },
  {
    http: '429',
    says: '`QUOTA_EXCEEDED` with a QuotaFailure of the device',
    blames: 'the device: too many messages',
    done: 'this device later',
    source: 'Google, "Throttling and quotas"',
    is: ({ status, error }) => status === 429 && error.quotaOf === 'device',
    outcome: ({ afterMs, reason }) => ({ kind: 'deferred', afterMs: afterMs ?? QUOTA_MS, scope: 'device', reason }),
  },
  {
    http: '429',
    says: '`RATE_LIMIT_EXCEEDED`, or a QuotaFailure of the project',
    blames: 'the project',
    done: 'all of the project for Retry-After, or a minute; then slowly at first',
    source: 'Google, "Throttling and quotas"',
    is: ({ status, error }) => status === 429 && error.quotaOf === 'project',
    outcome: ({ afterMs, reason }) => ({ kind: 'deferred', afterMs: afterMs ?? QUOTA_MS, scope: 'credential', reason }),
  },
  {
    http: '429',
    says: 'anything else',
    blames: 'not said',
    done: 'this device after Retry-After, or a minute; everything once several devices are told so',
    source: 'Google, "Scale FCM"',
    is: ({ status }) => status === 429,
    outcome: ({ afterMs, reason }) => ({ kind: 'deferred', afterMs: afterMs ?? QUOTA_MS, scope: 'either', reason }),
  },
  {
    http: '408, 500',
    says: '`INTERNAL`, or anything else',
    blames: 'Google, for this message',
    done: 'this device later, after 10 seconds or more',
    source: ERROR_CODES,
    is: ({ status }) => status === 408 || status === 500,
    outcome: deviceLater,
  },
  {
    http: '4xx',
    says: 'no error of Google in the body, such as a page',
    blames: 'who stands in between, not the push',
    done: 'this device later; everything once several devices are told so',
    source: 'Google’s front end answers `text/html`',
    is: ({ status, error }) => isRefusal(status) && !error.isGoogles,
    outcome: later,
  },
  {
    http: '400',
    says: '`INVALID_ARGUMENT` of `message.token`',
    blames: 'the token',
    done: 'the device is set aside',
    source: ERROR_CODES,
    is: ({ status, error }) => isRefusal(status) && error.concerns === 'token',
    outcome: ({ reason }) => ({ kind: 'rejected', blame: 'token', reason }),
  },
  {
    http: '400',
    says: '`INVALID_ARGUMENT` of `message.fid`',
    blames: 'the installation ID',
    done: 'the device is set aside',
    source: 'by the form of `message.token`',
    // No credential changes a FID's format.
    is: ({ status, error }) => isRefusal(status) && error.concerns === 'fid',
    outcome: ({ reason }) => ({ kind: 'rejected', blame: 'token', reason, certain: true }),
  },
  {
    http: '4xx',
    says: '`INVALID_ARGUMENT` of another field, or anything else',
    blames: 'the push',
    done: 'it fails for this device, and for everybody once 100 were refused so and none was taken; the device stays',
    source: ERROR_CODES,
    is: ({ status }) => isRefusal(status),
    outcome: ({ reason }) => ({ kind: 'rejected', blame: 'push', reason }),
  },
  {
    http: '5xx, other',
    says: '`UNAVAILABLE`, a page, a redirect, or 200 without the name of a message',
    blames: 'Google, or who stands in between',
    done: 'this device after Retry-After, or 10 seconds; everything once several devices are told so. A repeat replaces what is shown',
    source: ERROR_CODES,
    is: () => true,
    outcome: later,
  },
]

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

function gone({ isFid, reason, error }: FcmReply): Outcome {
  const why = isFid && error.apns === null ? `${reason}: ${NOT_REGISTERED_FID}` : reason
  return { kind: 'unregistered', since: null, reason: why }
}

/**
 * Firebase holds the APNs key, and the operator may still replace it, so trouble with it or with Apple concerns only
 * this phone.
 */
function ofApple(said: FcmReply): Outcome {
  const { afterMs, reason, error } = said
  const outcome = judgeApns(error.apns?.status ?? 0, { reason: error.apns?.reason ?? null, timestamp: null }, afterMs)
  if (outcome.kind === 'rejected' && outcome.blame !== 'mismatch')
    return { kind: 'rejected', blame: outcome.blame, reason }
  return deviceLater(said)
}

function deviceLater({ afterMs, reason }: FcmReply): Outcome {
  return { kind: 'deferred', afterMs, scope: 'device', reason }
}

function later({ afterMs, reason }: FcmReply): Outcome {
  return { kind: 'deferred', afterMs, scope: 'either', reason }
}

function misconfigured({ reason }: FcmReply): Outcome {
  return { kind: 'misconfigured', reason }
}
