import { MINUTE_MS } from '../../clock.ts'
import type { PageRow, RecipientResult } from '../store/open-delivery.ts'
import type { FailedVerdict, FinalVerdict } from '../verdict.ts'
import type { Range } from './progress.ts'

/**
 * How long after its last send a batch waits for its last answers. Then it is settled without them: their recipients are
 * written down as leased, and each is a batch of one when its answer comes.
 */
export const STRAGGLER_MS = 2000

/** Longer than any request can take, its deadline, second environment and renewed credential included. */
export const LEASE_MS = MINUTE_MS

/** How long a device passes for what it was when it was read, in ms. */
const FRESH_MS = 1000

/** What an answer says of a device, or rather of the token that was sent to, to be written with the batch. */
export type DeviceFinding = { readonly device: number; readonly token: string } &
  /** `since`: since when the gateway knows, or when it was asked. Who has registered after that is there. */
  (
    | { readonly kind: 'gone' | 'quarantine'; readonly since: number; readonly reason: string }
    /** Refused with a credential, as in `CredentialKey`, that was not known to be good by then. */
    | { readonly kind: 'refused'; readonly since: number; readonly reason: string; readonly credential: number }
    | { readonly kind: 'environment'; readonly environment: 'production' | 'sandbox' }
  )

interface NewBatch {
  /**
   * Of a page of the audience: device ids that it settles, both ends included, also of devices between the recipients
   * that are not addressed. `null`: the recipients alone, who lie anywhere.
   */
  readonly range: Range | null
  readonly recipients: readonly PageRow[]
  /** When they were read. */
  readonly readAt: number
  /**
   * Of recipients that wait for another attempt, whose rows say that they are leased: how often each was sent to, by
   * index. `null`: a page, or a sample, of the audience.
   */
  readonly attempts: readonly number[] | null
}

/**
 * Recipients that are read, sent to and settled together: a page of the audience, a sample of it, or some of those whose
 * next attempt is due. Times are service time.
 *
 * ready → (every recipient sent to and answered) → settled. ready → (the last answers are late) → settled without them:
 * each of them is then a batch of one.
 */
export interface SendBatch extends Omit<NewBatch, 'recipients'> {
  recipients: readonly PageRow[]
  /** How often other pushes, and calls, had changed stored badges when its recipients got theirs. */
  badgeChanges: number
  readonly results: RecipientResult[]
  readonly findings: DeviceFinding[]
  /** Devices for which something was taken, by credential. */
  readonly acceptedWith: Map<number, number[]>
  readonly acceptedIn: Map<string, number>
  /** Devices that were accepted and whose rows say that they are leased. */
  readonly dropped: number[]
  /** By index: 1 where the answer is noted. */
  readonly answered: Uint8Array
  /** Indexes of recipients that were sent to, and are to be sent to again; and what the gateway said, where it did. */
  readonly again: number[]
  readonly reasons: Map<number, string>
  /** The index of the first recipient that was never sent to. */
  sent: number
  /** Sends without an answer. */
  pending: number
  accepted: number
  lastSentAt: number
  isSettled: boolean
}

export function newBatch(made: NewBatch): SendBatch {
  return {
    ...made,
    badgeChanges: 0,
    results: [],
    findings: [],
    acceptedWith: new Map(),
    acceptedIn: new Map(),
    dropped: [],
    answered: new Uint8Array(made.recipients.length),
    again: [],
    reasons: new Map(),
    sent: 0,
    pending: 0,
    accepted: 0,
    lastSentAt: made.readAt,
    isSettled: false,
  }
}

/** Whether somebody on it is to be sent to. */
export const hasNext = (batch: SendBatch): boolean => batch.again.length > 0 || batch.sent < batch.recipients.length

/** Recipients that are on their way, or answered. */
export const reached = ({ pending, accepted, results }: SendBatch): number => pending + accepted + results.length

/**
 * Whether its recipients were held back since they were read: by a pause, or a window that is full. By then a device may
 * have left, and the phone be back as another one; or have another token, or other keys.
 */
export const isHeldBack = ({ readAt }: SendBatch, now: number): boolean => readAt + FRESH_MS <= now

/** Takes the index of a recipient to send to: one that never was sent to, then those that are put back. */
export function takeNext(batch: SendBatch, now: number): number {
  const index = batch.sent < batch.recipients.length ? batch.sent++ : batch.again.shift()
  if (index === undefined) throw new Error('everybody on the batch has been sent to')
  batch.pending++
  batch.lastSentAt = now
  return index
}

/** A recipient was not answered for reasons that are not its own: `reason`, in the gateway's words. */
export function putBack(batch: SendBatch, index: number, reason: string | null): void {
  batch.pending--
  if (reason !== null) batch.reasons.set(index, reason)
  batch.again.push(index)
}

/** Its recipients are to show these badges, by `device.id`. */
export function showBadges(batch: SendBatch, badges: ReadonlyMap<number, number>, badgeChanges: number): void {
  batch.recipients = batch.recipients.map((row) => ({ ...row, badge: badges.get(row.device) ?? row.badge }))
  batch.badgeChanges = badgeChanges
}

