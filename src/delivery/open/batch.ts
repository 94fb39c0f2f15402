import { MINUTE_MS } from '../../clock.ts'
import { NO_ANSWER } from '../store/open-delivery.ts'
import type { PageRow, RecipientResult } from '../store/open-delivery.ts'
import type { DeviceFinding, FailedVerdict, FinalVerdict } from '../verdict.ts'
import type { Range } from './progress.ts'

/** How long a batch waits for answers after its last send. */
export const STRAGGLER_MS = 2000

/** Longer than any request takes, including its deadline, second environment and renewed credential. */
export const LEASE_MS = MINUTE_MS

/** How long a device that was read is current. */
const FRESH_MS = 1000

interface NewBatch {
  /** Ids that a page of the audience settles, addressed or not. `null`: its recipients alone. */
  readonly range: Range | null
  readonly recipients: readonly PageRow[]
  readonly readAt: number
  /** By index: earlier sends to recipients that are leased on disk. `null`: they are from the audience. */
  readonly attempts: readonly number[] | null
}

export type SendBatch = ReturnType<typeof newBatch>

/**
 * Recipients that are read, sent to and settled together: a page of the audience, a sample, or some that are due.
 *
 * ready → (everyone is answered) → settled. ready → (the last answers are late) → settled without them: their
 * recipients are stored as leased, and each becomes a batch of one when its answer comes.
 */
export function newBatch({ range, recipients, readAt, attempts }: NewBatch) {
  return {
    range,
    recipients: [...recipients],
    readAt,
    attempts,
    /** `changesBeside` of `CurrentRecipients` when its recipients got their badges. */
    badgeChanges: 0,
    results: [] as RecipientResult[],
    findings: [] as DeviceFinding[],
    acceptedWith: new Map<number, number[]>(),
    acceptedIn: new Map<string, number>(),
    /** Accepted devices that are leased on disk. */
    dropped: [] as number[],
    answered: new Uint8Array(recipients.length),
    /** Indexes of recipients to send to again; the gateway's reasons, if any. */
    again: [] as number[],
    reasons: new Map<number, string>(),
    sent: 0,
    pending: 0,
    accepted: 0,
    lastSentAt: readAt,
    isSettled: false,
  }
}

export const hasNext = (batch: SendBatch): boolean => batch.again.length > 0 || batch.sent < batch.recipients.length

export const reached = ({ pending, accepted, results }: SendBatch): number => pending + accepted + results.length

export const attemptsOf = ({ attempts }: SendBatch, index: number): number => attempts?.[index] ?? 0

/** At least one for a recipient put back by an answer. */
export const sendsTo = (batch: SendBatch, index: number): number =>
  Math.max(attemptsOf(batch, index), batch.reasons.has(index) ? 1 : 0)

/** Whether a recipient must be read again: it may have left, or have another token or keys. */
export const isStale = ({ attempts, readAt }: SendBatch, now: number): boolean =>
  attempts !== null || readAt + FRESH_MS <= now

export const retriesIn = ({ results }: { readonly results: readonly RecipientResult[] }): number =>
  results.filter(({ state }) => state === 'retry').length

export function recipientAt(batch: SendBatch, index: number): PageRow {
  const recipient = batch.recipients[index]
  if (recipient === undefined) throw new Error(`a batch of ${batch.recipients.length} has no place ${index}`)
  return recipient
}

export function takeNext(batch: SendBatch, now: number): number {
  const index = batch.sent < batch.recipients.length ? batch.sent++ : batch.again.shift()
  if (index === undefined) throw new Error('the whole batch has been sent to')
  batch.pending++
  batch.lastSentAt = now
  return index
}

export function putBack(batch: SendBatch, index: number, reason: string | null): void {
  batch.pending--
  if (reason !== null) batch.reasons.set(index, reason)
  batch.again.push(index)
}

export function showBadges(batch: SendBatch, badges: ReadonlyMap<number, number>, badgeChanges: number): void {
  batch.recipients = batch.recipients.map((row) => ({ ...row, badge: badges.get(row.device) ?? row.badge }))
  batch.badgeChanges = badgeChanges
}

