import { MINUTE_MS } from '../clock.ts'
import type { Platform } from '../device/device.ts'
import type { Log } from '../log.ts'
import { CongestionWindow } from './congestion-window.ts'
import type { Pause, WindowState } from './congestion-window.ts'
import { CredentialBreaker } from './credential-breaker.ts'
import type { Accusation, Complained, CredentialComplaint } from './credential-breaker.ts'
import { REFUSALS_RETRY } from './retry.ts'
import type { DeliveryEvents } from './settlement-writer.ts'

/** After a pause others are asked first: who was refused before it waits this much longer, ms. */
const AFTER_PAUSE_MS = 1000

/** Who complains so soon after another was taken, ms, is more likely at fault than the credential. */
const LATELY_MS = MINUTE_MS

/** One that was sent, and answered. */
export interface Sent {
  /** Its place in the order of sending, of all that is sent with the credential. */
  readonly nth: number
  readonly latencyMs: number
}

export interface HealthDependencies {
  readonly application: number
  readonly platform: Platform
  readonly log: Log
  /** In [0, 1). */
  readonly random: () => number
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  readonly events: DeliveryEvents
  /** The gateway has taken a first notification with this credential. */
  readonly onProven: () => void
}

/**
 * What answers say of one credential, as its window and its breaker hear of them, and who is told. Times are ms since
 * the Unix epoch. `Case`: what is set aside with a refused token.
 */
export class CredentialHealth<Case> {
  readonly #deps: HealthDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #window = new CongestionWindow()
  readonly #breaker: CredentialBreaker<Case>
  /** What is said of it though it is not paused: too few devices were asked, and nobody else is left to ask. */
  #rumour: Accusation | null = null
  /** Whether the gateway has taken anything since it was last told of as refused; `false` also at the start. */
  #taking = false
  /** Whether the last pause was nothing new. */
  #told = false
  /** Whose answer began the last pause. */
  #askedLast: number | null = null
  /** The last in the order of sending that was taken; and the last that shows that the credential is. */
  readonly #last = { taken: 0, recognised: 0 }
  /** The last device for which one was taken, and when. */
  #taken = { device: -1, at: Number.NEGATIVE_INFINITY }

  /** `proven`: the credential is known to be good. */
  constructor(deps: HealthDependencies, proven: boolean) {
    const { application, platform } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#breaker = new CredentialBreaker(proven)
  }

