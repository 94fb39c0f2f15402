import { randomBytes } from 'node:crypto'
import type { VapidCredential } from '../../application/vapid.ts'
import type { Clock } from '../../clock.ts'
import { endpointProblem, isNamed, SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import { retryAfterMs } from '../../network/retry-after.ts'
import type { Message } from '../../notification/notification.ts'
import { renderWebPush, webPushHeaders } from '../../notification/webpush-render.ts'
import type { RenderedWebPush } from '../../notification/webpush-render.ts'
import type { Outcome, OutcomeListener, Provider, Recipient } from '../gateway.ts'
import { outcomeOfFailure } from '../transport/failure-outcome.ts'
import { answerTo } from '../transport/transport.ts'
import type { OpenTransport } from '../transport/transport.ts'
import { encryptMessage } from './encryption.ts'
import { agreeHere, agreeOnThreads } from './key-agreement.ts'
import type { Agree, Agreement } from './key-agreement.ts'
import { judgeWebPush } from './protocol.ts'
import { ServiceRoutes } from './service-routes.ts'
import type { Resolve } from './service-routes.ts'
import { createVapidTokens } from './token.ts'
import type { VapidTokens } from './token.ts'

export interface WebPushProviderOptions {
  readonly credential: VapidCredential
  /** Origins of push services that the operator has named, which may be at any address. */
  readonly named: readonly string[]
  /** Authorities to trust in place of the built-in ones, PEM. */
  readonly ca?: string
  readonly openTransport: OpenTransport
  readonly clock: Clock
  /** All addresses of a host. `null`: nobody here looks names up, since everything goes through a proxy. */
  readonly resolve: Resolve | null
  /** The origin that everything is sent to in place of the push services: the simulator's. Default: none. */
  readonly relay?: string
}

/** The push services of browsers with one credential. A push is rendered once for each `Message` object. */
export function createWebPushProvider(options: WebPushProviderOptions): Provider {
  return new WebPushProvider(options)
}

class WebPushProvider implements Provider {
  readonly name = 'webpush'
  /** See `key-agreement.ts`; the rest is as for other gateways, some 20 µs. */
  readonly weight = 3
  readonly #clock: Clock
  readonly #named: readonly string[]
  readonly #routes: ServiceRoutes
  readonly #tokens: VapidTokens
  readonly #rendered = new WeakMap<Message, RenderedWebPush>()

  constructor(options: WebPushProviderOptions) {
    this.#clock = options.clock
    this.#named = options.named
    this.#routes = new ServiceRoutes(options)
    this.#tokens = createVapidTokens(options.credential, options.clock)
  }

  /** The origin of the endpoint; what is no endpoint has none. */
  serviceOf({ token }: Recipient): string {
    return URL.parse(token)?.origin ?? 'null'
  }

  send(message: Message, recipient: Recipient, listener: OutcomeListener): void {
    void this.#send(message, recipient, listener).then(
      (outcome) => listener.onOutcome(outcome),
      (error: unknown) => listener.onFault(error),
    )
  }

  async #send(message: Message, recipient: Recipient, listener: OutcomeListener): Promise<Outcome | null> {
    const { token: endpoint, keys, badge } = recipient
    if (endpointProblem(endpoint, this.#named) !== null) {
      return endpoint.startsWith(`${SIMULATED_SERVICE}/`) ? SIMULATED : NOT_ALLOWED
    }
    if (keys === undefined || keys === null) return NO_KEYS
    const url = new URL(endpoint)
    const found = this.#routes.find(url, isNamed(endpoint, this.#named))
    const route = found instanceof Promise ? await found : found
    if (route.kind === 'closed') return { kind: 'deferred', afterMs: null, scope: 'service', reason: route.reason }
    const current = this.#tokens.authorization(url.origin)
    const authorization = typeof current === 'string' ? current : await current.catch(() => null)
    if (authorization === null) return KEY_UNUSABLE
    const agreement = await agreedWith(keys.p256dh)
    if (agreement === null) return NO_KEYS
    if (!listener.mayGo()) return null

    const rendered = this.#render(message)
    const body = encryptMessage(Buffer.from(rendered.body(badge)), keys, { ...agreement, salt: randomBytes(16) })
    const answer = await answerTo(route.transport, {
      path: route.pathOf(url),
      headers: webPushHeaders(rendered, authorization, this.#clock.now()),
      body,
    })
    if (answer.kind === 'failed') return ofService(outcomeOfFailure(answer))
    return judgeWebPush({
      status: answer.status,
      contentType: answer.header('content-type'),
      retryAfterMs: retryAfterMs(answer.header('retry-after'), this.#clock.now()),
    })
  }

  get connections(): number {
    return this.#routes.connections
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#routes[Symbol.asyncDispose]()
  }

  #render(message: Message): RenderedWebPush {
    let rendered = this.#rendered.get(message)
    if (rendered === undefined) {
      rendered = renderWebPush(message)
      this.#rendered.set(message, rendered)
    }
    return rendered
  }
}

/** `null`: the key is no point of the curve. */
async function agreedWith(receiver: Uint8Array): Promise<Agreement | null> {
  try {
    return await agree(receiver)
  } catch {
    // Diffie-Hellman finds fault with nothing else.
    return null
  }
}

/** Where there is another processor than the one that answers calls, it helps. */
const agree: Agree = navigator.hardwareConcurrency > 1 ? agreeOnThreads : agreeHere

/** Where no connection could be made, none can to this push service; others may be well. */
function ofService(outcome: Outcome): Outcome {
  return outcome.kind === 'deferred' && outcome.scope === 'credential' ? { ...outcome, scope: 'service' } : outcome
}

/** The operator may allow it yet. */
const NOT_ALLOWED: Outcome = {
  kind: 'deferred',
  afterMs: null,
  scope: 'service',
  reason: 'the push service is not allowed here',
}
/** The application is on the simulator no more. */
const SIMULATED: Outcome = { kind: 'rejected', blame: 'token', reason: 'a browser of the simulator', certain: true }
const NO_KEYS: Outcome = { kind: 'rejected', blame: 'token', reason: 'no usable keys', certain: true }
const KEY_UNUSABLE: Outcome = { kind: 'misconfigured', reason: 'the VAPID key cannot be used', certain: true }
