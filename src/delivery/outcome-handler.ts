import type { Outcome, Provider, Recipient } from '../gateway/gateway.ts'
import { DEADLINE } from '../gateway/transport/transport.ts'
import type { Log } from '../log.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import { backoffMs } from '../network/backoff.ts'
import type { CredentialComplaint } from './credential/credential-breaker.ts'
import type { CredentialHealth, Sent } from './credential/credential-health.ts'
import type { DeviceFinding } from './page/page.ts'
import { ENOUGH_REFUSALS } from './page/push-trial.ts'
import type { Task } from './page/task.ts'
import type { Backlog } from './queue/backlog.ts'
import { TOKENS_RETRY } from './retry.ts'
import type { SettlementWriter } from './settlement-writer.ts'
import type { RecipientStore } from './store/recipient-store.ts'
import { complaintOf, isTokenRefused, judge, REMOVED } from './verdict.ts'
import type { FailedVerdict, FinalVerdict, DeliveryVerdict } from './verdict.ts'

/** An answer with its verdict. */
interface Judged {
  readonly task: Task
  readonly verdict: FinalVerdict
  readonly finding: DeviceFinding | null
}

/** What something is sent with. */
export interface CredentialInUse {
  /** As in `CredentialKey`. */
  readonly number: number
  readonly health: CredentialHealth
}

/** The circumstances of an answer. */
interface Situation {
  readonly sent: Sent
  readonly retry: Provider['retry']
  /** What it was sent with; `null` where that has been replaced. */
  readonly credential: CredentialInUse | null
  readonly now: number
}

interface Dependencies {
  readonly log: Pick<Log, 'warn'>
  /** In [0, 1). */
  readonly random: () => number
  readonly store: Pick<RecipientStore, 'hasMoved'>
  readonly backlog: Pick<Backlog, 'enqueue'>
  readonly writer: Pick<SettlementWriter, 'settlePage' | 'settleAlone' | 'refuse'>
  /** Tells of trouble on the way to the gateway; whether there is any. */
  readonly reportTrouble: () => boolean
}

/**
 * What follows from an answer for its recipient: it is written down, or the recipient is requeued. Times are service time.
 */
export class OutcomeHandler {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  handle(task: Task, outcome: Outcome, { sent, retry, credential, now }: Situation): DeliveryVerdict {
    const { delivery, recipient, attempt } = task
    const { device } = recipient
    const health = credential?.health ?? null
    const complaint = complaintOf(outcome)
    const accuses = health !== null && complaint !== null && health.mayAccuse(device, sent.nth)
    const judged = judge(outcome, {
      retry,
      attempt,
      now,
      expiresAt: delivery.expiresAt,
      random: this.#deps.random(),
      doubted: accuses,
      credential: credential?.number ?? null,
    })
    const isDoubted = judged.kind === 'failed' && isTokenRefused(outcome)
    const isBelieved = !isDoubted || health === null || health.believes(device, judged.reason, sent.nth)
    const believed = isBelieved ? judged : this.#askAgain(judged, task, now)
    const verdict = this.#followMove(recipient, believed, now)
    const refused = delivery.recordOutcome(outcome)
    if (verdict.kind === 'pause') {
      health?.pause({ ...verdict, told: this.#deps.reportTrouble() }, device, now)
      this.requeue(task, now)
    } else if (credential === null && (complaint !== null || isTokenRefused(outcome))) {
      // The credential that it was sent with is not the one it is sent with now.
      this.requeue(task, now)
    } else {
      const answered = { task, verdict, finding: findingOf(task, outcome, verdict, credential) }
      if (complaint === null || health === null || !accuses) {
        if (health !== null) recordHealth(health, outcome, device, sent, now)
        this.#close(answered, now)
      } else if (health.isPaused(now)) this.#outlastPause(answered, outcome, now)
      else this.#recordComplaint(health, complaint, answered, outcome, now)
    }
    if (refused !== null) this.#refuse(delivery, refused)
    return verdict
  }

  /** Postpones a send to `dueAt`, since the device answers nothing, or its gateway takes nothing. It is no attempt. */
  postpone(task: Task, dueAt: number, now: number, reason: string = DEADLINE): void {
    const attempt = Math.max(task.attempt - 1, 1)
    this.#close({ task: { ...task, attempt }, verdict: { kind: 'retry', dueAt, reason }, finding: null }, now)
    this.#deps.backlog.enqueue(task.delivery)
  }

  /** Requeues a recipient that was not sent to, or for whom its answer says nothing. */
  requeue(task: Task, now: number): void {
    if (task.delivery.abortReason !== null)
      this.#close({ task, verdict: abortedVerdict(task.delivery), finding: null }, now)
    else task.delivery.requeue(task)
  }

  /** Ends a send whose device has left while it was held back. */
  removed(task: Task, now: number): void {
    this.#close({ task, verdict: REMOVED, finding: null }, now)
  }

  /** The token of a device that was sent to before is refused: it is asked again before that is believed. */
  #askAgain(verdict: FailedVerdict, { attempt, delivery }: Task, now: number): DeliveryVerdict {
    const dueAt = now + backoffMs(TOKENS_RETRY, attempt, this.#deps.random())
    if (dueAt < delivery.expiresAt) return { kind: 'retry', dueAt, reason: verdict.reason }
    return { ...verdict, device: 'keep' }
  }

  /** A device that has lost no more than the token of before is sent to by its new one. */
  #followMove({ device, token }: Recipient, verdict: DeliveryVerdict, now: number): DeliveryVerdict {
    const isLost = verdict.kind === 'failed' && verdict.device !== 'keep'
    if (!isLost || !this.#deps.store.hasMoved(device, token)) return verdict
    return { kind: 'retry', dueAt: now, reason: verdict.reason }
  }

  /** A complaint that comes during a pause says nothing new, unless it asks for a longer one. It is no attempt. */
  #outlastPause(answered: Judged, outcome: Outcome, now: number): void {
    const { task, verdict } = answered
    const asks = outcome.kind === 'deferred' && outcome.afterMs !== null
    if (!asks) return this.requeue(task, now)
    const attempt = verdict.kind === 'retry' ? Math.max(task.attempt - 1, 1) : task.attempt
    this.#close({ task: { ...task, attempt }, verdict, finding: null }, now)
    this.#deps.backlog.enqueue(task.delivery)
  }

