import type { ApplicationName } from '../../admin/api-types/application-types.ts'
import { call } from './call.ts'
import { onBehalf } from './paths.ts'
import type { WrittenPlatform } from './platforms.ts'

type Answers = readonly (readonly [order: string, text: string])[]

/**
 * Each platform's answers of the simulator, by the prefix of the token; `''`: no special answer. For browsers the
 * prefix can begin with a push service, whose answer is imitated.
 */
export const MAGIC: Readonly<Record<WrittenPlatform, Answers>> = {
  '0': [
    ['', 'is accepted'],
    ['4100', 'is refused: the app is gone (Unregistered)'],
    ['4101', 'is refused: the app was gone in 2020, and has registered since'],
    ['4102', 'is refused: the token has expired (ExpiredToken)'],
    ['4103', 'is refused: the app is gone, without a time'],
    ['4000', 'is refused: no such token (BadDeviceToken)'],
    ['4001', 'is refused in production, a token of the sandbox'],
    ['4002', 'is refused in the sandbox, a token of production'],
    ['4003', 'is refused: a token of another app (DeviceTokenNotForTopic)'],
    ['4006', 'is refused, and slows its connection to one request at a time'],
    ['4130', 'is refused: too large (PayloadTooLarge)'],
    ['4030', 'is refused: the key is not valid (InvalidProviderToken)'],
    ['4033', 'is refused: not allowed (Forbidden)'],
    ['4035', 'is refused in production: a certificate of the sandbox'],
    ['4290', 'is throttled (TooManyRequests)'],
    ['4291', 'is throttled, and everything after it (TooManyProviderTokenUpdates)'],
    ['5000', 'fails (InternalServerError)'],
    ['5030', 'fails (ServiceUnavailable)'],
    ['0000', 'is accepted, but slowly'],
    ['0001', 'is cut off: the stream is reset'],
    ['0003', 'is never answered'],
    ['0004', 'is cut off: the connection is dropped'],
    ['0006', 'is cut off: too many requests (GOAWAY)'],
    ['0007', 'is cut off in production: a certificate of the sandbox (GOAWAY)'],
    ['0008', 'is cut off with everything else: the certificate is refused (GOAWAY)'],
    ['0009', 'is cut off: the server goes down (GOAWAY)'],
  ],
  '1': [
    ['', 'is accepted'],
    ['unregistered', 'is refused: the app is gone (UNREGISTERED)'],
    ['invalid', 'is refused: no such token (INVALID_ARGUMENT)'],
    ['mismatch', 'is refused: a token of another sender (SENDER_ID_MISMATCH)'],
    ['payload', 'is refused: the message is wrong (INVALID_ARGUMENT)'],
    ['thirdparty', 'is refused: the key is not valid (THIRD_PARTY_AUTH_ERROR)'],
    ['iphonegone', 'is refused by Apple: the app is gone (Unregistered)'],
    ['iphonebad', 'is refused by Apple: no such token (BadDeviceToken)'],
    ['iphonetopic', 'is refused by Apple: a token of another app (DeviceTokenNotForTopic)'],
    ['iphonekey', 'is refused by Apple: the key in Firebase is not valid (InvalidProviderToken)'],
    ['iphonebusy', 'fails at Apple (ServiceUnavailable)'],
    ['notfound', 'is refused: nothing found (NOT_FOUND without details)'],
    ['bodiless', 'is refused with an empty answer (401)'],
    ['frontend', 'gets an HTML page instead of an answer (400)'],
    ['badgateway', 'gets an HTML page instead of an answer (502)'],
    ['denied', 'is refused: the account may not send (PERMISSION_DENIED)'],
    ['oauthclock', 'ends the access token: the next one is refused for the clock'],
    ['oauthkey', 'ends the access token: the next one is refused for its key'],
    ['throttled', 'is throttled (QUOTA_EXCEEDED)'],
    ['quota', 'is throttled with everything else (RESOURCE_EXHAUSTED)'],
    ['internal', 'fails (INTERNAL)'],
    ['unavailable', 'fails (UNAVAILABLE)'],
    ['delivered', 'fails, though the phone gets it (UNAVAILABLE)'],
    ['slow', 'is accepted, but slowly'],
    ['reset', 'is cut off: the stream is reset'],
    ['silent', 'is never answered'],
    ['close', 'is cut off: the connection is dropped'],
    ['goaway', 'is cut off: too many requests (GOAWAY)'],
  ],
  '2': [
    ['', 'is accepted'],
    ['unregistered', 'is refused: the subscription has ended (410)'],
    ['mozilla/unregistered', 'is refused: the subscription has ended (410 of Mozilla)'],
    ['notfound', 'is refused: no such subscription (404)'],
    ['google/notfound', 'is refused: the subscription is stale (404 of Google)'],
    ['mozilla/notfound', 'is refused: no such subscription (404 of Mozilla)'],
    ['otherkey', 'is refused: subscribed with the key of another sender'],
    ['apple/otherkey', 'is refused: subscribed with the key of another sender (400 of Apple)'],
    ['google/otherkey', 'is refused: subscribed with the key of another sender (403 of Google)'],
    ['mozilla/otherkey', 'is refused: subscribed with the key of another sender (401 of Mozilla)'],
    ['unauthenticated', 'is refused: no key (401)'],
    ['denied', 'is refused: the key is not valid (403)'],
    ['google/denied', 'is refused: the key is not valid (400 of Google)'],
    ['invalid', 'is refused: the message is wrong (400)'],
    ['encoding', 'is refused: its encoding is wrong (415)'],
    ['large', 'is refused: too large (413)'],
    ['mozilla/small', 'is refused above 3,015 bytes, as by Firefox for Android (413)'],
    ['tiny', 'is refused above 2,048 bytes, as by UC Browser (413)'],
    ['microsoft/dropped', 'is dropped, though accepted (201 of Microsoft)'],
    ['microsoft/channelthrottled', 'is throttled, though accepted (201 of Microsoft)'],
    ['older', 'is accepted, over HTTP/1.1 only'],
    ['moved', 'is sent elsewhere (301)'],
    ['throttled', 'is throttled (429)'],
    ['apple/throttled', 'is throttled (429 of Apple)'],
    ['ntfy/throttled', 'is throttled (429 of ntfy)'],
    ['quota', 'is throttled for a time that the push service names (429)'],
    ['google/quota', 'is throttled for a time (429 of Google)'],
    ['microsoft/quota', 'is throttled for a time (406 of Microsoft)'],
    ['internal', 'fails (500)'],
    ['unavailable', 'fails (503)'],
    ['busy', 'fails for a time that the push service names (503)'],
    ['mozilla/busy', 'fails: its database timed out (503 of Mozilla)'],
    ['mozilla/bridge', 'fails at the bridge to FCM (502 of Mozilla)'],
    ['ntfy/nosubscriber', 'fails: nobody has subscribed yet (507 of ntfy)'],
    ['proxy', 'gets the 404 of a reverse proxy'],
    ['nginx', 'gets the error page of a reverse proxy (502)'],
    ['frontend', 'gets the error page of a front end (400)'],
    ['slow', 'is accepted, but slowly'],
    ['reset', 'is cut off: the stream is reset'],
    ['silent', 'is never answered'],
    ['close', 'is cut off: the connection is dropped'],
    ['goaway', 'is cut off: too many requests (GOAWAY)'],
  ],
}

