import { isInstallationId } from '../../../device/push-token.ts'
import { TRANSPORT_ANSWERS } from '../magic-tokens.ts'
import type { MagicAnswer, MagicToken } from '../magic-tokens.ts'
import type { FcmRefusal } from './fcm-answer.ts'

/*
 * An FCM token is text, so what is asked for is a word: one of this table, then perhaps `-` and how often, then anything that
 * is neither letter nor digit, then the rest. Without a number: every time; with one, the first so many times, after
 * which the token is accepted.
 *
 *   token              answer
 *   unregistered:…     404 NOT_FOUND, errorCode UNREGISTERED (UNREGISTERED_FID)
 *   stale:…            the same; of an installation ID 400 INVALID_ARGUMENT, errorCode UNREGISTERED_FID
 *   invalid:…          400 INVALID_ARGUMENT, not a valid FCM registration token (installation ID)
 *   payload:…          400 INVALID_ARGUMENT, fieldViolations of a message field: the token is not to blame
 *   mismatch:…         403 PERMISSION_DENIED, errorCode SENDER_ID_MISMATCH
 *   thirdparty:…       401 UNAUTHENTICATED, errorCode THIRD_PARTY_AUTH_ERROR
 *   unauthenticated:…  401 UNAUTHENTICATED, the access token expired
 *   denied:…           403 PERMISSION_DENIED, the service account may not send
 *   noproject:…        404 NOT_FOUND, no such project
 *   throttled:…        429 RESOURCE_EXHAUSTED, errorCode QUOTA_EXCEEDED, this device only
 *   quota:…            429 RESOURCE_EXHAUSTED, the whole project, Retry-After
 *   internal:…         500 INTERNAL
 *   badgateway:…       502, a page instead of JSON
 *   unavailable:…      503 UNAVAILABLE
 *   busy:…             503 UNAVAILABLE, Retry-After
 *   delivered:…        the same, though the phone gets it
 *   notfound:…         404 NOT_FOUND without details, as of a dead token
 *   bodiless:…         401, an empty body
 *   frontend:…         400, a page instead of JSON
 *   iphonegone:…       400 INVALID_ARGUMENT, ApnsError 410 Unregistered
 *   iphonebad:…        400 INVALID_ARGUMENT, ApnsError 400 BadDeviceToken
 *   iphonetopic:…      400 INVALID_ARGUMENT, ApnsError 400 DeviceTokenNotForTopic
 *   iphonekey:…        401 UNAUTHENTICATED, errorCode THIRD_PARTY_AUTH_ERROR, ApnsError 403 InvalidProviderToken
 *   iphonebusy:…       503 UNAVAILABLE, ApnsError 503 ServiceUnavailable
 *   oauthclock:…       401 UNAUTHENTICATED, and no new access token, once: the time of the assertion is wrong
 *   oauthkey:…         the same, once: the key is not known yet
 *   slow:…             accepted, but slowly
 *   reset:…            RST_STREAM, INTERNAL_ERROR
 *   refused:…          RST_STREAM, REFUSED_STREAM: not processed, safe to send again
 *   silent:…           no answer, ever
 *   close:…            the TCP connection is dropped
 *   farewell:…         accepted, and GOAWAY without error
 *   goaway:…           GOAWAY with ENHANCE_YOUR_CALM, and no answer
 *
 * So `throttled-1:abc` is throttled the first time and accepted the second. An installation ID must look like one: it
 * has `f_` before the word, and something behind it up to 22 characters, such as `f_unregistered_0000001`.
 */

/** What `token` asks for; `null` for a token like any other. */
export function fcmMagicToken(token: string): MagicToken<FcmRefusal> | null {
  const [, word = '', times] = SPELLING.exec(isInstallationId(token) ? token.replace(/^f_/, '') : token) ?? []
  const answer = MAGIC_TOKENS.get(word)
  return answer === undefined ? null : { answer, times: times === undefined ? Infinity : Number(times) }
}

const SPELLING = /^([a-z]+)(?:-(\d{1,3}))?(?![a-z0-9])/i

const REFUSALS: readonly FcmRefusal[] = [
  'unregistered',
  'stale',
  'invalid',
  'payload',
  'mismatch',
  'thirdparty',
  'unauthenticated',
  'denied',
  'noproject',
  'throttled',
  'quota',
  'internal',
  'badgateway',
  'unavailable',
  'busy',
  'delivered',
  'notfound',
  'bodiless',
  'frontend',
  'iphonegone',
  'iphonebad',
  'iphonetopic',
  'iphonekey',
  'iphonebusy',
  'oauthclock',
  'oauthkey',
]

const MAGIC_TOKENS: ReadonlyMap<string, MagicAnswer<FcmRefusal>> = new Map<string, MagicAnswer<FcmRefusal>>([
  ...REFUSALS.map((refusal) => [refusal, { kind: 'refuse', refusal }] as const),
  ...Object.entries(TRANSPORT_ANSWERS),
])

/** A word each. */
export const FCM_MAGIC_TOKENS: readonly string[] = [...MAGIC_TOKENS.keys()]
