import { MINUTE_MS } from '../../clock.ts'
import type { Provider } from '../../gateway/gateway.ts'
import type { CredentialInUse } from '../credential.ts'
import type { SenderContext } from '../sender-context.ts'

type Context = Pick<SenderContext, 'application' | 'platform' | 'log' | 'persist' | 'events'>

/** Why nothing is sent, or what few devices complain of. */
interface Reason {
  readonly misconfigured: boolean
  readonly reason: string
}

/** What log and events are told of one credential: each pause, each end of one, and trouble on the way. */
export class Notices {
  readonly #deps: Context
  readonly #name: Pick<Context, 'application' | 'platform'>
  readonly #credential: Pick<CredentialInUse, 'isGood'>
  readonly #provider: Pick<Provider, 'trouble'> | null
  /** Whether a gateway has taken anything since the last event of a pause; `false` also at the start. */
  #isTaking = false
  /** Origins whose last pause was part of a trouble that is in the log. */
  readonly #told = new Set<string>()
  /** By origin and state, when a pause was a warning last: while a gateway is in trouble there is one after the other. */
  readonly #warnedAt = new Map<string, number>()
  /** Origins that refuse the credential. */
  readonly #refusing = new Set<string>()
  #isTroubled = false

  constructor(deps: Context, credential: Pick<CredentialInUse, 'isGood'>, provider: Provider | null) {
    const { application, platform } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#credential = credential
    this.#provider = provider
  }

  /** Tells of trouble on the way to the gateway, once, and once of its end; whether there is any. */
  trouble(): boolean {
    const reason = this.#provider?.trouble ?? null
    const isThere = reason !== null
    if (isThere !== this.#isTroubled) {
      this.#isTroubled = isThere
      if (isThere) this.#deps.log.warn('trouble with the gateway', { ...this.#name, reason })
      else this.#deps.log.info('no more trouble with the gateway', this.#name)
    }
    return isThere
  }

  /** `waitMs`: of a pause; `null`: nothing waits, and nobody else is there to be sent to. */
  paused(origin: string, { misconfigured, reason }: Reason, waitMs: number | null, now: number): void {
    const { log, persist, events, application, platform } = this.#deps
    const isTold = waitMs !== null && this.trouble()
    if (isTold) this.#told.add(origin)
    else this.#told.delete(origin)
    const state = misconfigured ? 'misconfigured' : 'unreachable'
    const isRepeated = now - (this.#warnedAt.get(`${origin} ${state}`) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS
    if (!isTold && !isRepeated) this.#warnedAt.set(`${origin} ${state}`, now)
    log[isTold || isRepeated ? 'debug' : 'warn']('sending paused', {
      ...this.#name,
      origin,
      state,
      reason,
      ...(waitMs !== null && { waitMs }),
    })
    if (!misconfigured) return
    this.#refusing.add(origin)
    this.#isTaking = false
    void persist(() => events.credentialPaused(application, platform, reason, now))
  }

  /** A gateway has taken something; `isNews`: after a pause. */
  succeeded(origin: string, isNews: boolean, now: number): void {
    if (isNews) this.#deps.log[this.#told.delete(origin) ? 'debug' : 'info']('sending again', { ...this.#name, origin })
    if (!this.#isTaking && this.#credential.isGood) this.#resumed(origin, now)
  }

  #resumed(origin: string, now: number): void {
    const { persist, events, application, platform } = this.#deps
    this.#refusing.delete(origin)
    // What one push service refuses, another may take.
    if (this.#refusing.size > 0) return
    this.#isTaking = true
    // Also at the first success after a start: what was told of the pause before it is on disk.
    void persist(() => events.credentialResumed(application, platform, now))
  }
}
