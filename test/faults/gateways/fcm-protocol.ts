import { systemClock } from '../../../src/clock.ts'
import { accessTokenRefusal, fcmAcceptance, fcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { FcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import { checkFcmMessage } from '../../../src/gateway/simulator/fcm/fcm-message.ts'
import { fcmErrorDetail, googleError } from '../../../src/gateway/simulator/fcm/google-error.ts'
import type { GoogleError } from '../../../src/gateway/simulator/fcm/google-error.ts'
import type { TokenIssuer } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import { isJsonObject } from '../../../src/text/json-object.ts'
import type { JsonObject } from '../../../src/text/json-object.ts'
import type { Refusal } from './conduct.ts'
import type { Protocol } from './protocol.ts'

/** FCM with the simulator's checks. Google allows 100 streams. */
export function fcmProtocol(tokens: TokenIssuer): Protocol {
  let sent = 0
  return {
    name: 'fcm',
    streams: [100, 100],
    acceptEarly: () => fcmAcceptance(`projects/early/messages/${++sent}`),
    anyBodySaysTaken: false,
    open: () => (request) => {
      const project = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(request.path)?.[1] ?? ''
      const bearer = /^bearer (\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1] ?? ''
      const caller = tokens.lookUp(bearer, systemClock.monotonic())
      if (caller.kind !== 'valid' || caller.account.projectId !== project) {
        return {
          kind: 'fault',
          reason: `access token ${caller.kind}`,
          answer: accessTokenRefusal('ACCESS_TOKEN_EXPIRED'),
        }
      }
      const verdict = checkFcmMessage(request.body.toString())
      if (verdict.kind === 'fault') {
        return { kind: 'fault', reason: verdict.error.message, answer: googleError(verdict.error) }
      }
      const message = objectAt(verdict.body, 'message')
      const badge = objectAt(objectAt(message, 'android'), 'notification')['notification_count']
      const text = objectAt(message, 'notification')['body']
      return {
        kind: 'notice',
        of: {
          gateway: 'fcm',
          token: verdict.token,
          collapse: verdict.tag,
          apnsId: null,
          text: typeof text === 'string' ? text : null,
          badge: typeof badge === 'number' ? badge : null,
        },
        accept: () => fcmAcceptance(`projects/${project}/messages/${++sent}`),
        refuse(as, retryAfterSeconds) {
          const answer =
            as === 'throttled' ? googleError(THROTTLED) : fcmRefusal(REFUSALS[as], project, retryAfterSeconds ?? 0)
          if (retryAfterSeconds !== undefined) {
            return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } }
          }
          const { 'retry-after': _, ...headers } = answer.headers
          return { ...answer, headers }
        },
      }
    },
  }
}

const REFUSALS = {
  401: 'unauthenticated',
  403: 'denied',
  404: 'noproject',
  429: 'quota',
  500: 'internal',
  503: 'unavailable',
  'bad token': 'invalid',
  mismatch: 'mismatch',
  'third party': 'thirdparty',
  gone: 'unregistered',
  'bad push': 'payload',
} as const satisfies Record<Exclude<Refusal, 'throttled'>, FcmRefusal>

/** As FCM says it to who sends too much to one device, without the QuotaFailure that would name whose quota it is. */
const THROTTLED: GoogleError = {
  code: 429,
  message: 'Device message rate exceeded.',
  status: 'RESOURCE_EXHAUSTED',
  details: [fcmErrorDetail('QUOTA_EXCEEDED')],
}

function objectAt(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  return isJsonObject(value) ? value : {}
}
