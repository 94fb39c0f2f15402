import { MINUTE_MS } from '../../clock.ts'
import { RecipientResults, resultOf } from '../recipient-results.ts'
import type { PageRow, RecipientResult } from '../store/open-delivery.ts'
import type { FinalVerdict } from '../verdict.ts'
import type { Range } from './progress.ts'
import type { Task } from './task.ts'

/**
 * How long after its last send a page waits for its last answers. Then it is settled without them: they are written
 * down as due again in `LEASE_MS`, unless they arrive before.
 */
export const STRAGGLER_MS = 2000

/** Longer than any request can take, its deadline, second environment and renewed credential included. */
export const LEASE_MS = MINUTE_MS

/** What an answer says of a device, or rather of the token that was sent to, to be written with the page. */
export type DeviceFinding = { readonly device: number; readonly token: string } &
  /** `since`: since when the gateway knows, or when it was asked. Who has registered after that is there. */
  (
    | { readonly kind: 'gone' | 'quarantine'; readonly since: number; readonly reason: string }
    /** Refused with a credential, as in `CredentialKey`, that was not known to be good by then. */
    | { readonly kind: 'refused'; readonly since: number; readonly reason: string; readonly credential: number }
    | { readonly kind: 'environment'; readonly environment: 'production' | 'sandbox' }
  )

/** What a page needs to be made. */
interface NewPage {
  /**
   * Device ids that the page settles, both ends included: also of devices between the recipients that are not addressed.
   * `null`: the recipients alone, who lie anywhere, and others between them are on other pages.
   */
  readonly range: Range | null
  readonly recipients: readonly PageRow[]
  /** When they were read, ms since the Unix epoch. */
  readonly readAt: number
}

/**
 * Recipients that are read, sent to and settled together. Times are service time.
 *
 * sending → (every recipient sent to and answered) → complete, to be settled. sending → (the last answers are late) →
 * detached: settled without them.
 */
export class Page {
  readonly #range: Range | null
  #recipients: readonly PageRow[]
  #badgeChanges = 0
  /** When the recipients were read. */
  readonly readAt: number
  readonly results = new RecipientResults()
  readonly #findings: DeviceFinding[] = []
  /** Devices for which something was taken, by credential. */
  readonly #acceptedWith = new Map<number, number[]>()
  /** By index: 1 where the answer is noted. */
  readonly #answered: Uint8Array
  /** Indexes of recipients that were sent to, and are to be sent to again. */
  readonly #requeued: number[] = []
  /** Recipients that were sent to: the index of the first that never was. */
  #sent = 0
  /** Sends without an answer. */
  #pending = 0
  #accepted = 0
  readonly #acceptedIn = new Map<string, number>()
  #lastSentAt = 0
  #isDetached = false

  constructor({ range, recipients, readAt }: NewPage) {
    this.#range = range
    this.#recipients = recipients
    this.readAt = readAt
    this.#answered = new Uint8Array(recipients.length)
  }

  get recipients(): readonly PageRow[] {
    return this.#recipients
  }

  /** How often other pushes, and calls, had changed stored badges when its recipients got theirs. */
  get badgeChanges(): number {
    return this.#badgeChanges
  }

  get findings(): readonly DeviceFinding[] {
    return this.#findings
  }

  /** Devices for which something was taken, by credential. */
  get acceptedWith(): ReadonlyMap<number, readonly number[]> {
    return this.#acceptedWith
  }

  get accepted(): number {
    return this.#accepted
  }

  /** The same by language, as in `PageRow`; empty where the notification has one text. */
  get acceptedIn(): ReadonlyMap<string, number> {
    return this.#acceptedIn
  }

  /** Sends without an answer. */
  get pending(): number {
    return this.#pending
  }

  /** Recipients that were sent to. */
  get sent(): number {
    return this.#sent
  }

  /** Recipients that were never sent to. */
  get unsent(): number {
    return this.recipients.length - this.#sent
  }

  get hasRequeued(): boolean {
    return this.#requeued.length > 0
  }

  /** Recipients that are on their way, or answered. */
  get reached(): number {
    return this.#pending + this.#accepted + this.results.rows.length
  }

  /** The page was settled before all answers were in. */
  get isDetached(): boolean {
    return this.#isDetached
  }

