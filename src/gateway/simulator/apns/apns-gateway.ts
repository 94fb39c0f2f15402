import type { Environment } from '../../../device/device.ts'
import { parseJsonObject } from '../../../text/json-object.ts'
import { APNS_ANSWERS } from '../../apns/answers.ts'
import type { ApnsReason } from '../../apns/answers.ts'
import { createAnswering } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { listenHttp2 } from '../http2/http2-listener.ts'
import type { Http2Listener } from '../http2/http2-listener.ts'
import type { IncomingRequest, Reply, SimulatedAnswer } from '../http2/reply.ts'
import { apnsMagicToken } from './apns-magic-tokens.ts'
import type { MagicRefusal } from './apns-magic-tokens.ts'
import { checkApnsRequest } from './apns-request.ts'
import type { ApnsFault, ApnsNotification, ApnsSender } from './apns-request.ts'
import { createProviderTokenCheck } from './provider-token.ts'

export interface ApnsGatewayOptions extends GatewayOptions {
  readonly environment: Environment
  readonly coldStart: boolean
  readonly limitTokenUpdates: boolean
  readonly newTokenCheck?: typeof createProviderTokenCheck
}

/** Plays api.push.apple.com or api.sandbox.push.apple.com. */
export async function startApnsGateway(options: ApnsGatewayOptions): Promise<Http2Listener> {
  const { clock, environment, newId, record } = options
  const answer = createAnswering<MagicRefusal>(options)

  const decide = (request: IncomingRequest, verdict: ApnsNotification | ApnsFault, id: string): Reply => {
    if (verdict.kind === 'fault') return { kind: 'answer', answer: apnsRefusal(verdict.reason, id) }
    const { token, payload: body } = verdict
    const gateway = environment === 'production' ? 'apns' : 'apns-sandbox'
    return answer({ gateway, token, headers: request.headers, body }, apnsMagicToken(token, environment), {
      accept: () => apnsAcceptance(id, environment, newId),
      refuse: ({ reason, since }) => apnsRefusal(reason, id, since === 'now' ? clock.now() : since),
    })
  }

  return await listenHttp2({
    ...options,
    firstStreams: options.coldStart ? 1 : options.maxStreams,
    goawayData: JSON.stringify({ reason: 'Shutdown' satisfies ApnsReason }),
    open: (fingerprint) => identifyBy(fingerprint, options),
    handle(request, identify) {
      const verdict = checkApnsRequest(request, () => identify(request.headers['authorization'], clock.now()))
      const id = request.headers['apns-id'] ?? newId().toUpperCase()
      const reply = decide(request, verdict, id)
      const answer = reply.kind === 'answer' ? reply.answer : null
      record({
        provider: 'apns',
        environment,
        ...describe(request, verdict),
        id: answer === null ? (request.headers['apns-id'] ?? null) : id,
        status: answer?.status ?? null,
        reason: reasonOf(answer),
        at: clock.now(),
      })
      return reply
    },
  })
}

/** `uniqueId`: sandbox only, for Apple's Push Notifications Console. */
export function apnsAcceptance(id: string, environment: Environment, uniqueId: () => string): SimulatedAnswer {
  const headers = environment === 'sandbox' ? { 'apns-id': id, 'apns-unique-id': uniqueId() } : { 'apns-id': id }
  return { status: 200, headers, body: '' }
}

/** `since`: when APNs found the app gone; only for 410. */
export function apnsRefusal(reason: ApnsReason, id: string, since?: number): SimulatedAnswer {
  const body = since === undefined ? { reason } : { reason, timestamp: since }
  return { status: APNS_ANSWERS[reason][0], headers: { 'apns-id': id }, body: JSON.stringify(body) }
}

type Identify = (authorization: string | undefined, now: number) => ApnsSender | ApnsReason

/** Per connection: a known certificate, else provider tokens. */
function identifyBy(
  fingerprint: string | null,
  { known, environment, limitTokenUpdates, newTokenCheck = createProviderTokenCheck }: ApnsGatewayOptions,
): Identify {
  const checkToken = newTokenCheck({
    keyOf: (keyId) => known.apnsKey(keyId),
    environment,
    limitUpdates: limitTokenUpdates,
  })
  return (authorization, now) => {
    const certificate = fingerprint === null ? undefined : known.apnsCertificate(fingerprint)
    if (certificate !== undefined) {
      const fits = certificate.environment === null || certificate.environment === environment
      return fits ? { topics: certificate.topics, byCertificate: true } : 'BadCertificateEnvironment'
    }
    if (fingerprint !== null && authorization === undefined) return 'BadCertificate'
    const key = checkToken(authorization, now)
    return typeof key === 'string' ? key : { topics: key.topics, byCertificate: false }
  }
}

function describe(request: IncomingRequest, verdict: ApnsNotification | ApnsFault) {
  const { headers } = request
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('apns-') && value !== undefined) own[name] = value
  }
  const sent = verdict.kind === 'notification'
  return {
    token: sent ? verdict.token : (/^\/3\/device\/([0-9A-Za-z]+)$/.exec(request.path)?.[1] ?? ''),
    pushType: headers['apns-push-type'] ?? null,
    target: sent ? verdict.topic : (headers['apns-topic'] ?? null),
    collapse: headers['apns-collapse-id'] ?? null,
    headers: own,
    body: sent ? verdict.payload : parseJsonObject(request.body.toString()),
  }
}

function reasonOf(answer: SimulatedAnswer | null): string | null {
  const reason = parseJsonObject(answer?.body ?? '')?.['reason']
  return typeof reason === 'string' ? reason : null
}