  get state(): WindowState {
    if (this.#window.state !== 'ready' || this.#rumour === null) return this.#window.state
    return this.#rumour.misconfigured ? 'misconfigured' : 'unreachable'
  }

  /** Why it is not ready; `null` when it is. */
  get reason(): string | null {
    return this.#window.reason ?? this.#rumour?.reason ?? null
  }

  /** Something is held against it, or set aside. */
  get isDoubtful(): boolean {
    return this.#breaker.isDoubtful
  }

  /** See `CredentialBreaker`. */
  get asksAround(): boolean {
    return this.#breaker.asksAround
  }

  /** The device that is not to be asked next, where another one can be; `null` where it does not matter. */
  get askedLast(): number | null {
    return this.#askedLast
  }

  /** Requests that may be in flight at `now`. */
  size(now: number): number {
    return Math.min(this.#window.size(now), this.#breaker.allowance)
  }

  isPaused(now: number): boolean {
    return this.#window.isPaused(now)
  }

  /** Whether others were taken since this device complained, or one that was sent to after this `nth`. */
  isAlone(device: number, nth: number): boolean {
    return this.#breaker.isAlone(device) || nth < this.#last.recognised
  }

  /** Whether a notification has just been taken for another device than this one. */
  hasJustTakenAnother(device: number, now: number): boolean {
    return this.#taken.device !== device && now - this.#taken.at < LATELY_MS
  }

  /** A push is new: it may be for devices that were not asked yet. */
  endPauseEarly(): void {
    this.#window.endPauseEarly()
  }

  shift(byMs: number): void {
    this.#window.shift(byMs)
    this.#taken.at -= byMs
  }

  /** A notification was taken; gives those set aside, which were bad. */
  taken(device: number, { nth, latencyMs }: Sent, now: number): readonly Complained<Case>[] {
    this.#succeeded(latencyMs, now)
    this.#last.taken = Math.max(this.#last.taken, nth)
    this.#last.recognised = Math.max(this.#last.recognised, nth)
    this.#taken = { device, at: now }
    if (this.#breaker.isQuiet) return NOBODY
    if (this.#breaker.prove()) this.#deps.onProven()
    return this.#breaker.taken(device)
  }

  /**
   * The app is gone from a device: who knows that has taken the credential, and is believed of other tokens as of this
   * one. Of a credential that only has tokens refused it is no sign of health.
   */
  gone(device: number, sent: Sent, now: number): readonly Complained<Case>[] {
    if (this.#breaker.prove()) {
      this.#deps.onProven()
      return this.taken(device, sent, now)
    }
    this.#recognised(sent, now)
    return NOBODY
  }

  /** A device was not taken, for its own reasons; `strained`: less at a time may help. */
  failed(device: number, strained: boolean): void {
    if (strained) this.#window.strained()
    this.#breaker.tried(device)
  }

  /** Weighs a complaint while it is not paused: see `CredentialBreaker.weigh`. `accuse`: it is paused now. */
  weigh(complained: Complained<Case>, sent: Sent, askedMs: number | null, now: number): 'own' | 'aside' | 'accuse' {
    const { complaint, device } = complained
    if (this.#isOutrun(complaint, sent.nth)) {
      if (isRefusal(complaint)) this.#recognised(sent, now)
      else this.#breaker.outrun(device)
      if (complaint === 'gateway') this.#window.strained()
      return 'own'
    }
    const belief = this.#breaker.weigh(complained)
    if (belief === 'accuse') {
      const { ofRefusals, ...accusation } = this.#breaker.accusation
      this.pause({ ...accusation, askedMs, ofDevices: true, ...(ofRefusals && { retry: REFUSALS_RETRY }) }, device, now)
    } else if (complaint === 'gateway') this.#window.strained()
    else if (belief === 'aside' && this.#breaker.isProven) this.#recognised(sent, now)
    return belief
  }

  overflow(): readonly Complained<Case>[] {
    return this.#breaker.overflow()
  }

  release(): readonly Complained<Case>[] {
    return this.#breaker.release()
  }

  /** Nobody is left to be sent to for now. Gives those set aside, and whether they are believed to be bad. */
  nobodyLeft(now: number): { readonly aside: readonly Complained<Case>[]; readonly bad: boolean } {
    const { rumour, believesAside: bad } = this.#breaker
    if (rumour !== null && this.#window.state === 'ready' && this.#rumour?.reason !== rumour.reason) {
      const isNews = this.#rumour === null
      this.#rumour = rumour
      if (isNews) this.#tell(rumour, {}, now)
    }
    return { aside: this.#breaker.release(), bad }
  }

  pause(pause: Pause, device: number, now: number): void {
    const waitMs = this.#window.pause(pause, now, this.#deps.random())
    if (waitMs === null) return
    this.#askedLast = device
    this.#rumour = null
    this.#told = pause.told === true
    this.#tell(pause, { waitMs }, now)
  }

  /** When those may be asked again who were refused before the pause: after another one. */
  dueAfterPause(nth: number): number {
    return this.#window.resumeAt + AFTER_PAUSE_MS + nth
  }

  /**
   * A complaint that was sent before another that was taken. A bad token is asked about in both environments, and who is
   * answered 401 with a new access token, so that answer comes late: those of one window come in a row, behind all good
   * ones, and are no row by the order of sending.
   */
  #isOutrun(complaint: CredentialComplaint, nth: number): boolean {
    if (!isRefusal(complaint)) return nth < this.#last.recognised
    return this.#breaker.isProven && !this.#breaker.isDoubted && nth < this.#last.taken
  }

  #recognised({ nth, latencyMs }: Sent, now: number): void {
    this.#last.recognised = Math.max(this.#last.recognised, nth)
    this.#breaker.recognised()
    // A credential that only has tokens refused is not well because it has one more refused.
    if (!this.#breaker.isDoubted) this.#succeeded(latencyMs, now)
  }

  #succeeded(latencyMs: number, now: number): void {
    const resumed = this.#window.succeeded(latencyMs, now)
    if (this.#window.isPaused(now)) return
    if (resumed || this.#rumour !== null) {
      this.#deps.log[this.#told ? 'debug' : 'info']('sending again', this.#name)
      this.#told = false
      this.#rumour = null
      this.#askedLast = null
    }
    if (this.#taking) return
    this.#taking = true
    const { persist, events, application, platform } = this.#deps
    // Also at the first success after a start: what was told of the pause before it is on disk.
    void persist(() => events.credentialResumed(application, platform, now))
  }

  #tell({ misconfigured, reason }: Pick<Pause, 'misconfigured' | 'reason'>, more: object, now: number): void {
    const { log, persist, events, application, platform } = this.#deps
    log[this.#told ? 'debug' : 'warn']('sending paused', {
      ...this.#name,
      state: misconfigured ? 'misconfigured' : 'unreachable',
      reason,
      ...more,
    })
    if (!misconfigured) return
    this.#taking = false
    void persist(() => events.credentialPaused(application, platform, reason, now))
  }
}

const NOBODY: readonly never[] = []

function isRefusal(complaint: CredentialComplaint): boolean {
  return complaint === 'token' || complaint === 'mismatch'
}
