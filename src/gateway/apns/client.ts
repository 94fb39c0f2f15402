import type { ApnsCredential } from '../../application/credential.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { retryAfterMs } from '../../network/retry-after.ts'
import { apnsHeaders, renderApns } from '../../notification/apns-render.ts'
import type { Message } from '../../notification/notification.ts'
import type { Addressed, Outcome, OutcomeListener, Provider, Recipient } from '../gateway.ts'
import { outcomeOfFailure } from '../transport/failures.ts'
import { DEADLINE_MS } from '../transport/transport.ts'
import type { OpenTransport, TransportAnswer } from '../transport/transport.ts'
import {
  TAKEN_IN,
  APNS_RETRY,
  BAD_TOKEN,
  WRONG_ENVIRONMENT,
  apnsPath,
  blameTime,
  judgeApns,
  readApnsRefusal,
  refusesCredential,
  refusesToken,
  settleBetween,
} from './protocol.ts'
import { ApnsRoute } from './route.ts'
import { NOTHING_TRIED, SentRequest } from './sent-request.ts'
import type { AlreadyTried, OnHeard, Prepared } from './sent-request.ts'
import { createProviderTokens } from './token.ts'
import type { Keep, ProviderTokens, Signing } from './token.ts'

export interface ApnsProviderOptions {
  readonly credential: ApnsCredential
  /** `https://host[:port]`. */
  readonly origins: Readonly<Record<Environment, string>>
  readonly ca?: string | undefined
  readonly openTransport: OpenTransport
  readonly clock: Clock
  /** Default: a new provider token after each restart. */
  readonly keepToken?: Keep
  readonly signing?: Signing
}

export function createApnsProvider(options: ApnsProviderOptions): Provider {
  return new ApnsProvider(options)
}

class ApnsProvider implements Provider {
  readonly name = 'apns'
  readonly retry = APNS_RETRY
  readonly #options: ApnsProviderOptions
  /** `null` with a certificate. */
  readonly #tokens: ProviderTokens | null
  readonly #prepared = new WeakMap<Message, Prepared>()
  readonly #routes = new Map<Environment, ApnsRoute>()
  #preferred: Environment

  constructor(options: ApnsProviderOptions) {
    const { credential, clock } = options
    this.#options = options
    this.#tokens =
      credential.kind === 'key' ? createProviderTokens(credential, clock, options.keepToken, options.signing) : null
    this.#preferred = credential.environment === 'auto' ? 'production' : credential.environment
  }

  send(message: Message, recipient: Recipient, listener: OutcomeListener): void {
    const environment = this.#environmentOf(recipient)
    const addressed = { message, recipient, listener }
    const refused = this.#refusedBefore(environment, recipient)
    if (refused === null) this.#sendTo(environment, addressed, NOTHING_TRIED)
    else this.#report(this.#tryOther(environment, refused, addressed), listener)
  }

  originOf(recipient: Recipient): string {
    return this.#options.origins[this.#environmentOf(recipient)]
  }

  /** Trouble in the other environment delays only its own devices. */
  get trouble(): string | null {
    return this.#routes.get(this.#preferred)?.transport.trouble ?? null
  }

  get connections(): number {
    return [...this.#routes.values()].reduce((sum, { transport }) => sum + (transport.connections ?? 0), 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#routes.values()].map(({ transport }) => transport[Symbol.asyncDispose]()))
  }

  #environmentOf({ environment }: Recipient): Environment {
    const known = this.#options.credential.environment === 'auto' ? environment : null
    return known ?? this.#preferred
  }

