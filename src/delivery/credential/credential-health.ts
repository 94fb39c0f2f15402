import { MINUTE_MS } from '../../clock.ts'
import type { Platform } from '../../device/device.ts'
import type { Log } from '../../log.ts'
import type { DeliveryEvents } from '../settlement-writer.ts'
import { CongestionWindow } from './congestion-window.ts'
import type { Pause, WindowState } from './congestion-window.ts'
import { CredentialBreaker } from './credential-breaker.ts'
import type { Accusation, TripReason } from './credential-breaker.ts'

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
}

/** Which credential it is, and what is known of it. */
export interface CredentialStanding {
  /** The gateway has taken something with it before. */
  readonly isProven: boolean
  /** It is the simulator's, which is good: a token that is refused is bad. */
  readonly isSimulated: boolean
  /** Whether it has taken something for this device, `device.id`. */
  readonly wasAccepted: (device: number) => boolean
  /** The gateway has taken a first notification with it, for this device. */
  readonly onProven: (device: number) => void
}

/**
 * What answers say of one credential: passes them on to its congestion window and its breaker, and tells log and events.
 * Times are service time.
 */
export class CredentialHealth {
  readonly #deps: HealthDependencies
  readonly #name: { readonly application: number; readonly platform: Platform }
  readonly #window = new CongestionWindow()
  readonly #standing: CredentialStanding
  readonly #breaker: CredentialBreaker
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

  constructor(deps: HealthDependencies, standing: CredentialStanding) {
    const { application, platform } = deps
    this.#deps = deps
    this.#name = { application, platform }
    this.#standing = standing
    this.#breaker = new CredentialBreaker(standing.isProven)
  }

  get state(): WindowState {
    if (this.#window.state !== 'ready' || this.#warning === null) return this.#window.state
    return this.#warning.misconfigured ? 'misconfigured' : 'unreachable'
  }

  /** Why it is not ready; `null` when it is. */
  get reason(): string | null {
    return this.#window.reason ?? this.#warning?.reason ?? null
  }

  /** The gateway takes it, so tokens that it refuses are bad. */
  get isGood(): boolean {
    return this.#standing.isSimulated || this.#breaker.isProven
  }

  /** Devices have complained since the last was taken. */
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
    return this.#window.size(now)
  }

  /** See `CongestionWindow`. */
  crowded(inFlight: number): void {
    this.#window.crowded(inFlight)
  }

  isPaused(now: number): boolean {
    return this.#window.isPaused(now)
  }

  /**
   * Whether a complaint of the device may be the credential's fault. Not where others were taken since it complained, or
   * one that was sent to after this `nth`; and with a credential that is known to be good, not where nothing was ever
   * taken for the device: anybody can register one that is refused.
   */
  mayAccuse(device: number, nth: number): boolean {
    if (this.#breaker.isAlone(device)) return false
    if (nth < this.#last.recognised) {
      this.#breaker.outrun(device)
      return false
    }
    return !this.#breaker.isProven || this.#standing.wasAccepted(device)
  }

  /** Whether a token that was refused is to be given up: of a device that was sent to before not always at once. */
  believes(device: number, reason: string, nth: number): boolean {
    if (nth < this.#last.taken || !this.#standing.wasAccepted(device)) return true
    return this.#breaker.refuse(device, reason)
  }

  /** Whether a notification has just been taken for another device than this one. */
  hasJustTakenAnother(device: number, now: number): boolean {
    return this.#taken.device !== device && now - this.#taken.at < LATELY_MS
  }

  /** A push is new: it may be for devices that were not tried yet. */
  endPauseEarly(): void {
    this.#window.endPauseEarly()
  }

  /** A notification was taken for the device. */
  taken(device: number, { nth, latencyMs }: Sent, now: number): void {
    const wasQuiet = this.#breaker.isQuiet
    if (!wasQuiet && this.#breaker.prove()) this.#standing.onProven(device)
    this.#succeeded(latencyMs, now)
    this.#last.taken = Math.max(this.#last.taken, nth)
    this.#last.recognised = Math.max(this.#last.recognised, nth)
    this.#taken.device = device
    this.#taken.at = now
    if (!wasQuiet) this.#breaker.taken(device)
  }

  /** The app is gone from the device: who knows that has taken a notification for it before. */
  gone(device: number, sent: Sent, now: number): void {
    if (this.isGood) this.refused(sent, now)
    else this.taken(device, sent, now)
  }

  /**
   * The token was refused, so the credential was not. What was never taken with it says no more than that: also the wrong
   * environment knows none of its tokens.
   */
  refused({ nth, latencyMs }: Sent, now: number): void {
    this.#last.recognised = Math.max(this.#last.recognised, nth)
    this.#breaker.recognised()
    this.#succeeded(latencyMs, now)
  }

  /** A device was not taken, for its own reasons; `strained`: less at a time may help. */
  failed(device: number, strained: boolean): void {
    if (strained) this.#window.strained()
    this.#breaker.tried(device)
  }

  /** Records a complaint of a device that may accuse, while it is not paused; whether it is paused now. */
  complained(accusation: Accusation, askedMs: number | null, now: number): boolean {
    if (this.#breaker.accuse(accusation)) {
      this.pause({ ...this.#breaker.tripReason, askedMs, ofDevices: true }, accusation.device, now)
      return true
    }
    if (accusation.complaint === 'gateway') this.#window.strained()
    return false
  }

  /** Nobody is left to be sent to for now: what few devices have complained of is told, though it pauses nothing. */
  nobodyLeft(now: number): void {
    const { warning } = this.#breaker
    if (warning === null || this.#window.state !== 'ready' || this.#warning?.reason === warning.reason) return
    const isNews = this.#warning === null
    this.#warning = warning
    if (isNews) this.#tell(warning, {}, now)
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
  dueAfterPause(): number {
    return this.#window.resumeAt + AFTER_PAUSE_MS
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
    if (this.#taking || !this.isGood) return
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
