import { MINUTE_MS, SECOND_MS } from '../../clock.ts'
import type { Outcome, Provider } from '../../gateway/gateway.ts'
import type { CredentialInUse } from '../credential.ts'
import type { Task } from '../open/delivery.ts'
import { GATEWAY_RETRY, askedAgain, complaintOf, isTokenRefused, judge, judgeReplaced, PUT_BACK } from '../verdict.ts'
import type { Pause, Ruling, Trouble } from '../verdict.ts'
import type { PauseReason } from '../wait.ts'
import { Breaker } from './breaker.ts'
import { CongestionWindow } from './congestion-window.ts'
import type { Notices } from './notices.ts'
import { SilentDevices } from './silent-devices.ts'
import type { Sending } from './silent-devices.ts'

/** A device refused before a pause waits this much longer, so that others come first. */
const AFTER_PAUSE_MS = SECOND_MS

/** A device that complains so soon after another was accepted is more likely at fault than the credential. */
const LATELY_MS = MINUTE_MS

/** A gateway that accepted something so recently, without strain for so long, is worth waiting for. */
const WELL_MS = SECOND_MS
const WITHOUT_STRAIN_MS = MINUTE_MS

type Refused = Exclude<Outcome, { kind: 'accepted' }>

interface Sent {
  readonly task: Task
  readonly sending: Sending
}

export interface LaneContext {
  readonly random: () => number
  readonly credential: CredentialInUse
  readonly notices: Notices
  /** `null`: nothing can be sent. */
  readonly provider: Provider | null
}

/** One application's way to one gateway, by its origin. */
export class Lane {
  readonly origin: string
  readonly window = new CongestionWindow()
  readonly breaker: Breaker
  readonly silent = new SilentDevices()
  readonly #deps: LaneContext
  /** Made once: a broadcast has one for each recipient. */
  readonly #acceptance: Ruling
  #inFlight = 0
  #sent = 0
  #isProven = false
  /** Complaints by too few devices for a pause, with nobody else left to send to. */
  #warning: Trouble | null = null
  /** The last send, by number, that was accepted; the last device that was, and when. */
  readonly #accepted = { nth: 0, device: -1, at: Number.NEGATIVE_INFINITY }
  #recognisedNth = 0
  #strainedAt = Number.NEGATIVE_INFINITY

