import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Outcome } from '../../gateway/gateway.ts'
import type { RetryPolicy } from '../../network/backoff.ts'
import type { Task } from '../open/delivery.ts'
import type { CredentialInUse } from '../credential.ts'
import { TOKENS_RETRY } from '../retry.ts'
import { askedAgain, complaintOf, isTokenRefused, judge, PUT_BACK } from '../verdict.ts'
import type { Complaint, FinalVerdict, PauseVerdict, Ruling } from '../verdict.ts'
import { Breaker } from './breaker.ts'
import type { TripReason } from './breaker.ts'
import { CongestionWindow } from './congestion-window.ts'
import type { WindowState } from './congestion-window.ts'
import type { Notices } from './notices.ts'
import { SilentDevices } from './silent-devices.ts'
import type { Sending } from './silent-devices.ts'

/** After a pause others are sent to first: a device that was refused before it waits this much longer, ms. */
const AFTER_PAUSE_MS = SECOND_MS

/** A device that complains so soon after another was taken, ms, is more likely at fault than the credential. */
const LATELY_MS = MINUTE_MS

/** A gateway that took something so lately, in ms, and showed no strain for so long, is waited for. */
const WELL_MS = SECOND_MS
const WITHOUT_STRAIN_MS = MINUTE_MS

/** What was answered. */
interface Sent {
  readonly task: Task
  readonly sending: Sending
  readonly provider: { readonly retry: RetryPolicy }
}

interface Dependencies {
  /** In [0, 1). */
  readonly random: () => number
  readonly credential: CredentialInUse
  readonly notices: Notices
}

/**
 * The way of one application to one gateway, by its origin: how much may be in flight, who is silent, and whose fault a
 * refusal is. Times are service time.
 */
export class Lane {
  readonly origin: string
  readonly window = new CongestionWindow()
  readonly breaker: Breaker
  readonly silent = new SilentDevices()
  readonly #deps: Dependencies
  /** On the way that a broadcast takes, nothing is made for it. */
  readonly #accepted: Ruling
  #inFlight = 0
  /** How many were sent, ever. */
  #sent = 0
  #isProven = false
  /** Complaints of too few devices to pause, with nobody else left to send to. */
  #warning: TripReason | null = null
  /** The last in the order of sending that was taken; and the last that shows that the credential is. */
  readonly #last = { taken: 0, recognised: 0 }
  /** The last device for which one was taken, and when. */
  readonly #taken = { device: -1, at: Number.NEGATIVE_INFINITY }
  #strainedAt = Number.NEGATIVE_INFINITY

