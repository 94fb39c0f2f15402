import { randomBytes } from 'node:crypto'
import type { VapidCredential } from '../../application/vapid.ts'
import type { Clock } from '../../clock.ts'
import type { SubscriptionKeys } from '../../device/webpush/subscription-keys.ts'
import {
  endpointProblem,
  isNamed,
  pushServiceMaker,
  pushServiceOrigin,
  SIMULATED_SERVICE,
} from '../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../device/webpush/push-services.ts'
import type { Message } from '../../notification/notification.ts'
import { renderWebPush, webPushHeaders } from '../../notification/webpush-render.ts'
import type { RenderedWebPush } from '../../notification/webpush-render.ts'
import type { Addressed, Outcome, OutcomeListener, Provider, Recipient } from '../gateway.ts'
import { outcomeOfFailure } from '../transport/failures.ts'
import type { Transport, TransportAnswer } from '../transport/transport.ts'
import { encryptMessage, isPaddedToLimit, paddedLength } from './encryption.ts'
import type { Agreement, KeyAgreement } from './key-agreement.ts'
import { judgeWebPush, WEBPUSH_RETRY } from './protocol.ts'
import { ServiceRoutes } from './service-routes.ts'
import type { FoundRoute, ServiceRoutesOptions } from './service-routes.ts'
import { createVapidTokens } from './token.ts'
import type { VapidTokens } from './token.ts'

export interface WebPushProviderOptions extends ServiceRoutesOptions {
  readonly credential: VapidCredential
  /** Allowed by the operator: see `endpointProblem`. */
  readonly named: readonly string[]
  readonly clock: Clock
  readonly keyAgreement: KeyAgreement
}

export function createWebPushProvider(options: WebPushProviderOptions): Provider {
  return new WebPushProvider(options)
}

interface Way {
  readonly kind: 'way'
  readonly maker: PushServiceMaker
  readonly scope: FoundRoute['scope']
  readonly transport: Transport
  readonly path: string
  readonly authorization: string
  readonly keys: SubscriptionKeys
}

interface Prepared {
  readonly ttlSeconds: number
  readonly headers: Readonly<Record<string, string>>
}

interface Rendered {
  readonly push: RenderedWebPush
  /** By authorization, one per push service. */
  readonly prepared: Map<string, Prepared>
}

class WebPushProvider implements Provider {
  readonly name = 'webpush'
  readonly retry = WEBPUSH_RETRY
  readonly isOpen = true
  /** Half a key agreement (see `key-agreement.ts`), and twice the cost of another push. */
  readonly weight = 5
  readonly #clock: Clock
  readonly #named: readonly string[]
  readonly #routes: ServiceRoutes
  readonly #tokens: VapidTokens
  readonly #keyAgreement: KeyAgreement
  readonly #rendered = new WeakMap<Message, Rendered>()

  constructor(options: WebPushProviderOptions) {
    this.#clock = options.clock
    this.#named = options.named
    this.#routes = new ServiceRoutes(options)
    this.#tokens = createVapidTokens(options.credential, options.clock)
    this.#keyAgreement = options.keyAgreement
  }

  /** The push service's; `'null'`: not a URL. */
  originOf({ token }: Recipient): string {
    const url = URL.parse(token)
    return url === null ? 'null' : pushServiceOrigin(url)
  }

  send(message: Message, recipient: Recipient, listener: OutcomeListener): void {
    const addressed = { message, recipient, listener }
    const way = this.#wayTo(recipient)
    if (!(way instanceof Promise)) return this.#encryptFor(way, addressed)
    void way.then(
      (found) => this.#encryptFor(found, addressed),
      (error: unknown) => listener.onFault(error),
    )
  }

