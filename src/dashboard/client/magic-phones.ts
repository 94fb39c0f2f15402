import type { WrittenPlatform } from './platforms.ts'

type Answers = readonly (readonly [order: string, text: string])[]

/**
 * By platform what a simulated gateway can be ordered to answer, by how a token begins; `''`: nothing. Before the order of
 * a browser there may be the push service that is played.
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
    ['4291', 'is throttled, and all else when it goes on (TooManyProviderTokenUpdates)'],
    ['5000', 'fails (InternalServerError)'],
    ['5030', 'fails (ServiceUnavailable)'],
    ['0000', 'is accepted, but slowly'],
    ['0001', 'is cut off: the stream is reset'],
    ['0003', 'is never answered'],
    ['0004', 'is cut off: the connection is dropped'],
    ['0006', 'is cut off: too much (GOAWAY)'],
    ['0007', 'is cut off in production: a certificate of the sandbox (GOAWAY)'],
    ['0008', 'is cut off, and all else: the certificate is refused (GOAWAY)'],
    ['0009', 'is cut off: the server goes down (GOAWAY)'],
  ],
  '1': [
    ['', 'is accepted'],
    ['unregistered', 'is refused: the app is gone (UNREGISTERED)'],
    ['invalid', 'is refused: no such token (INVALID_ARGUMENT)'],
    ['mismatch', 'is refused: a token of another sender (SENDER_ID_MISMATCH)'],
    ['payload', 'is refused: the message is wrong (INVALID_ARGUMENT)'],
    ['thirdparty', 'is refused: the key is not valid (THIRD_PARTY_AUTH_ERROR)'],
    ['denied', 'is refused: the account may not send (PERMISSION_DENIED)'],
    ['throttled', 'is throttled (QUOTA_EXCEEDED)'],
    ['quota', 'is throttled, and all else (RESOURCE_EXHAUSTED)'],
    ['internal', 'fails (INTERNAL)'],
    ['unavailable', 'fails (UNAVAILABLE)'],
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
    ['otherkey', 'is refused: subscribed with the key of another sender'],
    ['unauthenticated', 'is refused: no key (401)'],
    ['denied', 'is refused: the key is not valid (403)'],
    ['invalid', 'is refused: the message is wrong (400)'],
    ['encoding', 'is refused: its encoding is wrong (415)'],
    ['large', 'is refused: too large (413)'],
    ['mozilla/small', 'is refused above 3,015 bytes, as by Firefox for Android (413)'],
    ['tiny', 'is refused above 2,048 bytes, as by UC Browser (413)'],
    ['microsoft/dropped', 'is dropped, though accepted (201 of Microsoft)'],
    ['microsoft/channelthrottled', 'is throttled, though accepted (201 of Microsoft)'],
    ['moved', 'is sent elsewhere (301)'],
    ['throttled', 'is throttled (429)'],
    ['quota', 'is throttled for a time that the push service names (429)'],
    ['microsoft/quota', 'is throttled for a time (406 of Microsoft)'],
    ['internal', 'fails (500)'],
    ['unavailable', 'fails (503)'],
    ['busy', 'fails for a time that the push service names (503)'],
    ['mozilla/busy', 'fails: its database timed out (503 of Mozilla)'],
    ['mozilla/bridge', 'fails at the bridge to FCM (502 of Mozilla)'],
    ['ntfy/nosubscriber', 'fails: nobody has subscribed yet (507 of ntfy)'],
    ['proxy', 'meets the 404 of a reverse proxy'],
    ['nginx', 'meets the page of a reverse proxy (502)'],
    ['frontend', 'meets the page of a front end (400)'],
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
