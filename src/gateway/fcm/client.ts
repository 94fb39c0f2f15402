import type { Clock } from '../../clock.ts'
import { isInstallationId } from '../../device/push-token.ts'
import { retryAfterMs } from '../../network/retry-after.ts'
import { renderFcm } from '../../notification/fcm-render.ts'
import type { RenderedFcm } from '../../notification/fcm-render.ts'
import type { Message } from '../../notification/notification.ts'
import { forgetOldest } from '../../text/forget-oldest.ts'
import type { Addressed, Outcome, OutcomeListener, Provider, Recipient } from '../gateway.ts'
import { outcomeOfFailure } from '../transport/failures.ts'
import { DEADLINE_MS } from '../transport/transport.ts'
import type { Transport, TransportAnswer } from '../transport/transport.ts'
import { ProjectQuota } from './project-quota.ts'
import { FCM_RETRY, readFcm } from './protocol.ts'
import type { FcmVerdict } from './protocol.ts'
import { createAccessTokens } from './token.ts'
import type { AccessTokens, AccessTokensOptions } from './token.ts'

export interface FcmProviderOptions extends AccessTokensOptions {
  readonly origin: string
  readonly quota?: ProjectQuota
  readonly onIphone?: OnIphone
}

/** `device`: `device.id`, while it has this token. */
export type OnIphone = (device: number, token: string) => void

export function createFcmProvider(options: FcmProviderOptions): Provider {
  return new FcmProvider(options)
}

class FcmProvider implements Provider {
  readonly name = 'fcm'
  readonly retry = FCM_RETRY
  readonly #clock: Clock
  readonly #origin: string
  readonly #path: string
  readonly #transport: Transport
  readonly #tokens: AccessTokens
  readonly #quota: ProjectQuota
  readonly #onIphone: OnIphone
  readonly #suspects = new SuspectTokens()
  #takenWith = ''
  readonly #rendered = new WeakMap<Message, RenderedFcm>()
  #headers = headersOf('')

  constructor(options: FcmProviderOptions) {
    const { credential, origin, ca, openTransport, clock } = options
    this.#clock = clock
    this.#origin = origin
    this.#path = `/v1/projects/${encodeURIComponent(credential.projectId)}/messages:send`
    this.#transport = openTransport(origin, { deadlineMs: DEADLINE_MS, indexesAuthorization: true, ca })
    this.#tokens = createAccessTokens(options)
    this.#quota = options.quota ?? new ProjectQuota()
    this.#onIphone = options.onIphone ?? (() => {})
  }

  send(message: Message, recipient: Recipient, listener: OutcomeListener): void {
    this.#quota.take()
    this.#send({ message, recipient, listener }, false)
  }

  originOf(): string {
    return this.#origin
  }

  mayTake(monotonic: number): boolean {
    return this.#quota.mayTake(monotonic)
  }

  get trouble(): string | null {
    return this.#transport.trouble ?? null
  }

  get connections(): number {
    return this.#transport.connections ?? 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#transport[Symbol.asyncDispose](), this.#tokens[Symbol.asyncDispose]()])
  }

  #send(addressed: Addressed, isRenewed: boolean): void {
    const { listener } = addressed
    const current = this.#tokens.current()
    if (typeof current === 'string') {
      if (isRenewed && !listener.mayGo()) return listener.onOutcome(null)
      return this.#sendWith(current, addressed, isRenewed)
    }
    void current.then(
      (authorization) => {
        if (typeof authorization !== 'string') listener.onOutcome(authorization)
        else if (listener.mayGo()) this.#sendWith(authorization, addressed, isRenewed)
        else listener.onOutcome(null)
      },
      (error: unknown) => listener.onFault(error),
    )
  }

  #sendWith(authorization: string, addressed: Addressed, isRenewed: boolean): void {
    const { message, recipient, listener } = addressed
    if (this.#headers.authorization !== authorization) this.#headers = headersOf(authorization)
    const { token, badge, fcmPlatform = null } = recipient
    const body = this.#render(message).body(token, badge, this.#clock.now(), fcmPlatform)
    const request = { path: this.#path, headers: this.#headers, body }
    this.#transport.send(request, {
      onAnswer: (answer) => {
        if (answer.kind === 'failed') return listener.onOutcome(outcomeOfFailure(answer))
        const verdict = this.#read(answer, recipient)
        const { outcome } = verdict
        if (outcome.kind === 'accepted') {
          this.#takenWith = authorization
          this.#suspects.taken(recipient.device)
          return listener.onOutcome(outcome)
        }
        if (!isRenewed && this.#isExpired(authorization, answer.status, verdict)) this.#send(addressed, true)
        else listener.onOutcome(verdict.isVague ? this.#suspect(outcome, recipient) : outcome)
      },
    })
  }

  #read(answer: Extract<TransportAnswer, { kind: 'answer' }>, recipient: Recipient): FcmVerdict {
    const askedMs = answer.status === 200 ? null : retryAfterMs(answer.header('retry-after'), this.#clock.now())
    const verdict = readFcm(answer.status, answer.body, askedMs, isInstallationId(recipient.token))
    const { outcome } = verdict
    // A device's limit concerns no one else.
    if (answer.status === 429 && outcome.kind === 'deferred' && outcome.scope === 'credential') {
      this.#quota.pause(this.#clock.monotonic(), outcome.afterMs ?? 0)
    }
    if (verdict.isOfApple && (recipient.fcmPlatform ?? null) === null) this.#onIphone(recipient.device, recipient.token)
    return verdict
  }

  /**
   * Whether the access token expired and another is available. A vague answer proves nothing against a token that
   * worked, or each such device would cost a request to Google's token endpoint.
   */
  #isExpired(authorization: string, status: number, { outcome, isVague }: FcmVerdict): boolean {
    if (status !== 401 || outcome.kind !== 'misconfigured') return false
    return (!isVague || this.#takenWith !== authorization) && this.#tokens.expired(authorization)
  }

  /** Blames the token if others were accepted since its first vague answer. */
  #suspect(outcome: Outcome, { device }: Recipient): Outcome {
    if (outcome.kind !== 'misconfigured' || !this.#suspects.refused(device)) return outcome
    return { kind: 'rejected', blame: 'mismatch', reason: outcome.reason }
  }

  #render(message: Message): RenderedFcm {
    let rendered = this.#rendered.get(message)
    if (rendered === undefined) {
      rendered = renderFcm(message)
      this.#rendered.set(message, rendered)
    }
    return rendered
  }
}

const MAX_SUSPECTS = 10_000

/**
 * Devices refused by answers that may concern the whole project: 404 without details, 401 without a body. If FCM
 * accepts other messages of the project, the token is at fault.
 */
class SuspectTokens {
  #taken = 0
  /** By device: `#taken` at its first refusal. */
  readonly #suspects = new Map<number, number>()

  taken(device: number): void {
    this.#taken++
    if (this.#suspects.size > 0) this.#suspects.delete(device)
  }

  refused(device: number): boolean {
    const before = this.#suspects.get(device)
    if (before !== undefined) return this.#taken > before
    this.#suspects.set(device, this.#taken)
    forgetOldest(this.#suspects, MAX_SUSPECTS)
    return false
  }
}

function headersOf(authorization: string) {
  return { authorization, 'content-type': 'application/json', 'accept-encoding': 'identity' }
}
