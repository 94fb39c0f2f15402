import { createECDH, randomBytes } from 'node:crypto'
import type { SubscriptionKeys } from '../../../device/webpush/subscription-keys.ts'
import { replyTo } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { listenHttp2 } from '../http2/http2-listener.ts'
import type { Http2Listener } from '../http2/http2-listener.ts'
import type { IncomingRequest } from '../http2/incoming-request.ts'
import type { Reply } from '../http2/reply.ts'
import { createMagicTokens } from '../magic-tokens.ts'
import { listenHttp11 } from './http11-listener.ts'
import { exampleSecrets } from './message-opening.ts'
import type { SubscriptionSecrets } from './message-opening.ts'
import { playedService } from './played-service.ts'
import { SilentPushes } from './silent-pushes.ts'
import { webPushAcceptance, webPushReason, webPushRefusal } from './webpush-answer.ts'
import type { WebPushRefusal } from './webpush-answer.ts'
import { isOlder, maxBytesAt, webPushMagicEndpoint } from './webpush-magic-endpoints.ts'
import { checkWebPush } from './webpush-request.ts'

export interface WebPushGatewayOptions extends GatewayOptions {
  /** What `quota` and `busy` endpoints are told. */
  readonly retryAfterSeconds: number
  /** The origin of its endpoints, where something stands before it. Default: its own. */
  readonly reachedAt?: () => string
}

/** A push service, which stands in for all of them. */
export interface WebPushGateway extends Http2Listener {
  /** The origin that takes the requests for an endpoint: see `RELAYED`. */
  relayOf(endpoint: string): string
  /** A new subscription, which only what is encrypted for it gets through to. `path`: of its endpoint, from the slash on. */
  subscribe(path: string): { readonly endpoint: string; readonly keys: SubscriptionKeys }
}

/** A request for `/relay/HOST/PATH` is one for `https://HOST/PATH`; any other is for an endpoint here. */
const RELAYED = /^\/relay\/([^/?]+)(\/.*)$/

export async function startWebPushGateway(options: WebPushGatewayOptions): Promise<WebPushGateway> {
  const { clock, known, newId, record, script, slowMs, retryAfterSeconds, reachedAt = () => own } = options
  const serve = createMagicTokens<WebPushRefusal>()
  const subscriptions = new Map<string, SubscriptionSecrets>()
  const silent = new SilentPushes()
  const example = exampleSecrets()
  let own = ''

  const endpointOf = ({ path }: IncomingRequest): string => {
    const [, host, rest] = RELAYED.exec(path) ?? []
    return host === undefined || rest === undefined ? reachedAt() + path : `https://${host}${rest}`
  }

  const answerOf = (request: IncomingRequest, endpoint: string, verdict: ReturnType<typeof checkWebPush>): Reply => {
    const by = playedService(endpoint)
    if (verdict.kind === 'fault') {
      return { kind: 'answer', answer: webPushRefusal(verdict.refusal, retryAfterSeconds, by, verdict.detail) }
    }
    const scripted = script({ gateway: 'webpush', token: endpoint, headers: request.headers, body: verdict.body })
    if (scripted !== null) return scripted
    if (by === 'apple' && silent.hasEnded(endpoint, verdict.body)) {
      return { kind: 'answer', answer: webPushRefusal('unregistered', retryAfterSeconds, by) }
    }
    const magic = webPushMagicEndpoint(endpoint)
    return replyTo(magic === null ? null : serve(endpoint, magic), {
      accept: () => webPushAcceptance(new URL(endpoint).origin, newId(), by),
      refuse: (refusal) => webPushRefusal(refusal, retryAfterSeconds, by),
      slowMs,
    })
  }

  const handle = (request: IncomingRequest): Reply => {
    const endpoint = endpointOf(request)
    const verdict = checkWebPush(request, {
      endpoint,
      by: playedService(endpoint),
      maxBytes: maxBytesAt(endpoint),
      now: clock.now(),
      isKnownKey: (publicKey) => known.isVapidKey(publicKey),
      secrets: subscriptions.get(endpoint) ?? null,
      example,
    })
    const reply = answerOf(request, endpoint, verdict)
    const answer = reply.kind === 'answer' ? reply.answer : null
    record({
      provider: 'webpush',
      environment: null,
      token: endpoint,
      id: answer?.headers['location'] ?? null,
      pushType: null,
      target: verdict.kind === 'message' ? verdict.sender : null,
      collapse: request.headers['topic'] ?? null,
      headers: headersOf(request),
      body: verdict.kind === 'message' ? verdict.body : null,
      status: answer?.status ?? null,
      reason: answer === null ? null : webPushReason(answer),
      at: clock.now(),
    })
    return reply
  }

  await using opened = new AsyncDisposableStack()
  const listener = opened.use(
    await listenHttp2({
      clock,
      pem: options.pem,
      maxStreams: options.maxStreams,
      onSession: options.onSession,
      open: () => null,
      handle,
    }),
  )
  const older = opened.use(await listenHttp11({ clock, pem: options.pem, handle }))
  own = listener.url
  const running = opened.move()

  return {
    ...listener,
    relayOf: (endpoint) => (isOlder(endpoint) ? older.url : own),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
    subscribe(path) {
      const pair = createECDH('prime256v1')
      const keys = { p256dh: pair.generateKeys(), auth: randomBytes(16) }
      const endpoint = reachedAt() + path
      subscriptions.set(endpoint, { pair, auth: keys.auth })
      return { endpoint, keys }
    },
  }
}

/** Those of RFC 8030, and Microsoft's. */
function headersOf({ headers }: IncomingRequest): Readonly<Record<string, string>> {
  const named = ['ttl', 'urgency', 'topic', 'x-wns-cache-policy'].map((name) => [name, headers[name]] as const)
  return Object.fromEntries(named.filter((one): one is [string, string] => one[1] !== undefined))
}
