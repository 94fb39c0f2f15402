import type { Environment } from '../../../device/device.ts'
import type { SimulatedAnswer } from '../http2/reply.ts'

/** Apple's reasons and their statuses ("Handling notification responses from APNs"). */
const APNS_STATUS = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  /** What the server sends; Apple's page spells it BadEnvironmentKeyIdInToken. */
  BadEnvironmentKeyInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const satisfies Record<string, number>

export type ApnsReason = keyof typeof APNS_STATUS

/** Success: headers alone. `uniqueId` is what only sandbox tells, for Apple's Push Notifications Console. */
export function apnsAcceptance(id: string, environment: Environment, uniqueId: () => string): SimulatedAnswer {
  const headers = environment === 'sandbox' ? { 'apns-id': id, 'apns-unique-id': uniqueId() } : { 'apns-id': id }
  return { status: 200, headers, body: '' }
}

/** `since`: ms since the Unix epoch at which the token was known to be dead; only for 410. */
export function apnsRefusal(reason: ApnsReason, id: string, since?: number): SimulatedAnswer {
  const body = since === undefined ? { reason } : { reason, timestamp: since }
  return { status: APNS_STATUS[reason], headers: { 'apns-id': id }, body: JSON.stringify(body) }
}
