import { randomUUID } from 'node:crypto'
import { apnsAcceptance, apnsRefusal } from '../../../src/gateway/simulator/apns/apns-answer.ts'
import type { ApnsReason } from '../../../src/gateway/simulator/apns/apns-answer.ts'
import { checkApnsRequest } from '../../../src/gateway/simulator/apns/apns-request.ts'
import { createProviderTokenCheck } from '../../../src/gateway/simulator/apns/provider-token.ts'
import type { CheckProviderToken } from '../../../src/gateway/simulator/apns/provider-token.ts'
import { readJws } from '../../../src/gateway/simulator/http2/jws.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { isJsonObject } from '../../../src/text/json-object.ts'
import type { Refusal } from './conduct.ts'
import type { Protocol } from './protocol.ts'

/** "No more than one hour from the current time" (Apple, "Establishing a token-based connection to APNs"). */
const MAX_AHEAD_MS = 3_600_000

function issuedAtOf(authorization: string | undefined): number {
  const issuedAt = readJws(authorization?.split(' ')[1] ?? '')?.claims['iat']
  return typeof issuedAt === 'number' ? issuedAt * 1000 : 0
}

/** APNs with the simulator's checks. Apple allows one stream until a first notification was accepted, then 1000. */
export function apnsProtocol(known: KnownCredentials): Protocol {
  return {
    name: 'apns',
    streams: [1, 1000],
    acceptEarly: () => apnsAcceptance(randomUUID(), 'production', randomUUID),
    anyBodySaysTaken: true,
    open() {
      const newCheck = () =>
        createProviderTokenCheck({
          keyOf: (keyId) => known.apnsKey(keyId),
          environment: 'production',
          limitUpdates: true,
        })
      let check = newCheck()
      /** The same one comes with each request. */
      let last: { readonly authorization: string | undefined; readonly issuedAt: number } = {
        authorization: undefined,
        issuedAt: 0,
      }
      /** One from the future is invalid; whoever has been told so may come with another one at once. */
      const checkAlsoAhead: CheckProviderToken = (authorization, now) => {
        if (authorization !== last.authorization) last = { authorization, issuedAt: issuedAtOf(authorization) }
        if (last.issuedAt <= now + MAX_AHEAD_MS) return check(authorization, now)
        check = newCheck()
        return 'InvalidProviderToken'
      }
      return (request) => {
        const { headers } = request
        const id = headers['apns-id'] ?? ''
        const verdict = checkApnsRequest(request, () => {
          const key = checkAlsoAhead(headers['authorization'], Date.now())
          return typeof key === 'string' ? key : { topics: key.topics, byCertificate: false }
        })
        if (verdict.kind === 'fault') return { ...verdict, answer: apnsRefusal(verdict.reason, id) }
        const aps = isJsonObject(verdict.payload['aps']) ? verdict.payload['aps'] : {}
        return {
          kind: 'notice',
          of: {
            gateway: 'apns',
            token: verdict.token,
            collapse: headers['apns-collapse-id'] ?? null,
            apnsId: headers['apns-id'] ?? null,
            text: typeof aps['alert'] === 'string' ? aps['alert'] : null,
            badge: typeof aps['badge'] === 'number' ? aps['badge'] : null,
          },
          accept: () => apnsAcceptance(id, 'production', randomUUID),
          refuse(as, retryAfterSeconds) {
            const answer =
              // Apple's table has no 401: whoever answers so is not Apple's, and is meant by its status alone.
              as === 401
                ? { status: 401, headers: {}, body: '' }
                : apnsRefusal(REASONS[as], id, as === 'gone' ? Date.now() : undefined)
            if (retryAfterSeconds === undefined) return answer
            return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } }
          },
        }
      }
    },
  }
}

const REASONS = {
  403: 'Forbidden',
  404: 'BadPath',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
  throttled: 'TooManyRequests',
  'bad token': 'BadDeviceToken',
  mismatch: 'DeviceTokenNotForTopic',
  'third party': 'Forbidden',
  gone: 'Unregistered',
  'bad push': 'PayloadTooLarge',
} as const satisfies Record<Exclude<Refusal, 401>, ApnsReason>