  constructor(origin: string, deps: Dependencies) {
    this.origin = origin
    this.#deps = deps
    this.breaker = new Breaker(deps.credential)
    this.#accepted = { verdict: { kind: 'accepted', credential: deps.credential.number }, isAttempt: true }
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether it has taken anything in this run. */
  get isProven(): boolean {
    return this.#isProven
  }

  get standing(): { readonly state: WindowState; readonly reason: string | null } {
    const { state, reason } = this.window
    if (state !== 'ready' || this.#warning === null) return { state, reason }
    return { state: this.#warning.misconfigured ? 'misconfigured' : 'unreachable', reason: this.#warning.reason }
  }

  /** Whether it takes what it gets, so that waiting for it is not for long. */
  isWell(now: number): boolean {
    const isCalm = now - this.#strainedAt > WITHOUT_STRAIN_MS
    return this.window.state === 'ready' && now - this.#taken.at < WELL_MS && isCalm
  }

  sent(device: number, now: number, monotonic: number): Sending {
    this.#inFlight++
    this.window.sent(now)
    return this.silent.sent(device, ++this.#sent, now, monotonic)
  }

  /** A request is over that came to nothing, or whose answer says nothing of this credential. */
  withdrawn(sending: Sending): void {
    this.#inFlight--
    this.silent.withdrawn(sending)
  }

  answered({ task, sending, provider }: Sent, answer: Outcome, latencyMs: number, now: number): Ruling {
    this.#inFlight--
    const outcome = this.silent.answered(sending, answer, now)
    if (outcome.kind === 'accepted') {
      this.#note(outcome, sending, latencyMs, now)
      return this.#accepted
    }
    const { attempt, recipient, delivery } = task
    const { device } = recipient
    const { nth } = sending
    const complaint = complaintOf(outcome)
    const accuses = complaint !== null && this.#mayAccuse(device, nth)
    const situation = {
      retry: provider.retry,
      attempt,
      now,
      expiresAt: delivery.messages.expiresAt,
      random: this.#deps.random(),
      doubted: accuses,
      credential: this.#deps.credential.number,
    }
    const judged = judge(outcome, situation)
    if (judged.kind === 'pause') return this.#pause(judged, now)
    const isDoubted = judged.kind === 'failed' && isTokenRefused(outcome) && !this.#believes(device, judged.reason, nth)
    const verdict = isDoubted ? askedAgain(judged, { ...situation, retry: TOKENS_RETRY }) : judged
    if (!accuses) {
      this.#note(outcome, sending, latencyMs, now)
      const isPutOff = outcome.kind === 'deferred' && answer.kind === 'deferred' && answer.strain !== true
      if (isPutOff && complaint === null && verdict.kind === 'retry') this.silent.putOff(device, verdict.dueAt, now)
      return { verdict, isAttempt: true }
    }
    if (!this.window.isPaused(now)) return this.#accuse(complaint, { task, outcome, verdict, now })
    // A complaint that comes during a pause says nothing new, unless it asks for a longer one.
    const asks = outcome.kind === 'deferred' && outcome.afterMs !== null
    return asks ? { verdict, isAttempt: verdict.kind !== 'retry' } : PUT_BACK
  }

  /** Nobody is left to be sent to for now: what few devices have complained of is told, though it pauses nothing. */
  nobodyLeft(now: number): void {
    const { warning } = this.breaker
    if (warning === null || this.window.state !== 'ready' || this.#warning?.reason === warning.reason) return
    const isNews = this.#warning === null
    this.#warning = warning
    if (isNews) this.#deps.notices.paused(this.origin, warning, null, now)
  }

  /** Nothing can be sent for a while, and no recipient has a part in that. */
  #pause(pause: PauseVerdict, now: number): Ruling {
    const waitMs = this.window.pause(pause, now, this.#deps.random())
    if (waitMs === null) return PUT_BACK
    this.#warning = null
    this.#deps.notices.paused(this.origin, pause, waitMs, now)
    return PUT_BACK
  }

  /** Passes a complaint to the breaker: it is the device's, or it pauses the lane. */
  #accuse(
    complaint: Complaint,
    { task, outcome, verdict, now }: { task: Task; outcome: Outcome; verdict: FinalVerdict; now: number },
  ): Ruling {
    const { device } = task.recipient
    const reason = verdict.kind === 'accepted' ? '' : verdict.reason
    const hasTakenAnother = this.#taken.device !== device && now - this.#taken.at < LATELY_MS
    const isFirst = task.attempt === 1 && !hasTakenAnother
    if (!this.breaker.accuse({ device, complaint, reason, isFirst })) {
      if (complaint === 'gateway') this.#strained(now)
      return { verdict, isAttempt: true }
    }
    const askedMs = outcome.kind === 'deferred' ? outcome.afterMs : null
    const trip = this.breaker.tripReason
    const waitMs = this.window.pause({ ...trip, askedMs, ofDevices: true }, now, this.#deps.random())
    this.#warning = null
    if (waitMs !== null) this.#deps.notices.paused(this.origin, trip, waitMs, now)
    const dueAt = this.window.resumeAt + AFTER_PAUSE_MS
    return { verdict: { kind: 'retry', dueAt, reason }, isAttempt: false }
  }

  /**
   * Whether a complaint of the device may be the credential's fault. Not where others were taken since it complained, or
   * one that was sent to after this `nth`; and with a credential that is known to be good, not where nothing was ever
   * taken for the device: anybody can register one that is refused.
   */
  #mayAccuse(device: number, nth: number): boolean {
    if (this.breaker.isAlone(device)) return false
    if (nth < this.#last.recognised) {
      this.breaker.outrun(device)
      return false
    }
    const { credential } = this.#deps
    return !credential.isProven || credential.wasAccepted(device)
  }

  /** Whether a token that was refused is to be given up: of a device that was sent to before not always at once. */
  #believes(device: number, reason: string, nth: number): boolean {
    if (nth < this.#last.taken || !this.#deps.credential.wasAccepted(device)) return true
    return this.breaker.refuse(device, reason)
  }

  /** What an answer that accuses nobody says of the gateway, and of the credential. */
  #note(outcome: Outcome, { device, nth }: Sending, latencyMs: number, now: number): void {
    const { credential } = this.#deps
    // Who knows that the app is gone from a device has taken a notification for it before.
    const isTaken = outcome.kind === 'accepted' || (outcome.kind === 'unregistered' && !credential.isGood)
    if (isTaken) {
      if (!credential.isProven) credential.prove(device)
      this.#isProven = true
      this.#last.taken = Math.max(this.#last.taken, nth)
      this.#taken.device = device
      this.#taken.at = now
    }
    // Also who refuses a token has not refused the credential.
    if (isTaken || outcome.kind === 'unregistered' || isTokenRefused(outcome)) {
      this.#last.recognised = Math.max(this.#last.recognised, nth)
      this.#succeeded(latencyMs, now)
      if (this.breaker.isQuiet) return
      if (isTaken) this.breaker.taken(device)
      else this.breaker.recognised()
      return
    }
    if (complaintOf(outcome) === 'gateway' || (outcome.kind === 'deferred' && outcome.strain === true))
      this.#strained(now)
    this.breaker.tried(device)
  }

  #strained(now: number): void {
    this.window.strained()
    this.#strainedAt = now
  }

  #succeeded(latencyMs: number, now: number): void {
    const hasResumed = this.window.succeeded(latencyMs, now)
    if (this.window.isPaused(now)) return
    const isNews = hasResumed || this.#warning !== null
    this.#warning = null
    this.#deps.notices.succeeded(this.origin, isNews, now)
  }
}
