import { createServer } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createECDH, randomBytes } from 'node:crypto'
import { forgetOldest } from '../../../text/forget-oldest.ts'
import type { SubscriptionKeys } from '../../../device/webpush/subscription-keys.ts'
import { createAnswering } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { listenHttp2 } from '../http2/http2-listener.ts'
import type { Http2Listener } from '../http2/http2-listener.ts'
import type { IncomingRequest, Reply } from '../http2/reply.ts'
import type { MagicToken } from '../magic-tokens.ts'
import { exampleSecrets } from './message-opening.ts'
import type { SubscriptionSecrets } from './message-opening.ts'
import {
  isOlder,
  maxBytesAt,
  playedService,
  webPushAcceptance,
  webPushMagicEndpoint,
  webPushReason,
  webPushRefusal,
} from './webpush-answer.ts'
import type { WebPushRefusal } from './webpush-answer.ts'
import { checkWebPush } from './webpush-request.ts'

export interface WebPushGatewayOptions extends GatewayOptions {
  readonly retryAfterSeconds: number
  /** Default: its own. */
  readonly reachedAt?: () => string
}

export interface WebPushGateway extends Http2Listener {
  /** Where requests for an endpoint go: see `RELAYED`. */
  relayOf(endpoint: string): string
  /** `path`: of the endpoint, with the first slash. */
  subscribe(path: string): { readonly endpoint: string; readonly keys: SubscriptionKeys }
}

/** `/relay/HOST/PATH` means `https://HOST/PATH`; other paths are endpoints here. */
const RELAYED = /^\/relay\/([^/?]+)(\/.*)$/

export async function startWebPushGateway(options: WebPushGatewayOptions): Promise<WebPushGateway> {
  const { clock, known, newId, record, retryAfterSeconds, reachedAt = () => own } = options
  const answer = createAnswering<WebPushRefusal>(options)
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
    const { body } = verdict
    const hasLeft = by === 'apple' && silent.hasEnded(endpoint, body)
    const magic = hasLeft ? LEFT : webPushMagicEndpoint(endpoint)
    return answer({ gateway: 'webpush', token: endpoint, headers: request.headers, body }, magic, {
      accept: () => webPushAcceptance(new URL(endpoint).origin, newId(), by),
      refuse: (refusal) => webPushRefusal(refusal, retryAfterSeconds, by),
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
    const said = reply.kind === 'answer' ? reply.answer : null
    record({
      provider: 'webpush',
      environment: null,
      token: endpoint,
      id: said?.headers['location'] ?? null,
      pushType: null,
      target: verdict.kind === 'message' ? verdict.sender : null,
      collapse: request.headers['topic'] ?? null,
      headers: headersOf(request),
      body: verdict.kind === 'message' ? verdict.body : null,
      status: said?.status ?? null,
      reason: said === null ? null : webPushReason(said),
      at: clock.now(),
    })
    return reply
  }

  await using opened = new AsyncDisposableStack()
  const listener = opened.use(await listenHttp2({ ...options, open: () => null, handle }))
  const older = opened.use(await listenHttp11({ ...options, handle }))
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

function headersOf({ headers }: IncomingRequest): Readonly<Record<string, string>> {
  const named = ['ttl', 'urgency', 'topic', 'x-wns-cache-policy'].map((name) => [name, headers[name]] as const)
  return Object.fromEntries(named.filter((one): one is [string, string] => one[1] !== undefined))
}

/** HTTP/1.1 only, like a push service behind a plain proxy. Drops requests that `handle` does not answer. */
async function listenHttp11({
  clock,
  pem,
  handle,
}: Pick<GatewayOptions, 'clock' | 'pem'> & {
  readonly handle: (request: IncomingRequest) => Reply
}) {
  const server = createServer({ key: pem.privateKey, cert: pem.certificate }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const reply = handle(readRequest(request, Buffer.concat(chunks)))
      if (reply.kind !== 'answer') return void request.socket.destroy()
      const { answer, afterMs = 0 } = reply
      const send = () => response.writeHead(answer.status, answer.headers).end(answer.body)
      if (afterMs > 0) clock.after(afterMs, send)
      else send()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function readRequest({ method = '', url = '', headers }: IncomingMessage, body: Buffer): IncomingRequest {
  const joined = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return { method, path: url, headers: Object.fromEntries(joined), repeatedHeaders: false, body }
}

const LEFT: MagicToken<WebPushRefusal> = { answer: { kind: 'refuse', refusal: 'unregistered' }, times: Infinity }

/** WebKit, `incrementSilentPushCount`. */
const MAX_SILENT = 3

const MAX_REMEMBERED = 10_000

class SilentPushes {
  readonly #counts = new Map<string, number>()

  /** `body`: `null` if unreadable. */
  hasEnded(endpoint: string, body: unknown): boolean {
    const before = this.#counts.get(endpoint) ?? 0
    if (before >= MAX_SILENT) return true
    if (body === null || (body as { readonly notification?: unknown }).notification !== undefined) return false
    this.#counts.set(endpoint, before + 1)
    forgetOldest(this.#counts, MAX_REMEMBERED)
    return false
  }
}
