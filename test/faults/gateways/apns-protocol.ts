import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../src/clock.ts'
import type { Environment } from '../../../src/device/device.ts'
import type { ApnsReason } from '../../../src/gateway/apns/answers.ts'
import { apnsAcceptance, apnsRefusal, startApnsGateway } from '../../../src/gateway/simulator/apns/apns-gateway.ts'
import { createProviderTokenCheck } from '../../../src/gateway/simulator/apns/provider-token.ts'
import type { CheckProviderToken, ProviderTokenRules } from '../../../src/gateway/simulator/apns/provider-token.ts'
import { readJws } from '../../../src/gateway/simulator/jws.ts'
import { shownBy } from '../../../src/gateway/simulator/received.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import type { Refusal } from './plan.ts'
import type { Protocol } from './protocol.ts'

/** Apple allows one stream until a first notification was accepted, then 1000. */
const STREAMS = [1, 1000] as const

export function apnsProtocol(known: KnownCredentials, environment: Environment): Protocol {
  return {
    streams: STREAMS,
    acceptEarly: () => apnsAcceptance(randomUUID(), environment, randomUUID),
    anyBodySaysTaken: true,
    read({ token, headers, body }) {
      const id = headers['apns-id'] ?? ''
      const { text, badge } = shownBy('apns', body)
      const collapse = headers['apns-collapse-id'] ?? null
      return {
        shown: { gateway: 'apns', token, collapse, apnsId: headers['apns-id'] ?? null, text, badge },
        accept: () => apnsAcceptance(id, environment, randomUUID),
        refuse: (as) =>
          // Apple's table has no 401. Only the status of such an answer counts.
          as === 401
            ? { status: 401, headers: {}, body: '' }
            : apnsRefusal(REASONS[as], id, as === 'gone' ? Date.now() : undefined),
      }
    },
    start: (options) =>
      startApnsGateway({
        ...options,
        known,
        environment,
        clock: systemClock,
        newId: randomUUID,
        slowMs: 0,
        coldStart: true,
        maxStreams: STREAMS[1],
        limitTokenUpdates: true,
        newTokenCheck: checkAlsoAhead,
      }),
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
  page: 'InternalServerError',
  'iphone key': 'Forbidden',
  'iphone gone': 'Unregistered',
} as const satisfies Record<Exclude<Refusal, 401>, ApnsReason>

/** "No more than one hour from the current time" (Apple, "Establishing a token-based connection to APNs"). */
const MAX_AHEAD_MS = 3_600_000

/** A token from the future is invalid. The sender may bring another one immediately. */
function checkAlsoAhead(rules: ProviderTokenRules): CheckProviderToken {
  let check = createProviderTokenCheck(rules)
  /** Most requests carry the same token. */
  let last = { authorization: '' as string | undefined, issuedAt: 0 }
  return (authorization, now) => {
    if (last.authorization !== authorization) last = { authorization, issuedAt: issuedAtOf(authorization) }
    if (last.issuedAt <= now + MAX_AHEAD_MS) return check(authorization, now)
    check = createProviderTokenCheck(rules)
    return 'InvalidProviderToken'
  }
}

function issuedAtOf(authorization: string | undefined): number {
  const issuedAt = readJws(authorization?.split(' ')[1] ?? '')?.claims['iat']
  return typeof issuedAt === 'number' ? issuedAt * 1000 : 0
}
