export type Meaning =
  | 'taken'
  | 'bad token'
  | 'mismatch'
  | 'bad push'
  | 'gone'
  | 'configuration'
  | 'forbidden'
  | 'device later'
  | 'all later'
  | 'later'

/**
 * Apple's reasons ("Handling notification responses from APNs") and others that its servers send. With any other
 * status, the status decides.
 */
export const APNS_ANSWERS = {
  BadDeviceToken: [400, 'bad token'],
  DeviceTokenNotForTopic: [400, 'mismatch'],
  BadCollapseId: [400, 'bad push'],
  BadExpirationDate: [400, 'bad push'],
  BadMessageId: [400, 'bad push'],
  BadPriority: [400, 'bad push'],
  DuplicateHeaders: [400, 'bad push'],
  InvalidPushType: [400, 'bad push'],
  MissingDeviceToken: [400, 'bad push'],
  MissingTopic: [400, 'bad push'],
  PayloadEmpty: [400, 'bad push'],
  // No push can arrive with it.
  BadTopic: [400, 'configuration'],
  TopicDisallowed: [400, 'configuration'],
  // Apple closes this connection; another may accept the push.
  IdleTimeout: [400, 'device later'],
  BadCertificate: [403, 'configuration'],
  BadCertificateEnvironment: [403, 'configuration'],
  // Apple documents the long name and sends the short one.
  BadEnvironmentKeyIdInToken: [403, 'configuration'],
  BadEnvironmentKeyInToken: [403, 'configuration'],
  ExpiredProviderToken: [403, 'all later'],
  Forbidden: [403, 'forbidden'],
  InvalidProviderToken: [403, 'configuration'],
  MissingProviderToken: [403, 'configuration'],
  UnrelatedKeyIdInToken: [403, 'configuration'],
  BadPath: [404, 'bad push'],
  MethodNotAllowed: [405, 'bad push'],
  ExpiredToken: [410, 'gone'],
  Unregistered: [410, 'gone'],
  PayloadTooLarge: [413, 'bad push'],
  // See `TokenUpdates`.
  TooManyProviderTokenUpdates: [429, 'device later'],
  TooManyRequests: [429, 'device later'],
  InternalServerError: [500, 'device later'],
  ServiceUnavailable: [503, 'later'],
  Shutdown: [503, 'device later'],
} as const satisfies Readonly<Record<string, readonly [status: number, Meaning]>>

export type ApnsReason = keyof typeof APNS_ANSWERS

export function listedAnswer(reason: string): readonly [status: number, Meaning] | undefined {
  return Object.hasOwn(APNS_ANSWERS, reason) ? APNS_ANSWERS[reason as ApnsReason] : undefined
}
