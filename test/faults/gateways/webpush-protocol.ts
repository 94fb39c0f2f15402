import { randomUUID } from 'node:crypto'
import { systemClock } from '../../../src/clock.ts'
import { shownBy } from '../../../src/gateway/simulator/received.ts'
import type { KnownCredentials } from '../../../src/gateway/simulator/known-credentials.ts'
import { webPushAcceptance, webPushRefusal } from '../../../src/gateway/simulator/webpush/webpush-answer.ts'
import type { WebPushRefusal } from '../../../src/gateway/simulator/webpush/webpush-answer.ts'
import { startWebPushGateway } from '../../../src/gateway/simulator/webpush/webpush-gateway.ts'
import type { Refusal } from './plan.ts'
import type { Protocol } from './protocol.ts'

const STREAMS = [100, 100] as const

/** `location`: whether it sends the Location that RFC 8030 asks for. */
export function webPushProtocol(known: KnownCredentials, { location }: { readonly location: boolean }): Protocol {
  const accept = (endpoint: string) => {
    const answer = webPushAcceptance(new URL(endpoint).origin, randomUUID())
    return location ? answer : { ...answer, headers: {} }
  }
  return {
    streams: STREAMS,
    acceptEarly: () => accept('https://localhost/'),
    anyBodySaysTaken: false,
    read({ token, body }) {
      const { title, text, badge } = shownBy('webpush', body)
      const { notification } = body as { readonly notification?: { readonly tag?: string } }
      const collapse = notification?.tag ?? null
      return {
        // A text without a title becomes the title.
        shown: { gateway: 'webpush', token, collapse, apnsId: null, text: text ?? title, badge },
        accept: () => accept(token),
        refuse: (as) => webPushRefusal(REFUSALS[as], 0),
      }
    },
    start: (options) =>
      startWebPushGateway({
        ...options,
        known,
        clock: systemClock,
        newId: randomUUID,
        slowMs: 0,
        retryAfterSeconds: 0,
        maxStreams: STREAMS[1],
      }),
  }
}

const REFUSALS = {
  401: 'unauthenticated',
  403: 'denied',
  404: 'notfound',
  429: 'throttled',
  500: 'internal',
  503: 'unavailable',
  throttled: 'throttled',
  'bad token': 'invalid',
  mismatch: 'denied',
  'third party': 'denied',
  gone: 'unregistered',
  'bad push': 'large',
  page: 'internal',
  'iphone key': 'denied',
  'iphone gone': 'unregistered',
} as const satisfies Record<Refusal, WebPushRefusal>
