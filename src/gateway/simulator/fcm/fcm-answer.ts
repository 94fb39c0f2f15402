import { isInstallationId } from '../../../device/push-token.ts'
import { QUOTA_FAILURE } from '../../fcm/error.ts'
import type { SimulatedAnswer } from '../http2/reply.ts'
import { MagicWords } from '../magic-tokens.ts'
import type { MagicToken } from '../magic-tokens.ts'
import {
  apnsErrorDetail,
  badRequestDetail,
  errorInfoDetail,
  fcmErrorDetail,
  googleAnswer,
  googleError,
  googlePage,
  invalidArgument,
} from './google-error.ts'
import type { GoogleError } from './google-error.ts'

/** `retryAfterSeconds`: for `quota` and `busy`. `isFid`: for an installation ID. */
interface Refused {
  readonly projectId: string
  readonly retryAfterSeconds: number
  readonly isFid: boolean
}

const gone = (isFid: boolean) => [fcmErrorDetail(isFid ? 'UNREGISTERED_FID' : 'UNREGISTERED')]
const waiting = ({ retryAfterSeconds }: Refused) => ({ 'retry-after': String(retryAfterSeconds) })

/**
 * FCM's refusals of a valid message, by magic word. The bodies are FCM's, with shortened metadata. Nobody has published
 * those for installation IDs: they follow Google's SDKs, and `stale` has the other status they may have.
 */
const REFUSALS = {
  unregistered: ({ isFid }) => googleError({ ...NOT_FOUND, details: gone(isFid) }),
  stale: ({ isFid }) =>
    googleError(isFid ? invalidArgument(NOT_FOUND.message, gone(isFid)) : { ...NOT_FOUND, details: gone(isFid) }),
  invalid: ({ isFid }) => googleError(isFid ? INVALID_FID : INVALID_TOKEN),
  // The message is wrong, not the token.
  payload: () => googleError(BAD_COLOR),
  mismatch: () => googleError(fcmError(403, 'PERMISSION_DENIED', 'SenderId mismatch', 'SENDER_ID_MISMATCH')),
  thirdparty: () => googleError(NO_THIRD_PARTY),
  unauthenticated: () => accessTokenRefusal('ACCESS_TOKEN_EXPIRED'),
  denied: ({ projectId }) => projectRefusal('other-project', projectId),
  noproject: ({ projectId }) => projectRefusal('unknown', projectId),
  throttled: () => googleError(DEVICE_QUOTA),
  quota: (refused) => googleError(projectQuota(refused.projectId), waiting(refused)),
  internal: () => googleError(fcmError(500, 'INTERNAL', 'Internal error encountered.')),
  badgateway: () => googlePage(502, 'Server Error'),
  unavailable: () => googleError(UNAVAILABLE),
  busy: (refused) => googleError(UNAVAILABLE, waiting(refused)),
  // The phone gets the message anyway.
  delivered: (refused) => googleError(UNAVAILABLE, waiting(refused)),
  notfound: ({ projectId }) => projectRefusal('unknown', projectId),
  bodiless: () => ({ status: 401, headers: {}, body: '' }),
  frontend: () => googlePage(400, 'Bad Request'),
  iphonegone: () => ofApple(badApple('APNs device token is disabled.'), 410, 'Unregistered'),
  iphonebad: () => ofApple(badApple('APNs device token is invalid.'), 400, 'BadDeviceToken'),
  iphonetopic: () => ofApple(badApple('APNs topic is wrong.'), 400, 'DeviceTokenNotForTopic'),
  iphonekey: () => ofApple(NO_THIRD_PARTY, 403, 'InvalidProviderToken'),
  iphonebusy: () => ofApple(UNAVAILABLE, 503, 'ServiceUnavailable'),
  // Refuses the next token renewal: see `fcm-gateway.ts`.
  oauthclock: () => accessTokenRefusal('ACCESS_TOKEN_EXPIRED'),
  oauthkey: () => accessTokenRefusal('ACCESS_TOKEN_EXPIRED'),
} as const satisfies Record<string, (refused: Refused) => SimulatedAnswer>

export type FcmRefusal = keyof typeof REFUSALS

/**
 * A magic FCM token is a word of `FCM_MAGIC_TOKENS`, optionally `-` and a count, then no letter or digit. Without a
 * count it always works; with one, that many times, then the token is accepted: `throttled-1:abc` is throttled once. An
 * installation ID has `f_` before the word, and 22 characters: `f_unregistered_0000001`. The manual's `simulator.md`
 * has the table.
 */
export function fcmMagicToken(token: string): MagicToken<FcmRefusal> | null {
  return WORDS.find(isInstallationId(token) ? token.replace(/^f_/, '') : token)
}

const WORDS = new MagicWords(Object.keys(REFUSALS) as FcmRefusal[])

export const FCM_MAGIC_TOKENS = WORDS.all