export interface Place {
  readonly batch: SendBatch
  readonly index: number
  /** Sends so far, this one included. */
  readonly attempt: number
}

export function noteAnswer({ batch, index, attempt }: Place, verdict: FinalVerdict, now: number): void {
  const recipient = recipientAt(batch, index)
  const { device, language } = recipient
  batch.pending--
  batch.answered[index] = 1
  if (verdict.kind !== 'accepted') {
    batch.results.push(resultOf(recipient, verdict, attempt, now))
    return
  }
  batch.accepted++
  if (batch.attempts !== null) batch.dropped.push(device)
  if (language !== null) batch.acceptedIn.set(language, (batch.acceptedIn.get(language) ?? 0) + 1)
  if (verdict.credential === null) return
  const devices = batch.acceptedWith.get(verdict.credential)
  if (devices === undefined) batch.acceptedWith.set(verdict.credential, [device])
  else devices.push(device)
}

/** `isPaused`: nothing is sent now, so recipients put back or leased on disk are not waited for. */
export function isLate(batch: SendBatch, now: number, isPaused: boolean): boolean {
  if (batch.lastSentAt + STRAGGLER_MS > now) return false
  const isSent = batch.sent === batch.recipients.length
  return isPaused ? isSent || batch.attempts !== null : isSent && batch.again.length === 0
}

export function failPutBack(batch: SendBatch, verdictOf: (said: string | null) => FailedVerdict, now: number): void {
  for (const index of batch.again.splice(0)) {
    batch.answered[index] = 1
    const verdict = verdictOf(batch.reasons.get(index) ?? null)
    batch.results.push(resultOf(recipientAt(batch, index), verdict, sendsTo(batch, index), now))
  }
}

/**
 * Closes a batch as far as it was sent. Recipients on their way (`stragglers`) are leased; those put back are due now,
 * unless the delivery is aborted. `settled`: device ids of the audience.
 */
export function settleBatch(batch: SendBatch, now: number, isAborted: boolean) {
  const { recipients, attempts, again, answered, results } = batch
  batch.isSettled = true
  let stragglers = 0
  const isAgain = new Set(again)
  const end = attempts === null ? batch.sent : recipients.length
  for (let index = 0; index < end; index++) {
    if (answered[index] === 1) continue
    const { device, badge, language } = recipientAt(batch, index)
    if (isAgain.has(index) || index >= batch.sent) {
      if (isAborted) continue
      const attempt = sendsTo(batch, index)
      const reason = batch.reasons.get(index) ?? 'stopped'
      results.push({ device, state: 'retry', attempt, dueAt: now, badge, reason, language })
      continue
    }
    stragglers++
    if (attempts !== null) continue
    const dueAt = now + LEASE_MS
    results.push({ device, state: 'leased', attempt: 1, dueAt, badge, reason: NO_ANSWER, language })
  }
  again.length = 0
  return { stragglers, settled: settledBy(batch) }
}

/** A batch of the recipient at `index`, still on its way when its own batch was settled. */
export function stragglerOf(batch: SendBatch, index: number): SendBatch {
  const recipients = [recipientAt(batch, index)]
  const one = newBatch({ range: null, recipients, readAt: batch.readAt, attempts: [attemptsOf(batch, index)] })
  return Object.assign(one, { badgeChanges: batch.badgeChanges, sent: 1, pending: 1 })
}

function settledBy({ range, recipients, attempts, sent }: SendBatch): readonly Range[] {
  if (attempts !== null) return []
  const reachedRows = recipients.slice(0, sent)
  if (range === null) return reachedRows.map(({ device }) => [device, device])
  if (sent === recipients.length) return [range]
  return reachedRows.slice(-1).map(({ device }) => [range[0], device])
}

function resultOf(
  { device, badge, language }: PageRow,
  verdict: Exclude<FinalVerdict, { kind: 'accepted' }>,
  attempt: number,
  now: number,
): RecipientResult {
  const result = { device, attempt, badge, reason: verdict.reason, language }
  if (verdict.kind === 'retry') return { ...result, state: 'retry', dueAt: verdict.dueAt }
  return { ...result, state: verdict.state, dueAt: now }
}