  /** Whether everybody who was sent to is answered. */
  get isAnswered(): boolean {
    return this.#pending === 0 && this.#requeued.length === 0
  }

  /** Device ids that the page settles: not beyond whom it was cut short before. */
  get settled(): readonly Range[] {
    const sent = this.recipients.slice(0, this.#sent)
    if (this.#range === null) return sent.map(({ device }) => [device, device])
    if (this.unsent === 0) return [this.#range]
    return sent.slice(-1).map(({ device }) => [this.#range?.[0] ?? device, device])
  }

  /** Its recipients are to show these badges, by `device.id`. */
  show(badges: ReadonlyMap<number, number>, badgeChanges: number): void {
    this.#recipients = this.#recipients.map((row) => ({ ...row, badge: badges.get(row.device) ?? row.badge }))
    this.#badgeChanges = badgeChanges
  }

  /** Takes the index of a recipient to send to: one that is requeued, else the first that was never sent to. */
  take(now: number): number {
    const index = this.#requeued.shift() ?? this.#sent++
    this.#pending++
    this.#lastSentAt = now
    return index
  }

  /** The recipient at `index` was not answered for reasons that are not its own. */
  requeue(index: number): void {
    this.#pending--
    this.#requeued.push(index)
  }

  /** Notes the answer of a recipient, and what it says of the device. */
  answer(task: Task, verdict: FinalVerdict, finding: DeviceFinding | null, now: number): void {
    this.#pending--
    this.#answered[task.index] = 1
    if (finding !== null) this.#findings.push(finding)
    if (verdict.kind !== 'accepted') this.results.add(resultOf(task, verdict, now))
    else {
      const { device, language } = task.recipient
      this.#accepted++
      if (verdict.credential !== null) this.#noteAcceptance(verdict.credential, device)
      if (language !== null) this.#acceptedIn.set(language, (this.#acceptedIn.get(language) ?? 0) + 1)
    }
  }

  /**
   * Whether the page has waited long enough for its last answers. `isPaused`: nobody is sent to now, so that requeued
   * recipients are not waited for either.
   */
  isLate(now: number, isPaused: boolean): boolean {
    const isWaiting = isPaused ? !this.isAnswered : this.#pending > 0 && this.#requeued.length === 0
    return isWaiting && this.unsent === 0 && this.#lastSentAt + STRAGGLER_MS <= now
  }

  /** Detaches the page from its stragglers: they are to be written down as due again later. Gives their devices. */
  detach(now: number): number[] {
    this.#isDetached = true
    const stragglers: number[] = []
    for (const [index, { device, badge, language }] of this.recipients.slice(0, this.#sent).entries()) {
      if (this.#answered[index] === 1 || this.#requeued.includes(index)) continue
      stragglers.push(device)
      const dueAt = now + LEASE_MS
      this.results.add({ device, state: 'leased', attempt: 1, dueAt, badge, reason: 'no answer yet', language })
    }
    return stragglers
  }

  /** Requeued recipients are not sent to again: the delivery is aborted. */
  failRequeued(state: 'expired' | 'rejected', reason: string, now: number): void {
    for (const { index, device, badge, language } of this.#takeRequeued()) {
      this.#answered[index] = 1
      this.results.add({ device, state, attempt: 1, dueAt: now, badge, reason, language })
    }
  }

  /** Requeued recipients come back from the database, due at once: a pause holds up the page, or the sender stops. */
  returnRequeued(now: number): void {
    for (const { device, badge, language } of this.#takeRequeued()) {
      this.results.add({ device, state: 'retry', attempt: 0, dueAt: now, badge, reason: 'stopped', language })
    }
  }

  #noteAcceptance(credential: number, device: number): void {
    const devices = this.#acceptedWith.get(credential)
    if (devices === undefined) this.#acceptedWith.set(credential, [device])
    else devices.push(device)
  }

  #takeRequeued(): (Pick<RecipientResult, 'device' | 'badge' | 'language'> & { readonly index: number })[] {
    return this.#requeued.splice(0).flatMap((index) => {
      const recipient = this.recipients[index]
      return recipient === undefined ? [] : [{ index, ...recipient }]
    })
  }
}