/** The token prefix that orders an answer `times` times; `0`: always. */
export function startOf(platform: WrittenPlatform, order: string, times: string): string {
  if (order === '') return ''
  return platform === '0' ? `bad${order}${times}` : `${order}${times === '0' ? '' : `-${times}`}:`
}

export async function registerThreePhones(application: ApplicationName['id']): Promise<void> {
  const register = (platform: '0' | '1', tokens: readonly string[]) =>
    call('PUT', onBehalf(application, '/deviceToken/batch'), { body: { platform, tokens } })
  await Promise.all([register('0', [tokenFor('0'), tokenFor('0')]), register('1', [tokenFor('1')])])
}

/** Returns its token. `start`: a prefix from `startOf`. */
export async function registerPhone(
  application: ApplicationName['id'],
  platform: WrittenPlatform,
  start = '',
): Promise<string> {
  const token = tokenFor(platform, start)
  const body = { token, platform, ...(platform === '2' && { keys: EXAMPLE_KEYS }) }
  await call('PUT', onBehalf(application, '/deviceToken'), { body })
  return token
}

/** From RFC 8291, appendix A: the simulator can decrypt messages for this subscription. */
const EXAMPLE_KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

function tokenFor(platform: WrittenPlatform, start = ''): string {
  if (platform === '0') return appleToken(start)
  const random = start + crypto.getRandomValues(new Uint32Array(4)).join('-')
  return platform === '1' ? random : `https://simulator.invalid/${random}`
}

/** 64 hexadecimal digits. A token that begins with `bad` orders an answer, so only `start` may do so. */
function appleToken(start: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${start === '' ? 'a1' : start}${random}`.slice(0, 64)
}