export function fcmRefusal(
  refusal: FcmRefusal,
  projectId: string,
  retryAfterSeconds: number,
  isFid: boolean = false,
): SimulatedAnswer {
  return REFUSALS[refusal]({ projectId, retryAfterSeconds, isFid })
}

/** `projects/<id>/messages/<n>`. */
export function fcmAcceptance(name: string): SimulatedAnswer {
  return googleAnswer(200, { name })
}

/** Reasons of google.rpc.ErrorInfo. */
export function accessTokenRefusal(
  reason: 'CREDENTIALS_MISSING' | 'ACCESS_TOKEN_TYPE_UNSUPPORTED' | 'ACCESS_TOKEN_EXPIRED',
): SimulatedAnswer {
  const fault =
    reason === 'CREDENTIALS_MISSING'
      ? 'Request is missing required authentication credential.'
      : 'Request had invalid authentication credentials.'
  const error: GoogleError = {
    code: 401,
    message:
      `${fault} Expected OAuth 2 access token, login cookie or other valid authentication credential. ` +
      'See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    status: 'UNAUTHENTICATED',
    details: [
      errorInfoDetail(reason, {
        service: 'fcm.googleapis.com',
        method: 'google.firebase.fcm.v1.FcmService.SendMessage',
      }),
    ],
  }
  return googleError(error, { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' })
}

/** `other-project`: the service account may not use it. */
export function projectRefusal(reason: 'unknown' | 'other-project', projectId: string): SimulatedAnswer {
  if (reason === 'unknown') return googleError(NOT_FOUND)
  const permission = 'cloudmessaging.messages.create'
  const resource = `projects/${projectId}`
  return googleError({
    code: 403,
    message: `Permission '${permission}' denied on resource '//cloudresourcemanager.googleapis.com/${resource}' (or it may not exist).`,
    status: 'PERMISSION_DENIED',
    details: [errorInfoDetail('IAM_PERMISSION_DENIED', { permission, resource })],
  })
}

const NOT_FOUND: GoogleError = { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' }

const NOT_A_TOKEN = 'The registration token is not a valid FCM registration token'

export const INVALID_TOKEN = invalidArgument(NOT_A_TOKEN, [
  fcmErrorDetail('INVALID_ARGUMENT'),
  badRequestDetail([{ field: 'message.token', description: NOT_A_TOKEN }]),
])

const NOT_A_FID = 'The installation ID is not a valid Firebase Installation ID'
export const INVALID_FID = invalidArgument(NOT_A_FID, [
  fcmErrorDetail('INVALID_ARGUMENT'),
  badRequestDetail([{ field: 'message.fid', description: NOT_A_FID }]),
])

const BAD_COLOR_TEXT = 'Invalid color format, color must be in #rrggbb format.'
const BAD_COLOR = invalidArgument(BAD_COLOR_TEXT, [
  badRequestDetail([{ field: 'message.android.notification.color', description: BAD_COLOR_TEXT }]),
  fcmErrorDetail('INVALID_ARGUMENT'),
])

function fcmError(code: number, status: string, message: string, errorCode = status): GoogleError {
  return { code, message, status, details: [fcmErrorDetail(errorCode)] }
}

const THIRD_PARTY = 'THIRD_PARTY_AUTH_ERROR'
const NO_THIRD_PARTY = fcmError(401, 'UNAUTHENTICATED', 'Auth error from APNS or Web Push Service', THIRD_PARTY)
const UNAVAILABLE = fcmError(503, 'UNAVAILABLE', 'The service is currently unavailable.')

/** The messages are made up. */
function ofApple(said: GoogleError, status: number, reason: string): SimulatedAnswer {
  return googleError({ ...said, details: [...(said.details ?? []), apnsErrorDetail(status, reason)] })
}

function badApple(message: string): GoogleError {
  return invalidArgument(message, [fcmErrorDetail('INVALID_ARGUMENT')])
}

const DEVICE_QUOTA: GoogleError = {
  code: 429,
  message: 'Device message rate exceeded.',
  status: 'RESOURCE_EXHAUSTED',
  details: [
    fcmErrorDetail('QUOTA_EXCEEDED'),
    {
      '@type': QUOTA_FAILURE,
      violations: [{ subject: 'device', description: 'The rate of messages to this device is too high.' }],
    },
  ],
}

/** From Google's quota service, so without an FcmError. */
function projectQuota(projectId: string): GoogleError {
  const consumer = `projects/${projectId}`
  return {
    code: 429,
    message: `Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm.googleapis.com' for consumer '${consumer}'.`,
    status: 'RESOURCE_EXHAUSTED',
    details: [
      errorInfoDetail('RATE_LIMIT_EXCEEDED', {
        consumer,
        service: 'fcm.googleapis.com',
        quota_metric: 'fcm.googleapis.com/send_requests',
        quota_unit: '1/min/{project}',
      }),
    ],
  }
}
