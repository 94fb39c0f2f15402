export type Gateway = 'apns' | 'fcm' | 'webpush'

/**
 * Meaning of an answer. `retry`: later, for the device or in general. `blocked`: the credential, the push service, or
 * everything. `suspect`: read as `blocked`, though it may be the device. `lost`: no answer.
 */
export type Says =
  | 'accepted'
  | 'gone'
  | 'bad-token'
  | 'mismatch'
  | 'bad-push'
  | 'retry'
  | 'blocked'
  | 'suspect'
  | 'lost'

export type Answered = readonly [status: number, reason: string, says: Says]

interface AnswerTable {
  readonly taken: readonly Answered[]
  readonly gone: readonly Answered[]
  readonly badToken: readonly Answered[]
  /** About one notification or its device. */
  readonly one: readonly Answered[]
  /** About everything. */
  readonly all: readonly Answered[]
  readonly busy: Answered
  /** The token of the request has expired. */
  readonly expired: Answered
}

/** FCM answers UNAVAILABLE, and delivers. */
export const DELIVERED = 'DELIVERED'

const APNS: AnswerTable = {
  taken: [[200, '', 'accepted']],
  gone: [[410, 'Unregistered', 'gone']],
  badToken: [[400, 'BadDeviceToken', 'bad-token']],
  one: [
    [400, 'IdleTimeout', 'retry'],
    [400, 'BadCollapseId', 'bad-push'],
    [400, 'DeviceTokenNotForTopic', 'mismatch'],
    [403, 'ExpiredProviderToken', 'blocked'],
    // Of a present phone: from before its registration.
    [410, 'Unregistered', 'gone'],
    [413, 'PayloadTooLarge', 'bad-push'],
    [429, 'TooManyRequests', 'retry'],
    [429, 'TooManyProviderTokenUpdates', 'retry'],
    [500, 'InternalServerError', 'retry'],
    [503, 'ServiceUnavailable', 'retry'],
    [503, 'Shutdown', 'retry'],
    [418, 'NotOfApple', 'bad-push'],
    [302, 'NotOfApple', 'retry'],
  ],
  all: [
    [403, 'InvalidProviderToken', 'blocked'],
    [403, 'BadEnvironmentKeyIdInToken', 'blocked'],
    [400, 'TopicDisallowed', 'blocked'],
    // One concerns one device, four in a row everybody.
    [429, 'TooManyProviderTokenUpdates', 'retry'],
  ],
  busy: [503, 'ServiceUnavailable', 'retry'],
  expired: [403, 'ExpiredProviderToken', 'blocked'],
}

/** Google: status, FcmError or `quota`, and the wrong field; after a slash, Apple's answer. */
const FCM: AnswerTable = {
  taken: [[200, '', 'accepted']],
  gone: [
    [404, 'UNREGISTERED', 'gone'],
    [400, 'INVALID_ARGUMENT/410 Unregistered', 'gone'],
  ],
  badToken: [
    [400, 'INVALID_ARGUMENT', 'bad-token'],
    [400, 'INVALID_ARGUMENT/400 BadDeviceToken', 'bad-token'],
  ],
  one: [
    [400, 'INVALID_ARGUMENT', 'bad-push'],
    [401, 'THIRD_PARTY_AUTH_ERROR', 'retry'],
    [400, 'INVALID_ARGUMENT/400 DeviceTokenNotForTopic', 'retry'],
    [400, 'INVALID_ARGUMENT/413 PayloadTooLarge', 'bad-push'],
    [400, 'NOT_OF_GOOGLE', 'retry'],
    [401, 'THIRD_PARTY_AUTH_ERROR/403 InvalidProviderToken', 'retry'],
    [401, 'UNAUTHENTICATED', 'blocked'],
    [401, 'NOTHING', 'suspect'],
    [404, 'NO_DETAILS', 'suspect'],
    [403, 'SENDER_ID_MISMATCH', 'mismatch'],
    [429, 'QUOTA_EXCEEDED', 'retry'],
    [500, 'INTERNAL', 'retry'],
    [502, 'NOT_OF_GOOGLE', 'retry'],
    [503, 'UNAVAILABLE', 'retry'],
    [503, DELIVERED, 'lost'],
  ],
  all: [
    [403, 'PERMISSION_DENIED', 'blocked'],
    [404, 'NOT_FOUND', 'blocked'],
    [429, 'RATE_LIMIT_EXCEEDED', 'blocked'],
  ],
  busy: [503, 'UNAVAILABLE', 'retry'],
  expired: [401, 'UNAUTHENTICATED', 'blocked'],
}

/**
 * Push services: status, and the body or another trait. A Retry-After concerns one browser as far as anybody knows.
 */
const WEBPUSH: AnswerTable = {
  taken: [
    [201, 'with a location', 'accepted'],
    [201, '', 'accepted'],
    [201, '', 'accepted'],
    [201, 'received', 'accepted'],
    [202, '', 'accepted'],
    [204, '', 'accepted'],
  ],
  gone: [
    [404, '{"code":404,"errno":102}', 'gone'],
    [404, 'A valid push subscription endpoint should be specified in the URL', 'gone'],
    [404, '{"reason":"BadPath"}', 'gone'],
    [410, '', 'gone'],
  ],
  // There is no wrong kind of token: the subscription is missing.
  badToken: [[400, '{"code":400,"errno":106}', 'gone']],
  one: [
    [200, 'page', 'retry'],
    [201, 'dropped', 'bad-push'],
    [201, 'channelThrottled', 'retry'],
    [301, '', 'retry'],
    [400, '', 'bad-push'],
    [400, 'page', 'retry'],
    [400, 'UnauthorizedRegistration', 'retry'],
    [400, '{"reason":"VapidPkHashMismatch"}', 'mismatch'],
    [401, '', 'retry'],
    [401, '{"code":401,"errno":109,"message":"VAPID public key mismatch"}', 'mismatch'],
    [403, '', 'retry'],
    [403, 'the VAPID credentials in the authorization header do not correspond', 'mismatch'],
    [404, '404 page not found', 'retry'],
    [406, '', 'retry'],
    [413, '', 'bad-push'],
    [413, '{"code":413,"errno":104}', 'bad-push'],
    [429, '', 'retry'],
    [429, '{"reason":"TooManyRequests"}', 'retry'],
    [429, '{"code":42908}', 'retry'],
    [500, '', 'retry'],
    [502, '{"code":502,"errno":903}', 'retry'],
    [503, '', 'retry'],
    [503, '{"code":503,"errno":201}', 'retry'],
    [507, '{"code":50701}', 'retry'],
  ],
  all: [
    [401, '', 'retry'],
    [403, '', 'retry'],
    [404, '404 page not found', 'retry'],
    [502, 'page', 'retry'],
  ],
  busy: [503, '', 'retry'],
  expired: [401, '', 'retry'],
}

/** Google's reasons against an access token: a wrong clock, and a key it does not know yet. */
export const GRANT_REFUSALS = [
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
  'Invalid JWT Signature.',
] as const

export const ANSWERS: Readonly<Record<Gateway, AnswerTable>> = { apns: APNS, fcm: FCM, webpush: WEBPUSH }