  /** Passes a complaint to the breaker: it is the device's, or it pauses the credential. */
  #recordComplaint(
    health: CredentialHealth,
    complaint: CredentialComplaint,
    answered: Judged,
    outcome: Outcome,
    now: number,
  ): void {
    const { task, verdict } = answered
    const { device } = task.recipient
    const reason = verdict.kind === 'accepted' ? '' : verdict.reason
    const askedMs = outcome.kind === 'deferred' ? outcome.afterMs : null
    const isFirst = task.attempt === 1 && !health.hasJustTakenAnother(device, now)
    const isPaused = health.complained({ device, complaint, reason, isFirst }, askedMs, now)
    if (!isPaused) return this.#close(answered, now)
    // It is no attempt.
    const attempt = Math.max(task.attempt - 1, 1)
    const again: FinalVerdict = { kind: 'retry', dueAt: health.dueAfterPause(), reason }
    this.#close({ task: { ...task, attempt }, verdict: again, finding: null }, now)
    this.#deps.backlog.enqueue(task.delivery)
  }

  /** The gateway refuses the push itself, for everybody: it is sent to nobody else. */
  #refuse(delivery: ActiveDelivery, reason: string): void {
    const { application, platform, pushId: push } = delivery.record
    this.#deps.log.warn('push refused', { application, platform, push, reason, devices: ENOUGH_REFUSALS })
    this.#deps.writer.refuse(delivery, reason)
  }

  /** Writes an answer down, on its page or alone. */
  #close({ task, verdict: answer, finding }: Judged, now: number): void {
    const { delivery, page } = task
    const { backlog, writer } = this.#deps
    const verdict = answer.kind === 'retry' && delivery.abortReason !== null ? abortedVerdict(delivery) : answer
    if (page === null || page.isDetached) {
      writer.settleAlone(task, verdict, finding, now)
      return
    }
    if (delivery.answer(task, verdict, finding, now)) writer.settlePage(delivery, page)
    backlog.enqueue(delivery)
  }
}

/** The verdict on a recipient of an aborted delivery that would have been sent to again. */
function abortedVerdict({ abortReason: how, refused }: ActiveDelivery): FinalVerdict {
  const over = { kind: 'failed', device: 'keep', since: null } as const
  if (refused === null) return { ...over, state: 'expired', reason: how ?? 'expired' }
  return { ...over, state: 'rejected', reason: refused }
}

/** What an answer that accuses nobody says of the credential. */
function recordHealth(health: CredentialHealth, outcome: Outcome, device: number, sent: Sent, now: number): void {
  if (outcome.kind === 'accepted') health.taken(device, sent, now)
  else if (outcome.kind === 'unregistered') health.gone(device, sent, now)
  else if (isTokenRefused(outcome)) health.refused(sent, now)
  else
    health.failed(
      device,
      complaintOf(outcome) === 'gateway' || (outcome.kind === 'deferred' && outcome.strain === true),
    )
}

/** What an answer says of the device itself; `null` if nothing new. */
function findingOf(
  { recipient: { device, token, environment }, sentAt }: Task,
  outcome: Outcome,
  verdict: FinalVerdict,
  credential: CredentialInUse | null,
): DeviceFinding | null {
  if (verdict.kind === 'failed') {
    const { device: fate, reason } = verdict
    if (fate === 'keep') return null
    const finding = { device, token, since: verdict.since ?? sentAt, reason }
    // Nobody's devices are given up because a key was wrong.
    if (credential === null || credential.health.isGood || !isTokenRefused(outcome)) return { ...finding, kind: fate }
    return { ...finding, kind: 'refused', credential: credential.number }
  }
  if (outcome.kind !== 'accepted' || outcome.environment === undefined || outcome.environment === environment) {
    return null
  }
  return { kind: 'environment', device, token, environment: outcome.environment }
}