  constructor(origin: string, deps: LaneContext) {
    this.origin = origin
    this.#deps = deps
    this.breaker = new Breaker(deps.credential)
    this.#acceptance = { verdict: { kind: 'accepted', credential: deps.credential.number }, isAttempt: true }
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get isProven(): boolean {
    return this.#isProven
  }

  get trouble(): Trouble | null {
    // While one device finds the gateway busy, everybody else is sent to.
    return this.window.trouble ?? (this.#warning?.state === 'misconfigured' ? this.#warning : null)
  }

  /** Whether the gateway keeps accepting: waiting for room will not take long. */
  isWell(now: number): boolean {
    const isCalm = now - this.#strainedAt > WITHOUT_STRAIN_MS
    return this.window.trouble === null && now - this.#accepted.at < WELL_MS && isCalm
  }

  sent(device: number, now: number, monotonic: number): Sending {
    this.#inFlight++
    this.window.sent(now)
    return this.silent.sent(device, ++this.#sent, now, monotonic)
  }

  withdrawn(sending: Sending): void {
    this.#inFlight--
    this.silent.withdrawn(sending)
  }

  /** `isReplaced`: its credential is no longer used. */
  answered({ task, sending }: Sent, answer: Outcome, latencyMs: number, now: number, isReplaced = false): Ruling {
    if (isReplaced) {
      this.withdrawn(sending)
      return judgeReplaced(answer, this.#attemptOf(task, now))
    }
    this.#inFlight--
    const outcome = this.silent.answered(sending, answer, now)
    if (outcome.kind === 'accepted') {
      this.#note(outcome, sending, latencyMs, now)
      return this.#acceptance
    }
    const { device } = task.recipient
    const complaint = complaintOf(outcome)
    const accuses = complaint !== null && this.#mayAccuse(complaint, sending)
    const attempt = this.#attemptOf(task, now)
    const { credential, provider } = this.#deps
    // If one push service is down, its browsers wait as usual.
    const doubted = accuses && (complaint === 'misconfigured' || provider?.isOpen !== true)
    const judged = judge(outcome, { ...attempt, doubted, credential: credential.number })
    if (judged.kind === 'pause') {
      this.#pause(judged, now)
      return PUT_BACK
    }
    const isDoubted = judged.kind === 'failed' && isTokenRefused(outcome) && !this.#believes(sending, judged.reason)
    const verdict = isDoubted ? askedAgain(judged, attempt) : judged
    if (!accuses) this.#note(outcome, sending, latencyMs, now)
    else if (this.window.isPaused(now)) {
      // During a pause a complaint says nothing new, unless it asks for a longer one.
      const asks = outcome.kind === 'deferred' && outcome.afterMs !== null
      return asks ? { verdict, isAttempt: verdict.kind !== 'retry' } : PUT_BACK
    } else if (this.#accuse(complaint, task, outcome, now)) {
      const dueAt = this.window.resumeAt + AFTER_PAUSE_MS
      return { verdict: { kind: 'retry', dueAt, reason: outcome.reason }, isAttempt: false }
    }
    const isPutOff = outcome.kind === 'deferred' && answer.kind === 'deferred' && answer.strain !== true
    if (isPutOff && verdict.kind === 'retry') this.silent.putOff(device, verdict.dueAt, now)
    return { verdict, isAttempt: true }
  }

  #attemptOf({ attempt, delivery }: Task, now: number) {
    const { provider, random } = this.#deps
    const { expiresAt } = delivery.record
    return { retry: provider?.retry ?? GATEWAY_RETRY, attempt, now, expiresAt, random: random() }
  }

  /** Nobody else is left to send to: reports complaints by too few devices for a pause. */
  nobodyLeft(now: number): void {
    const { warning } = this.breaker
    if (warning === null || this.window.trouble !== null || this.#warning?.reason === warning.reason) return
    const isNews = this.#warning?.state !== warning.state
    this.#warning = warning
    if (isNews) this.#deps.notices.paused(this.origin, warning, null, now)
  }

  #pause(pause: Pause, now: number): void {
    const waitMs = this.window.pause(pause, now, this.#deps.random())
    if (waitMs === null) return
    this.#warning = null
    this.#deps.notices.paused(this.origin, pause, waitMs, now)
  }

  /** Returns whether the complaint pauses the lane; if not, it is put down to its device. */
  #accuse(complaint: PauseReason, { recipient: { device }, attempt }: Task, outcome: Refused, now: number): boolean {
    const wasAnotherAccepted = this.#accepted.device !== device && now - this.#accepted.at < LATELY_MS
    const isFirst = attempt === 1 && !wasAnotherAccepted
    if (!this.breaker.accuse({ device, complaint, reason: outcome.reason, isFirst })) {
      if (complaint === 'unreachable') this.window.strained()
      return false
    }
    const askedMs = outcome.kind === 'deferred' ? outcome.afterMs : null
    this.#pause({ ...this.breaker.tripReason, askedMs, ofDevices: true }, now)
    return true
  }

  /**
   * Whether a complaint may be about the credential or gateway. Not if others were accepted since the device
   * complained, or a later send was. Anybody can register bad devices: once the credential has worked, or the gateway
   * accepted something in this run, only devices accepted with the credential may accuse.
   */
  #mayAccuse(complaint: PauseReason, { device, nth }: Sending): boolean {
    if (this.breaker.isAlone(device)) return false
    if (nth < this.#recognisedNth) {
      this.breaker.outrun(device)
      return false
    }
    const { credential } = this.#deps
    const isProven = credential.isProven && (complaint === 'misconfigured' || this.#isProven)
    return !isProven || credential.wasAccepted(device)
  }

  #believes({ device, nth }: Sending, reason: string): boolean {
    if (nth < this.#accepted.nth || !this.#deps.credential.wasAccepted(device)) return true
    return this.breaker.refuse(device, reason)
  }

  #note(outcome: Outcome, { device, nth }: Sending, latencyMs: number, now: number): void {
    const { credential } = this.#deps
    // A gateway that knows the app is gone has accepted a notification for the device before.
    const isAccepted = outcome.kind === 'accepted' || (outcome.kind === 'unregistered' && !credential.isGood)
    if (isAccepted) {
      if (!credential.isProven) credential.prove(device)
      this.#isProven = true
      this.#accepted.nth = Math.max(this.#accepted.nth, nth)
      this.#accepted.device = device
      this.#accepted.at = now
    }
    // A gateway that refuses a token has accepted the credential.
    if (isAccepted || outcome.kind === 'unregistered' || isTokenRefused(outcome)) {
      this.#recognisedNth = Math.max(this.#recognisedNth, nth)
      const hasResumed = this.window.succeeded(latencyMs, now)
      if (!this.window.isPaused(now)) {
        const isNews = hasResumed || this.trouble !== null
        this.#warning = null
        this.#deps.notices.succeeded(this.origin, isNews, now)
      }
      if (this.breaker.isQuiet) return
      if (isAccepted) this.breaker.accepted(device)
      else this.breaker.recognised()
      return
    }
    if (outcome.kind === 'deferred' && outcome.strain === true) {
      this.window.strained()
      this.#strainedAt = now
    }
    this.breaker.tried(device)
  }
}
