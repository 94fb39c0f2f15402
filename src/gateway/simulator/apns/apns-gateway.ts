import type { Environment } from '../../../device/device.ts'
import { parseJsonObject } from '../../../text/json-object.ts'
import { replyTo } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { listenHttp2 } from '../http2/http2-listener.ts'
import type { Http2Listener } from '../http2/http2-listener.ts'
import type { IncomingRequest } from '../http2/incoming-request.ts'
import type { SimulatedAnswer, Reply } from '../http2/reply.ts'
import { createMagicTokens } from '../magic-tokens.ts'
import { apnsAcceptance, apnsRefusal } from './apns-answer.ts'
import type { ApnsReason } from './apns-answer.ts'
import { apnsMagicToken } from './apns-magic-tokens.ts'
import type { MagicRefusal } from './apns-magic-tokens.ts'
import { checkApnsRequest } from './apns-request.ts'
import type { ApnsFault, ApnsNotification, ApnsSender } from './apns-request.ts'
import { createProviderTokenCheck } from './provider-token.ts'

export interface ApnsGatewayOptions extends GatewayOptions {
  readonly environment: Environment
  /** Whether a new connection takes one request at a time until one was accepted, as Apple's do. */
  readonly coldStart: boolean
  /** Whether a second provider token within 20 minutes is refused. */
  readonly limitTokenUpdates: boolean
  /** What a connection knows of provider tokens. Default Apple's rules. */
  readonly newTokenCheck?: typeof createProviderTokenCheck
}

/** Stands in for api.push.apple.com or api.sandbox.push.apple.com. */
export async function startApnsGateway(options: ApnsGatewayOptions): Promise<Http2Listener> {
  const { clock, environment, newId, record, script, slowMs } = options
  const serve = createMagicTokens<MagicRefusal>()

  const decide = (request: IncomingRequest, verdict: ApnsNotification | ApnsFault, id: string): Reply => {
    if (verdict.kind === 'fault') return { kind: 'answer', answer: apnsRefusal(verdict.reason, id) }
    const { token, payload } = verdict
    const gateway = environment === 'production' ? 'apns' : 'apns-sandbox'
    const scripted = script({ gateway, token, headers: request.headers, body: payload })
    if (scripted !== null) return scripted
    const magic = apnsMagicToken(token, environment)
    return replyTo(magic === null ? null : serve(token, magic), {
      accept: () => apnsAcceptance(id, environment, newId),
      refuse: ({ reason, since }) => apnsRefusal(reason, id, since === 'now' ? clock.now() : since),
      slowMs,
    })
  }

  return await listenHttp2({
    clock,
    pem: options.pem,
    maxStreams: options.maxStreams,
    firstStreams: options.coldStart ? 1 : options.maxStreams,
    onSession: options.onSession,
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

type Identify = (authorization: string | undefined, now: number) => ApnsSender | ApnsReason

/** How one connection tells who sends: by its certificate if that is known, else by provider tokens. */
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
