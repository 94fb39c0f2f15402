import { MINUTE_MS } from '../../clock.ts'
import type { Provider } from '../../gateway/gateway.ts'
import type { CredentialInUse } from '../credential.ts'
import type { SenderContext } from '../sender-context.ts'
import type { TripReason } from './breaker.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'log' | 'persist' | 'events'> & {
  readonly clock: Pick<SenderContext['clock'], 'wallAt'>
}

/**
 * Reports on one credential, to the log and as events: each pause and its end, and trouble on the way to the gateway.
 */
export class Notices {
  readonly #deps: Context
  readonly #credential: Pick<CredentialInUse, 'isGood'>
  readonly #provider: Pick<Provider, 'trouble'> | null
  /** Whether anything was accepted since the last event of a pause; `false` also at the start. */
  #isTaking = false
  /** Origins whose last pause belongs to a trouble that is already logged. */
  readonly #troubled = new Set<string>()
  /** By origin and state, when a pause was last a warning: a gateway in trouble has one pause after the other. */
  readonly #warnedAt = new Map<string, number>()
  /** Origins that refuse the credential. */
  readonly #refusing = new Set<string>()
  #isTroubled = false

  constructor(deps: Context, credential: Pick<CredentialInUse, 'isGood'>, provider: Pick<Provider, 'trouble'> | null) {
    this.#deps = deps
    this.#credential = credential
    this.#provider = provider
  }

  /** Logs the beginning and the end of trouble on the way to the gateway; returns whether there is any. */
  trouble(): boolean {
    const reason = this.#provider?.trouble ?? null
    const isTroubled = reason !== null
    if (isTroubled !== this.#isTroubled) {
      this.#isTroubled = isTroubled
      if (isTroubled) this.#deps.log.warn('trouble with the gateway', { reason })
      else this.#deps.log.info('no more trouble with the gateway')
    }
    return isTroubled
  }

  /** `waitMs`: `null` if nothing pauses, and nobody else is left to send to. */
  paused(origin: string, { state, reason }: TripReason, waitMs: number | null, now: number): void {
    const { log, persist, events, application, platform, clock } = this.#deps
    const isKnown = waitMs !== null && this.trouble()
    if (isKnown) this.#troubled.add(origin)
    else this.#troubled.delete(origin)
    const key = `${origin} ${state}`
    const isRepeated = now - (this.#warnedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS
    if (!isKnown && !isRepeated) this.#warnedAt.set(key, now)
    const fields = { origin, state, reason, ...(waitMs !== null && { waitMs }) }
    log[isKnown || isRepeated ? 'debug' : 'warn']('sending paused', fields)
    if (state !== 'misconfigured') return
    this.#refusing.add(origin)
    this.#isTaking = false
    void persist(() => events.credentialPaused(application, platform, reason, clock.wallAt(now)))
  }

  /** `isNews`: after a pause. */
  succeeded(origin: string, isNews: boolean, now: number): void {
    const { log, persist, events, application, platform, clock } = this.#deps
    if (isNews) log[this.#troubled.delete(origin) ? 'debug' : 'info']('sending again', { origin })
    if (this.#isTaking || !this.#credential.isGood) return
    this.#refusing.delete(origin)
    // What one push service refuses, another may take.
    if (this.#refusing.size > 0) return
    this.#isTaking = true
    // Also at the first success after a start: the event of a pause before it is on disk.
    void persist(() => events.credentialResumed(application, platform, clock.wallAt(now)))
  }
}
