import type { SimulatedAnswer } from '../http2/reply.ts'
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
import type { Detail, GoogleError } from './google-error.ts'

/** Every way FCM refuses a message that is in order: each is what a token can ask for, by this name. */
export type FcmRefusal =
  | 'unregistered'
  | 'stale'
  | 'invalid'
  | 'payload'
  | 'mismatch'
  | 'thirdparty'
  | 'unauthenticated'
  | 'denied'
  | 'noproject'
  | 'throttled'
  | 'quota'
  | 'internal'
  | 'badgateway'
  | 'unavailable'
  | 'busy'
  | 'delivered'
  | 'notfound'
  | 'bodiless'
  | 'frontend'
  | 'iphonegone'
  | 'iphonebad'
  | 'iphonekey'
  | 'iphonetopic'
  | 'iphonebusy'
  | 'oauthclock'
  | 'oauthkey'

/** `name`: `projects/<id>/messages/<n>`. */
export function fcmAcceptance(name: string): SimulatedAnswer {
  return googleAnswer(200, { name })
}

/**
 * `retryAfterSeconds`: what `quota` and `busy` ask for. `isFid`: it is about a Firebase Installation ID. The bodies are
 * those seen from FCM, shortened in metadata (the words of those about iPhones are made up, their details are not); of an installation ID, which nobody has published, they follow Google's
 * SDKs, and `stale` has the other status that it may come with.
 */
export function fcmRefusal(
  refusal: FcmRefusal,
  projectId: string,
  retryAfterSeconds: number,
  isFid: boolean = false,
): SimulatedAnswer {
  const retryAfter = { 'retry-after': String(retryAfterSeconds) }
  const gone = [fcmErrorDetail(isFid ? 'UNREGISTERED_FID' : 'UNREGISTERED')]
  switch (refusal) {
    case 'unregistered':
      return googleError({ ...NOT_FOUND, details: gone })
    case 'stale':
      return googleError(isFid ? invalidArgument(NOT_FOUND.message, gone) : { ...NOT_FOUND, details: gone })
    case 'invalid':
      return googleError(isFid ? INVALID_FID : INVALID_TOKEN)
    case 'payload':
      return googleError(BAD_COLOR)
    case 'mismatch':
      return googleError(SENDER_ID_MISMATCH)
    case 'thirdparty':
      return googleError(THIRD_PARTY)
    case 'unauthenticated':
      return accessTokenRefusal('ACCESS_TOKEN_EXPIRED')
    case 'denied':
      return projectRefusal('other-project', projectId)
    case 'noproject':
      return projectRefusal('unknown', projectId)
    case 'throttled':
      return googleError(DEVICE_QUOTA)
    case 'quota':
      return googleError(projectQuota(projectId), retryAfter)
    case 'internal':
      return googleError(INTERNAL)
    case 'badgateway':
      return googlePage(502, 'Server Error')
    case 'unavailable':
      return googleError(UNAVAILABLE)
    case 'notfound':
      return projectRefusal('unknown', projectId)
    case 'bodiless':
      return { status: 401, headers: {}, body: '' }
    case 'frontend':
      return googlePage(400, 'Bad Request')
    case 'iphonegone':
      return googleError(
        invalidArgument('APNs device token is disabled.', ofApple('INVALID_ARGUMENT', 410, 'Unregistered')),
      )
    case 'iphonebad':
      return googleError(
        invalidArgument('APNs device token is invalid.', ofApple('INVALID_ARGUMENT', 400, 'BadDeviceToken')),
      )
    case 'iphonetopic':
      return googleError(
        invalidArgument('APNs topic is wrong.', ofApple('INVALID_ARGUMENT', 400, 'DeviceTokenNotForTopic')),
      )
    case 'iphonekey':
      return googleError({ ...THIRD_PARTY, details: ofApple('THIRD_PARTY_AUTH_ERROR', 403, 'InvalidProviderToken') })
    case 'iphonebusy':
      return googleError({ ...UNAVAILABLE, details: ofApple('UNAVAILABLE', 503, 'ServiceUnavailable') })
    // The token endpoint refuses the renewal that follows: see `fcm-gateway.ts`.
    case 'oauthclock':
    case 'oauthkey':
      return accessTokenRefusal('ACCESS_TOKEN_EXPIRED')
    case 'delivered':
    case 'busy':
    default:
      return googleError(UNAVAILABLE, retryAfter)
  }
}

/** The reasons are those of google.rpc.ErrorInfo. */
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

/** `unknown`: there is no such project. `other-project`: there is, but the service account may not send for it. */
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

/** With a field violation like a faulty message, but of the token itself. */
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

function fcmError(code: number, status: string, message: string, errorCode: string): GoogleError {
  return { code, message, status, details: [fcmErrorDetail(errorCode)] }
}

const SENDER_ID_MISMATCH = fcmError(403, 'PERMISSION_DENIED', 'SenderId mismatch', 'SENDER_ID_MISMATCH')
const THIRD_PARTY = fcmError(
  401,
  'UNAUTHENTICATED',
  'Auth error from APNS or Web Push Service',
  'THIRD_PARTY_AUTH_ERROR',
)

const DEVICE_QUOTA: GoogleError = {
  code: 429,
  message: 'Device message rate exceeded.',
  status: 'RESOURCE_EXHAUSTED',
  details: [
    fcmErrorDetail('QUOTA_EXCEEDED'),
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ subject: 'device', description: 'The rate of messages to this device is too high.' }],
    },
  ],
}

/** Comes from Google's quota service, not from FCM: so it has no FcmError. */
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

function ofApple(errorCode: string, statusCode: number, reason: string): readonly Detail[] {
  return [fcmErrorDetail(errorCode), apnsErrorDetail(statusCode, reason)]
}

const INTERNAL = fcmError(500, 'INTERNAL', 'Internal error encountered.', 'INTERNAL')
const UNAVAILABLE = fcmError(503, 'UNAVAILABLE', 'The service is currently unavailable.', 'UNAVAILABLE')