  #wayTo({ token: endpoint, keys }: Recipient): Way | Outcome | Promise<Way | Outcome> {
    if (endpointProblem(endpoint, this.#named) !== null) return notAllowed(endpoint, this.#named)
    if (keys === undefined || keys === null) return NO_KEYS
    const url = new URL(endpoint)
    const route = this.#routes.find(url, isNamed(url, this.#named))
    if (route instanceof Promise) return route.then((found) => this.#wayBy(found, url, keys))
    return this.#wayBy(route, url, keys)
  }

  #wayBy(route: FoundRoute, url: URL, keys: SubscriptionKeys): Way | Outcome | Promise<Way | Outcome> {
    if (route.kind === 'closed') return { kind: 'deferred', afterMs: null, scope: route.scope, reason: route.reason }
    const way = (authorization: string): Way => ({
      kind: 'way',
      maker: route.maker ?? pushServiceMaker(url),
      scope: route.scope,
      transport: route.transport,
      path: route.pathOf(url),
      authorization,
      keys,
    })
    const authorization = this.#tokens.authorization(url.origin)
    return typeof authorization === 'string' ? way(authorization) : authorization.then(way, () => KEY_UNUSABLE)
  }

  /** `isPadded`: hides the message's length. */
  #encryptFor(way: Way | Outcome, addressed: Addressed, isPadded = true): void {
    const { message, listener } = addressed
    if (way.kind !== 'way') return listener.onOutcome(way)
    if (way.maker === 'apple' && !this.#render(message).push.isShown) return listener.onOutcome(NOTHING_TO_SHOW)
    this.#keyAgreement.agree(way.keys.p256dh, (agreement) => {
      if (agreement === null) listener.onOutcome(NO_KEYS)
      else if (!listener.mayGo()) listener.onOutcome(null)
      else this.#sendBy(way, addressed, agreement, isPadded)
    })
  }

  #sendBy(way: Way, addressed: Addressed, agreement: Agreement, isPadded: boolean): void {
    const { message, recipient, listener } = addressed
    const { push, prepared } = this.#render(message)
    const plaintext = Buffer.from(push.body(recipient.badge))
    const paddedTo = isPadded ? paddedLength(plaintext.length) : plaintext.length
    const request = {
      path: way.path,
      headers: headersOf(push, prepared, way, this.#clock.now()),
      body: encryptMessage(plaintext, way.keys, { ...agreement, salt: randomBytes(16) }, paddedTo),
    }
    way.transport.send(request, {
      onAnswer: (answer) => {
        // Some browsers accept less than the padded length.
        const isTooLarge = answer.kind === 'answer' && answer.status === 413
        if (isTooLarge && isPadded && isPaddedToLimit(plaintext.length)) this.#encryptFor(way, addressed, false)
        else listener.onOutcome(this.#judge(way, answer))
      },
    })
  }

  #judge({ scope }: Way, answer: TransportAnswer): Outcome {
    if (answer.kind === 'failed') return scoped(outcomeOfFailure(answer), scope)
    return judgeWebPush(answer, this.#clock.now())
  }

  get connections(): number {
    return this.#routes.connections
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#routes[Symbol.asyncDispose]()
  }

  #render(message: Message): Rendered {
    let rendered = this.#rendered.get(message)
    if (rendered === undefined) {
      rendered = { push: renderWebPush(message), prepared: new Map() }
      this.#rendered.set(message, rendered)
    }
    return rendered
  }
}

/** The same object while the headers are the same, so they are encoded once. */
function headersOf(
  push: RenderedWebPush,
  prepared: Map<string, Prepared>,
  { authorization, maker }: Pick<Way, 'authorization' | 'maker'>,
  now: number,
): Readonly<Record<string, string>> {
  const ttlSeconds = push.ttlSeconds(now)
  const known = prepared.get(authorization)
  if (known !== undefined && known.ttlSeconds === ttlSeconds) return known.headers
  const headers = webPushHeaders(push, authorization, ttlSeconds, maker)
  prepared.set(authorization, { ttlSeconds, headers })
  return headers
}

/** Without a connection, this push service or host is unreachable; others may work. */
function scoped(outcome: Outcome, scope: Way['scope']): Outcome {
  return outcome.kind === 'deferred' && outcome.scope === 'credential' ? { ...outcome, scope } : outcome
}

/** The operator may still allow it. */
function notAllowed(endpoint: string, named: readonly string[]): Outcome {
  if (endpoint.startsWith(`${SIMULATED_SERVICE}/`)) return SIMULATED
  const origin = URL.parse(endpoint)?.origin ?? 'null'
  // If part of the origin is allowed, its other endpoints work.
  const scope = named.some((one) => one.startsWith(origin)) ? 'device' : 'service'
  return { kind: 'deferred', afterMs: null, scope, reason: 'the push service is not allowed here' }
}

/** WebKit ends a subscription at the third push that shows nothing (`incrementSilentPushCount`). */
const NOTHING_TO_SHOW: Outcome = {
  kind: 'rejected',
  blame: 'push',
  reason: 'not sent: Safari ends a subscription after three pushes that show nothing',
  certain: true,
}
const SIMULATED: Outcome = { kind: 'rejected', blame: 'token', reason: 'a browser of the simulator', certain: true }
const NO_KEYS: Outcome = { kind: 'rejected', blame: 'token', reason: 'no usable keys', certain: true }
const KEY_UNUSABLE: Outcome = { kind: 'misconfigured', reason: 'the VAPID key cannot be used', certain: true }
