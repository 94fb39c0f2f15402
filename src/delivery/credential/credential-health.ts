import { MINUTE_MS } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import type { Log } from '../../log.ts'
import { REFUSALS_RETRY } from '../retry.ts'
import type { DeliveryEvents } from '../settlement-writer.ts'
import { CongestionWindow } from './congestion-window.ts'
import type { Pause, WindowState } from './congestion-window.ts'
import { CredentialBreaker } from './credential-breaker.ts'
import type { TripReason, Complained, CredentialComplaint } from './credential-breaker.ts'

/** After a pause others are sent to first: a device that was refused before it waits this much longer, ms. */
const AFTER_PAUSE_MS = 1000

/** A device that complains so soon after another was taken, ms, is more likely at fault than the credential. */
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
 * What answers say of one credential: passes them on to its congestion window and its breaker, and tells log and events.
 * Times are service time. `Case`: what is kept of a complaint while it is pending.
 */
export class CredentialHealth<Case> {
  readonly #deps: HealthDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #window = new CongestionWindow()
  readonly #breaker: CredentialBreaker<Case>
  /** A complaint of too few devices to pause, with nobody else left to send to. */
  #warning: TripReason | null = null
  /** Whether the gateway has taken anything since the last event of a pause; `false` also at the start. */
  #taking = false
  /** Whether the last pause was part of a trouble that is in the log. */
  #told = false
  /** The device whose answer began the last pause. */
  #pausedBy: number | null = null
  /** The last in the order of sending that was taken; and the last that shows that the credential is. */
  readonly #last = { taken: 0, recognised: 0 }
  /** The last device for which one was taken, and when. */
  readonly #taken = { device: -1, at: Number.NEGATIVE_INFINITY }

  /** `proven`: the credential is known to be good. */
  constructor(deps: HealthDependencies, proven: boolean) {
    const { application, platform } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#breaker = new CredentialBreaker(proven)
  }

  get state(): WindowState {
    if (this.#window.state !== 'ready' || this.#warning === null) return this.#window.state
    return this.#warning.misconfigured ? 'misconfigured' : 'unreachable'
  }

  /** Why it is not ready; `null` when it is. */
  get reason(): string | null {
    return this.#window.reason ?? this.#warning?.reason ?? null
  }

  /** Devices have complained, or complaints are pending. */
  get isDoubtful(): boolean {
    return this.#breaker.isDoubtful
  }

  /** See `CredentialBreaker`. */
  get wantsSamples(): boolean {
    return this.#breaker.wantsSamples
  }

  /** The device whose answer began the last pause: another one is to be sent to first. `null` where it does not matter. */
  get pausedBy(): number | null {
    return this.#pausedBy
  }

  /** Requests that may be in flight at `now`. */
  size(now: number): number {
    return Math.min(this.#window.size(now), this.#breaker.allowance)
  }

  /** See `CongestionWindow`. */
  crowded(inFlight: number): void {
    this.#window.crowded(inFlight)
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

  /** A push is new: it may be for devices that were not tried yet. */
  endPauseEarly(): void {
    this.#window.endPauseEarly()
  }

  /** A notification was taken; gives the pending complaints: those tokens were bad. */
  taken(device: number, { nth, latencyMs }: Sent, now: number): readonly Complained<Case>[] {
    this.#succeeded(latencyMs, now)
    this.#last.taken = Math.max(this.#last.taken, nth)
    this.#last.recognised = Math.max(this.#last.recognised, nth)
    this.#taken.device = device
    this.#taken.at = now
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

  /** Records a complaint while it is not paused: see `CredentialBreaker.record`. `trip`: it is paused now. */
  complained(
    complained: Complained<Case>,
    sent: Sent,
    askedMs: number | null,
    now: number,
  ): 'device' | 'pending' | 'trip' {
    const { complaint, device } = complained
    if (this.#isOutrun(complaint, sent.nth)) {
      if (isRefusal(complaint)) this.#recognised(sent, now)
      else this.#breaker.outrun(device)
      if (complaint === 'gateway') this.#window.strained()
      return 'device'
    }
    const blame = this.#breaker.record(complained)
    if (blame === 'trip') {
      const { ofRefusals, ...reason } = this.#breaker.tripReason
      this.pause({ ...reason, askedMs, ofDevices: true, ...(ofRefusals && { retry: REFUSALS_RETRY }) }, device, now)
    } else if (complaint === 'gateway') this.#window.strained()
    else if (blame === 'pending' && this.#breaker.isProven) this.#recognised(sent, now)
    return blame
  }

  overflow(): readonly Complained<Case>[] {
    return this.#breaker.overflow()
  }

  release(): readonly Complained<Case>[] {
    return this.#breaker.release()
  }

  /** Nobody is left to be sent to for now. Gives the pending complaints, and whether they are believed. */
  nobodyLeft(now: number): { readonly pending: readonly Complained<Case>[]; readonly bad: boolean } {
    const { warning, believesPending: bad } = this.#breaker
    if (warning !== null && this.#window.state === 'ready' && this.#warning?.reason !== warning.reason) {
      const isNews = this.#warning === null
      this.#warning = warning
      if (isNews) this.#tell(warning, {}, now)
    }
    return { pending: this.#breaker.release(), bad }
  }

  pause(pause: Pause, device: number, now: number): void {
    const waitMs = this.#window.pause(pause, now, this.#deps.random())
    if (waitMs === null) return
    this.#pausedBy = device
    this.#warning = null
    this.#told = pause.told === true
    this.#tell(pause, { waitMs }, now)
  }

  /** When a device that was refused before the pause may be sent to again: after another one. */
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
    if (resumed || this.#warning !== null) {
      this.#deps.log[this.#told ? 'debug' : 'info']('sending again', this.#name)
      this.#told = false
      this.#warning = null
      this.#pausedBy = null
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
