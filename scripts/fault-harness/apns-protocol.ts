import { randomUUID } from 'node:crypto'
import { apnsAcceptance, apnsRefusal } from '../../src/delivery/simulator/apns-answer.ts'
import { checkApnsRequest } from '../../src/delivery/simulator/apns-request.ts'
import { isJsonObject } from '../../src/delivery/simulator/json-object.ts'
import type { KnownCredentials } from '../../src/delivery/simulator/known-credentials.ts'
import { createProviderTokenCheck } from '../../src/delivery/simulator/provider-token.ts'
import type { Protocol } from './protocol.ts'

/** APNs with the simulator's checks. Apple allows one stream until a first notification was accepted, then 1000. */
export function apnsProtocol(known: KnownCredentials): Protocol {
  return {
    name: 'apns',
    streams: [1, 1000],
    acceptEarly: () => apnsAcceptance(randomUUID(), 'production', randomUUID),
    anyBodySaysTaken: true,
    open() {
      const check = createProviderTokenCheck({
        keyOf: (keyId) => known.apnsKey(keyId),
        environment: 'production',
        limitUpdates: true,
      })
      return (request) => {
        const { headers } = request
        const id = headers['apns-id'] ?? ''
        const verdict = checkApnsRequest(request, () => {
          const key = check(headers['authorization'], Date.now())
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
          refuse(status, retryAfterSeconds) {
            const answer = apnsRefusal(REASONS[status], id)
            if (retryAfterSeconds === undefined) return answer
            return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } }
          },
        }
      }
    },
  }
}

const REASONS = { 429: 'TooManyRequests', 500: 'InternalServerError', 503: 'ServiceUnavailable' } as const
