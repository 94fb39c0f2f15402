import type { Outcome, Provider, Recipient } from '../gateway/gateway.ts'
import { DEADLINE } from '../gateway/transport/transport.ts'
import type { Log } from '../log.ts'
import { backoffMs } from '../network/backoff.ts'
import type { ActiveDelivery } from './active-delivery.ts'
import type { Complained, CredentialComplaint } from './credential/credential-breaker.ts'
import type { CredentialHealth, Sent } from './credential/credential-health.ts'
import type { DeviceFinding } from './page/page.ts'
import { ENOUGH_REFUSALS } from './page/push-trial.ts'
import type { Task } from './page/task.ts'
import type { Backlog } from './queue/backlog.ts'
import { MISCONFIGURED_RETRY } from './retry.ts'
import type { SettlementWriter } from './settlement-writer.ts'
import type { RecipientStore } from './store/recipient-store.ts'
import { complaintOf, judge, REMOVED } from './verdict.ts'
import type { FinalVerdict, DeliveryVerdict } from './verdict.ts'

/** An answer with its verdict. */
interface Judged {
  readonly task: Task
  readonly verdict: FinalVerdict
  readonly finding: DeviceFinding | null
}

/** The health of a credential, which keeps what is judged while it is pending. */
export type Health = CredentialHealth<Judged>

/** The circumstances of an answer. */
interface Situation {
  readonly sent: Sent
  readonly provider: Provider['name']
  /** Of the credential that it was sent with; `null` where that has been replaced. */
  readonly health: Health | null
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
 * What follows from an answer for its recipient: it is written down, or the recipient is requeued, or the answer is
 * pending until it is known whether the credential is at fault. Times are service time.
 */
export class OutcomeHandler {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  handle(task: Task, outcome: Outcome, { sent, provider, health, now }: Situation): DeliveryVerdict {
    const { delivery, recipient, attempt } = task
    const { device } = recipient
    const complaint = complaintOf(outcome)
    const doubted = complaint !== null && health?.isAlone(device, sent.nth) === false
    const { expiresAt } = delivery
    const judged = judge(outcome, { provider, attempt, now, expiresAt, random: this.#deps.random(), doubted })
    const verdict = this.#followMove(recipient, judged, now)
    const refused = delivery.recordOutcome(outcome)
    if (verdict.kind === 'pause') {
      health?.pause({ ...verdict, told: this.#deps.reportTrouble() }, device, now)
      this.requeue(task, now)
    } else {
      const answered = { task, verdict, finding: findingOf(task, outcome, verdict) }
      if (complaint === null) {
        if (health !== null) this.#recordHealth(health, outcome, device, sent, now)
        this.#close(answered, now)
      } else if (health === null) this.requeue(task, now)
      else if (health.isPaused(now)) this.#outlastPause(answered, outcome, now)
      else this.#recordComplaint(health, complaint, answered, outcome, sent, now)
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

  /** Requeues what is pending, to be sent again. */
  releasePending(health: Health, now: number): void {
    for (const { subject: of } of health.release()) {
      this.requeue(of.task, now)
      this.#deps.backlog.enqueue(of.task.delivery)
    }
  }

  /** Nobody is left to be sent to for now: pending answers must not wait for others. */
  nobodyLeft(health: Health, now: number): void {
    const { pending, bad } = health.nobodyLeft(now)
    if (bad) return this.#closeAll(pending, now)
    for (const one of pending) {
      const { attempt } = one.subject.task
      this.#again(one, now + backoffMs(MISCONFIGURED_RETRY, attempt, this.#deps.random()), attempt, now)
    }
  }

  /** A device that has lost no more than the token of before is sent to by its new one. */
  #followMove({ device, token }: Recipient, verdict: DeliveryVerdict, now: number): DeliveryVerdict {
    const isLost = verdict.kind === 'failed' && verdict.device !== 'keep'
    if (!isLost || !this.#deps.store.hasMoved(device, token)) return verdict
    return { kind: 'retry', dueAt: now, reason: verdict.reason }
  }

  /** What an answer without a complaint says of the credential. */
  #recordHealth(health: Health, outcome: Outcome, device: number, sent: Sent, now: number): void {
    if (outcome.kind === 'accepted') this.#closeAll(health.taken(device, sent, now), now)
    else if (outcome.kind === 'unregistered') this.#closeAll(health.gone(device, sent, now), now)
    else health.failed(device, outcome.kind === 'deferred' && outcome.strain === true)
  }

  /** A complaint that comes during a pause says nothing new, unless it asks for a longer one. It is no attempt. */
  #outlastPause(answered: Judged, outcome: Outcome, now: number): void {
    const { task, verdict } = answered
    const asks = outcome.kind === 'deferred' && outcome.afterMs !== null
    if (!asks || verdict.kind !== 'retry') return this.requeue(task, now)
    const again = { task: { ...task, attempt: Math.max(task.attempt - 1, 1) }, verdict, finding: null }
    this.#close(again, now)
    this.#deps.backlog.enqueue(task.delivery)
  }

  /** Passes a complaint to the breaker: it is the device's, or the credential's, or pending until that is known. */
  #recordComplaint(
    health: Health,
    complaint: CredentialComplaint,
    answered: Judged,
    outcome: Outcome,
    sent: Sent,
    now: number,
  ): void {
    const { task, verdict } = answered
    const reason = verdict.kind === 'accepted' ? '' : verdict.reason
    const askedMs = outcome.kind === 'deferred' ? outcome.afterMs : null
    const isFirst = task.attempt === 1 && !health.hasJustTakenAnother(task.recipient.device, now)
    const complained = { device: task.recipient.device, complaint, reason, isFirst, subject: answered }
    const blame = health.complained(complained, sent, askedMs, now)
    if (blame === 'device') this.#close(answered, now)
    else if (blame === 'trip') {
      const others = health.release().filter((one) => one !== complained)
      for (const [nth, one] of [...others, complained].entries()) {
        // It is no attempt.
        this.#again(one, health.dueAfterPause(nth), Math.max(one.subject.task.attempt - 1, 1), now)
      }
    } else this.#closeAll(health.overflow(), now)
  }

  /** The gateway refuses the push itself, for everybody: it is sent to nobody else. */
  #refuse(delivery: ActiveDelivery, reason: string): void {
    const { application, platform, pushId: push } = delivery.record
    this.#deps.log.warn('push refused', { application, platform, push, reason, devices: ENOUGH_REFUSALS })
    this.#deps.writer.refuse(delivery, reason)
  }

  /** Sends again where an answer is not believed; `attempt`: sends that count. */
  #again({ reason, subject: { task } }: Complained<Judged>, dueAt: number, attempt: number, now: number): void {
    this.#close({ task: { ...task, attempt }, verdict: { kind: 'retry', dueAt, reason }, finding: null }, now)
    this.#deps.backlog.enqueue(task.delivery)
  }

  #closeAll(complained: readonly Complained<Judged>[], now: number): void {
    for (const { subject: of } of complained) this.#close(of, now)
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

/** What an answer says of the device itself; `null` if nothing new. */
function findingOf(
  { recipient: { device, token, environment }, sentAt }: Task,
  outcome: Outcome,
  verdict: FinalVerdict,
): DeviceFinding | null {
  if (verdict.kind === 'failed') {
    const { reason, since } = verdict
    return verdict.device === 'keep' ? null : { kind: verdict.device, device, token, since: since ?? sentAt, reason }
  }
  if (outcome.kind !== 'accepted' || outcome.environment === undefined || outcome.environment === environment) {
    return null
  }
  return { kind: 'environment', device, token, environment: outcome.environment }
}
