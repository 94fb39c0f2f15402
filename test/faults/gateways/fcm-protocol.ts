import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../src/clock.ts'
import { fcmAcceptance, fcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { FcmRefusal } from '../../../src/gateway/simulator/fcm/fcm-answer.ts'
import { startFcmGateway } from '../../../src/gateway/simulator/fcm/fcm-gateway.ts'
import { fcmErrorDetail, googleError, googlePage } from '../../../src/gateway/simulator/fcm/google-error.ts'
import type { GoogleError } from '../../../src/gateway/simulator/fcm/google-error.ts'
import type { TokenIssuer } from '../../../src/gateway/simulator/fcm/token-issuer.ts'
import type { SimulatedAnswer } from '../../../src/gateway/simulator/http2/reply.ts'
import { shownBy } from '../../../src/gateway/simulator/received.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import type { Refusal } from './plan.ts'
import type { Protocol } from './protocol.ts'

/** Google allows 100 streams. */
const STREAMS = [100, 100] as const

export function fcmProtocol(known: KnownCredentials, tokens: TokenIssuer): Protocol {
  let sent = 0
  const accept = (project: string) => fcmAcceptance(`projects/${project}/messages/${++sent}`)
  return {
    streams: STREAMS,
    acceptEarly: () => accept('early'),
    anyBodySaysTaken: false,
    read({ token, headers, body }) {
      const project = headers[':path']?.split('/')[3] ?? ''
      const { text, badge } = shownBy('fcm', body)
      const { message } = body as { readonly message: Named }
      const collapse = message.android?.notification?.tag ?? message.apns?.headers?.['apns-collapse-id'] ?? null
      return {
        shown: { gateway: 'fcm', token, collapse, apnsId: null, text, badge },
        accept: () => accept(project),
        refuse: (as) => answerOf(as, project),
      }
    },
    start: (options) =>
      startFcmGateway({
        ...options,
        known,
        tokens,
        clock: systemClock,
        newId: randomUUID,
        slowMs: 0,
        retryAfterSeconds: 0,
        maxStreams: STREAMS[1],
      }),
  }
}

/** The fields that make a phone replace one notification by another. */
interface Named {
  readonly android?: { readonly notification?: { readonly tag?: string } }
  readonly apns?: { readonly headers?: { readonly 'apns-collapse-id'?: string } }
}

const REFUSALS = {
  401: 'unauthenticated',
  403: 'denied',
  429: 'quota',
  500: 'internal',
  503: 'unavailable',
  'bad token': 'invalid',
  mismatch: 'mismatch',
  'third party': 'thirdparty',
  gone: 'unregistered',
  'bad push': 'payload',
  page: 'frontend',
  'iphone key': 'iphonekey',
  'iphone gone': 'iphonegone',
} as const satisfies Record<Exclude<Refusal, 'throttled' | 404>, FcmRefusal>

function answerOf(as: Refusal, project: string): SimulatedAnswer {
  if (as === 'throttled') return googleError(THROTTLED)
  // Details would unregister the token.
  return as === 404 ? googlePage(404, 'Not Found') : fcmRefusal(REFUSALS[as], project, 0)
}

/** FCM's limit for one device has no QuotaFailure. */
const THROTTLED: GoogleError = {
  code: 429,
  message: 'Device message rate exceeded.',
  status: 'RESOURCE_EXHAUSTED',
  details: [fcmErrorDetail('QUOTA_EXCEEDED')],
}