/** Of a recipient on a batch. */
export interface Place {
  readonly batch: SendBatch
  readonly index: number
  /** Sends so far, this one included. */
  readonly attempt: number
}

/** An answer that can be noted. `attempt`: sends so far, this one included. */
export interface Answer {
  readonly attempt: number
  readonly verdict: FinalVerdict
  readonly finding: DeviceFinding | null
}

/** Notes the answer of a recipient, and what it says of the device. */
export function noteAnswer(batch: SendBatch, index: number, { attempt, verdict, finding }: Answer, now: number): void {
  const recipient = batch.recipients[index]
  if (recipient === undefined) throw new Error(`a batch of ${batch.recipients.length} has no place ${index}`)
  const { device, language } = recipient
  batch.pending--
  batch.answered[index] = 1
  if (finding !== null) batch.findings.push(finding)
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

/**
 * Whether the batch has waited long enough for its last answers. `isPaused`: nobody is sent to now, so that those who are
 * put back are not waited for either, nor those whose rows say that they are leased.
 */
export function isLate(batch: SendBatch, now: number, isPaused: boolean): boolean {
  if (batch.lastSentAt + STRAGGLER_MS > now) return false
  const isSent = batch.sent === batch.recipients.length
  if (isPaused) return isSent || batch.attempts !== null
  return isSent && batch.again.length === 0
}

/** Those who are put back are over: the delivery is aborted. */
export function failPutBack(batch: SendBatch, verdict: FailedVerdict, now: number): void {
  for (const index of batch.again.splice(0)) {
    const recipient = batch.recipients[index]
    if (recipient === undefined) continue
    batch.answered[index] = 1
    // Whose time is over is told what the gateway said.
    const reason =
      (verdict.state === 'expired' && verdict.reason === 'expired' && batch.reasons.get(index)) || verdict.reason
    batch.results.push(resultOf(recipient, { ...verdict, reason }, attemptsOf(batch, index) + 1, now))
  }
}

/**
 * What is to be written of a batch, as far as it was sent to. Whoever is on the way is leased from now on, whoever is put
 * back is due at once; of an aborted delivery nobody is. `stragglers`: those on the way.
 */
export function settleBatch(batch: SendBatch, now: number, isAborted: boolean) {
  const { recipients, attempts, again, answered, results } = batch
  batch.isSettled = true
  let stragglers = 0
  const isAgain = new Set(again)
  const end = attempts === null ? batch.sent : recipients.length
  for (let index = 0; index < end; index++) {
    const recipient = recipients[index]
    if (recipient === undefined || answered[index] === 1) continue
    const { device, badge, language } = recipient
    const attempt = attemptsOf(batch, index)
    if (isAgain.has(index) || index >= batch.sent) {
      if (isAborted) continue
      const reason = batch.reasons.get(index) ?? 'stopped'
      results.push({ device, state: 'retry', attempt, dueAt: now, badge, reason, language })
      continue
    }
    stragglers++
    // Of those who were leased the rows say so already.
    if (attempts !== null) continue
    const dueAt = now + LEASE_MS
    results.push({ device, state: 'leased', attempt: attempt + 1, dueAt, badge, reason: 'no answer yet', language })
  }
  again.length = 0
  return { stragglers, settled: settledBy(batch) }
}

/** The batch of one recipient whose batch was settled without it; `index` as on that one. `null`: there is none. */
export function stragglerOf(batch: SendBatch, index: number): SendBatch {
  const one = newBatch({
    range: null,
    recipients: batch.recipients.slice(index, index + 1),
    readAt: batch.readAt,
    attempts: [attemptsOf(batch, index)],
  })
  one.badgeChanges = batch.badgeChanges
  one.sent = 1
  one.pending = 1
  return one
}

/** How often a recipient was sent to before. */
export const attemptsOf = ({ attempts }: SendBatch, index: number): number => attempts?.[index] ?? 0

/** Recipients that wait for another attempt, and for nothing else. */
export const retriesIn = ({ results }: { readonly results: readonly RecipientResult[] }): number =>
  results.filter(({ state }) => state === 'retry').length

/** Device ids of the audience that the batch settles: not beyond whom it was cut short before. */
function settledBy({ range, recipients, attempts, sent }: SendBatch): readonly Range[] {
  if (attempts !== null) return []
  const reachedRows = recipients.slice(0, sent)
  if (range === null) return reachedRows.map(({ device }) => [device, device])
  if (sent === recipients.length) return [range]
  return reachedRows.slice(-1).map(({ device }) => [range[0], device])
}

/** The row of a recipient who was not accepted. */
function resultOf(
  { device, badge, language }: PageRow,
  verdict: Exclude<FinalVerdict, { kind: 'accepted' }>,
  attempt: number,
  now: number,
): RecipientResult {
  const { reason } = verdict
  if (verdict.kind === 'retry')
    return { device, state: 'retry', attempt, dueAt: verdict.dueAt, badge, reason, language }
  return { device, state: verdict.state, attempt, dueAt: now, badge, reason, language }
}