  #refusedBefore(first: Environment, { environment, token }: Recipient): Outcome | null {
    if (environment !== null) return null
    return this.#routes.get(otherThan(first))?.refusedFirst(token, this.#options.clock.monotonic()) ?? null
  }

  #sendTo(environment: Environment, addressed: Addressed, tried: AlreadyTried): void {
    const { credential, clock } = this.#options
    const { listener } = addressed
    if (credential.kind === 'certificate' && clock.now() >= credential.expiresAt) {
      return listener.onOutcome(CERTIFICATE_EXPIRED)
    }
    const current = this.#tokens?.current()
    if (current instanceof Promise) return this.#sendOnce(current, environment, addressed, tried)
    if (tried !== NOTHING_TRIED && !listener.mayGo()) return listener.onOutcome(null)
    this.#sendWith(current, environment, addressed, tried)
  }

  #sendOnce(signing: Promise<string>, environment: Environment, addressed: Addressed, tried: AlreadyTried): void {
    const { listener } = addressed
    void signing.then(
      (authorization) => {
        if (listener.mayGo()) this.#sendWith(authorization, environment, addressed, tried)
        else listener.onOutcome(null)
      },
      () => listener.onOutcome(KEY_UNUSABLE),
    )
  }

  /** Hot path: no promise, few objects. */
  #sendWith(
    authorization: string | undefined,
    environment: Environment,
    addressed: Addressed,
    tried: AlreadyTried,
  ): void {
    const { message, recipient, listener } = addressed
    const path = apnsPath(recipient.token)
    if (path === null) return listener.onOutcome(BAD_TOKEN)
    const prepared = this.#prepare(message, authorization)
    const route = this.#route(environment)
    const rest = route.restAt(this.#options.clock.now())
    if (rest !== null) return listener.onOutcome({ ...rest, scope: tried.other ? 'device' : 'credential' })
    const refusal = route.refusalBy(this.#options.clock)
    const request = new SentRequest(this.#heard, addressed, route, prepared, tried, path)
    if (refusal === null) route.send(authorization, request)
    else this.#settle(request, partedWith(refusal))
  }

  readonly #heard: OnHeard = (sent, answer) => {
    const { addressed, route, prepared } = sent
    const { authorization } = prepared
    if (answer.kind === 'answer' && answer.status === 200) {
      if (authorization !== undefined) this.#tokens?.taken(authorization)
      route.taken()
      return addressed.listener.onOutcome(TAKEN_IN[route.environment])
    }
    if (answer.kind === 'failed' && answer.word !== undefined && refusesCredential(answer.word)) {
      route.refusedCredential(answer.word, this.#options.clock.monotonic())
    }
    this.#settle(sent, answer)
  }

  #settle(sent: SentRequest, answer: TransportAnswer): void {
    this.#report(this.#judge(sent, answer), sent.addressed.listener)
  }

  #report(settled: Promise<Outcome | null>, listener: OutcomeListener): void {
    void settled.then(
      (outcome) => listener.onOutcome(outcome),
      (error: unknown) => listener.onFault(error),
    )
  }

  async #judge({ addressed, route, prepared, tried }: SentRequest, answer: TransportAnswer): Promise<Outcome | null> {
    const { environment } = route
    const { authorization } = prepared
    if (answer.kind === 'failed') {
      if (answer.word !== undefined && refusesCredential(answer.word)) {
        const refused: Outcome = { kind: 'misconfigured', reason: answer.word, certain: true }
        return tried.other ? refused : this.#tryOther(environment, refused, addressed)
      }
      const outcome = outcomeOfFailure(answer)
      const isHeldBack = answer.afterMs !== undefined && environment !== this.#preferred
      return isHeldBack && outcome.kind === 'deferred' ? { ...outcome, scope: 'device' } : outcome
    }
    const { clock } = this.#options
    const refusal = readApnsRefusal(answer.body)
    if (authorization !== undefined && !refusesToken(answer.status, refusal.reason)) this.#tokens?.taken(authorization)
    if (authorization !== undefined && this.#isMistimed(authorization, refusal.reason, answer.header('date'))) {
      this.#tokens?.expired(authorization)
      route.refusedToken(authorization)
      if (!tried.renewal) return this.#again(environment, addressed, { ...tried, renewal: true })
    }
    route.refused(answer.status, refusal.reason, addressed.recipient.device)
    const now = clock.now()
    const judged = judgeApns(answer.status, refusal, retryAfterMs(answer.header('retry-after'), now))
    const timed = blameTime(judged, { date: answer.header('date'), now }, tried.renewal)
    const outcome = refusal.reason === 'TooManyProviderTokenUpdates' ? this.#weighUpdates(route, timed) : timed
    return tried.other ? outcome : this.#tryOther(environment, outcome, addressed)
  }

  #weighUpdates(route: ApnsRoute, outcome: Outcome): Outcome {
    if (outcome.kind !== 'deferred') return outcome
    const pauseMs = route.tokenUpdates.refused(this.#options.clock.monotonic())
    if (pauseMs === null) return outcome
    return { ...outcome, scope: 'credential', afterMs: Math.max(pauseMs, outcome.afterMs ?? 0) }
  }

  #again(
    environment: Environment,
    { message, recipient, listener }: Addressed,
    tried: AlreadyTried,
  ): Promise<Outcome | null> {
    return new Promise((onOutcome, onFault) => {
      const restOf = (origin: string) => listener.restOf(origin)
      const again = { mayGo: () => listener.mayGo(), restOf, onOutcome, onFault }
      this.#sendTo(environment, { message, recipient, listener: again }, tried)
    })
  }

  /** Each environment calls the other's tokens bad, and a key may be for one only. */
  async #tryOther(first: Environment, outcome: Outcome, addressed: Addressed): Promise<Outcome | null> {
    if (outcome.kind !== 'rejected' && outcome.kind !== 'misconfigured') return outcome
    const badToken = outcome.reason === 'BadDeviceToken'
    if (this.#options.credential.environment !== 'auto') {
      // A valid token of the other environment is refused the same way.
      return badToken ? { kind: 'rejected', blame: 'mismatch', reason: outcome.reason } : outcome
    }
    if (!badToken && !WRONG_ENVIRONMENT.has(outcome.reason)) return outcome

    const second = otherThan(first)
    const rest = addressed.listener.restOf(this.#options.origins[second])
    if (rest !== null) return { kind: 'deferred', ...rest, scope: 'device' }
    const again = { renewal: false, other: true }
    if (badToken && addressed.recipient.environment === null) {
      const route = this.#route(second)
      const afterMs = route.enterSecondTry(addressed.recipient.token, outcome, this.#options.clock.monotonic())
      if (afterMs !== null) return { kind: 'deferred', afterMs, scope: 'device', reason: outcome.reason }
      try {
        const other = await this.#again(second, addressed, again)
        if (other !== null) this.#noteRest(second, other)
        return other && settleBetween(outcome, other)
      } finally {
        route.leaveSecondTry()
      }
    }
    const other = await this.#again(second, addressed, again)
    if (other === null) return null
    this.#noteRest(second, other)
    if (badToken) return settleBetween(outcome, other)
    if (other.kind !== 'misconfigured') this.#preferred = second
    return other.kind === 'deferred' ? { ...other, scope: 'device' } : other
  }

  #noteRest(environment: Environment, outcome: Outcome): void {
    if (outcome.kind !== 'deferred' || outcome.scope !== 'credential' || outcome.afterMs === null) return
    const { afterMs: ms, reason } = outcome
    this.#route(environment).noteRest({ from: this.#options.clock.now(), ms, reason })
  }

  /** APNs answers InvalidProviderToken to a token from the future. */
  #isMistimed(authorization: string, reason: string | null, date: string | null): boolean {
    if (reason === 'ExpiredProviderToken') return true
    const at = Date.parse(date ?? '')
    const isAhead = this.#tokens?.isAhead(authorization, Number.isNaN(at) ? null : at) ?? false
    return reason === 'InvalidProviderToken' && isAhead
  }

  #prepare(message: Message, authorization: string | undefined): Prepared {
    const known = this.#prepared.get(message)
    if (known !== undefined && known.authorization === authorization) return known
    const rendered = known?.rendered ?? renderApns(message)
    const headers = apnsHeaders(rendered, this.#options.credential.topic, authorization)
    const prepared = { rendered, authorization, headers }
    this.#prepared.set(message, prepared)
    return prepared
  }

  #route(environment: Environment): ApnsRoute {
    let route = this.#routes.get(environment)
    if (route === undefined) {
      const { credential, origins, ca, openTransport } = this.#options
      const transport = openTransport(origins[environment], {
        deadlineMs: DEADLINE_MS,
        ca,
        ...(credential.kind === 'certificate' && { cert: credential.certificate, key: credential.privateKey }),
        isFinal: refusesCredential,
      })
      route = new ApnsRoute(environment, transport)
      this.#routes.set(environment, route)
    }
    return route
  }
}

function otherThan(environment: Environment): Environment {
  return environment === 'production' ? 'sandbox' : 'production'
}

const KEY_UNUSABLE: Outcome = { kind: 'misconfigured', reason: 'the signing key cannot be used', certain: true }
const CERTIFICATE_EXPIRED: Outcome = { kind: 'misconfigured', reason: 'the certificate has expired', certain: true }

function partedWith(word: string): TransportAnswer {
  return { kind: 'failed', reason: word, sent: 'no', word }
}
