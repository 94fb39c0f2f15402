import type { WrittenPlatform } from './platforms.ts'

type Answers = readonly (readonly [order: string, text: string])[]

/** By platform what a simulated gateway can be ordered to answer, by how a token begins; `''`: nothing. */
export const MAGIC: Readonly<Record<WrittenPlatform, Answers>> = {
  '0': [
    ['', 'is accepted'],
    ['4100', 'is refused: the app is gone (Unregistered)'],
    ['4101', 'is refused: the app was gone in 2020, and has registered since'],
    ['4102', 'is refused: the token has expired (ExpiredToken)'],
    ['4000', 'is refused: no such token (BadDeviceToken)'],
    ['4001', 'is refused in production, a token of the sandbox'],
    ['4002', 'is refused in the sandbox, a token of production'],
    ['4003', 'is refused: a token of another app (DeviceTokenNotForTopic)'],
    ['4130', 'is refused: too large (PayloadTooLarge)'],
    ['4030', 'is refused: the key is not valid (InvalidProviderToken)'],
    ['4290', 'is throttled (TooManyRequests)'],
    ['4291', 'is throttled, and all else (TooManyProviderTokenUpdates)'],
    ['5000', 'fails (InternalServerError)'],
    ['5030', 'fails (ServiceUnavailable)'],
    ['0000', 'is accepted, but slowly'],
    ['0001', 'is cut off: the stream is reset'],
    ['0003', 'is never answered'],
    ['0004', 'is cut off: the connection is dropped'],
    ['0006', 'is cut off: too much (GOAWAY)'],
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
    ['notfound', 'is refused: nothing there (NOT_FOUND without details)'],
    ['bodiless', 'is refused without a word (401, empty)'],
    ['frontend', 'gets a page in place of an answer (400)'],
    ['denied', 'is refused: the account may not send (PERMISSION_DENIED)'],
    ['oauthclock', 'ends the access token: the next one is refused for the clock'],
    ['oauthkey', 'ends the access token: the next one is refused for its key'],
    ['throttled', 'is throttled (QUOTA_EXCEEDED)'],
    ['quota', 'is throttled, and all else (RESOURCE_EXHAUSTED)'],
    ['internal', 'fails (INTERNAL)'],
    ['unavailable', 'fails (UNAVAILABLE)'],
    ['delivered', 'fails, though the phone gets it (UNAVAILABLE)'],
    ['slow', 'is accepted, but slowly'],
    ['reset', 'is cut off: the stream is reset'],
    ['silent', 'is never answered'],
    ['close', 'is cut off: the connection is dropped'],
    ['goaway', 'is cut off: too much (GOAWAY)'],
  ],
  '2': [
    ['', 'is accepted'],
    ['unregistered', 'is refused: the subscription has ended (410)'],
    ['notfound', 'is refused: no such subscription (404)'],
    ['unauthenticated', 'is refused: no key (401)'],
    ['denied', 'is refused: another key (403)'],
    ['invalid', 'is refused: the message is wrong (400)'],
    ['encoding', 'is refused: its encoding is wrong (415)'],
    ['large', 'is refused: too large (413)'],
    ['moved', 'is sent elsewhere (301)'],
    ['throttled', 'is throttled (429)'],
    ['quota', 'is throttled, and all else there (429)'],
    ['internal', 'fails (500)'],
    ['unavailable', 'fails (503)'],
    ['busy', 'fails, and all else there (503)'],
    ['slow', 'is accepted, but slowly'],
    ['reset', 'is cut off: the stream is reset'],
    ['silent', 'is never answered'],
    ['close', 'is cut off: the connection is dropped'],
    ['goaway', 'is cut off: too much (GOAWAY)'],
  ],
}

/** How a token begins that orders an answer `times` times; `0`: always. */
export function startOf(platform: keyof typeof MAGIC, order: string, times: string): string {
  if (order === '') return ''
  return platform === '0' ? `bad${order}${times}` : `${order}${times === '0' ? '' : `-${times}`}:`
}
