import type { Outcome } from '../gateway/gateway.ts'
import { timeToLiveMs } from '../notification/notification.ts'
import type { Message } from '../notification/notification.ts'
import type { ServiceClock } from '../time/service-clock.ts'
import { DeliveryMessages } from './delivery-messages.ts'
import { AudienceCursor } from './page/audience-cursor.ts'
import type { Recipients } from './page/audience-cursor.ts'
import { AudienceSize } from './page/audience-size.ts'
import { BadgedPages } from './page/badged-pages.ts'
import { OpenPages } from './page/open-pages.ts'
import type { DeviceFinding, Page } from './page/page.ts'
import { PushTrial } from './page/push-trial.ts'
import type { Task } from './page/task.ts'
import { UnwrittenSends } from './page/unwritten-sends.ts'
import { WaitingRecipients } from './queue/waiting-recipients.ts'
import type { Leased } from './queue/waiting-recipients.ts'
import { RecipientResults, resultOf } from './recipient-results.ts'
import type { AbortReason, DeliveryEnd, OpenDelivery, PageSettlement } from './store/open-delivery.ts'
import type { StoredBadges } from './stored-badges.ts'
import type { FinalVerdict } from './verdict.ts'

/** What is to be written of a recipient that is on no open page. */
interface AloneSettlement {
  readonly accepted: 0 | 1
  readonly acceptedIn: ReadonlyMap<string, number>
  readonly results: RecipientResults
  /** Whether the delivery has ended with it. */
  readonly finished: boolean
}

/**
 * One open delivery in memory.
 *
 * sending, and counting its audience beside it → (every page read and settled) → waiting, while recipients wait for
 * another attempt → parked: not in memory. Sending or waiting → (everybody is answered) → finished. From anywhere:
 * aborted, while something is on its way → finished. Sending, and counted as nobody → finished, also while nothing can
 * be sent.
 *
 * The durable half of a delivery is its row in `delivery`; what is here can be lost at any moment and is read again from
 * `progress` on. Times are service time.
 */
export class ActiveDelivery {
  readonly record: OpenDelivery
  readonly #messages: DeliveryMessages
  readonly #audience: AudienceSize
  readonly #cursor: AudienceCursor
  readonly #pages = new OpenPages()
  readonly #waiting: WaitingRecipients
  readonly #unwritten = new UnwrittenSends()
  readonly #trial: PushTrial
  /** `null`: the push leaves badges alone. */
  readonly #badged: BadgedPages | null
  readonly #clock: Pick<ServiceClock, 'wallAt'>
  /** When the first recipient of this run was sent to. */
  #startedAt: number | null = null
  #isFinished = false
  #isParking = false
  #abortReason: AbortReason | null = null
  #refused: string | null = null
  /** Recipients that were read and not sent to when it was aborted; `null`: not everybody was read. */
  #unsent: number | null = null

  constructor(
    record: OpenDelivery,
    recipients: Recipients,
    nextDueAt: number | null,
    badges: StoredBadges,
    clock: Pick<ServiceClock, 'wallAt'>,
  ) {
    this.record = record
    this.#clock = clock
    this.#messages = new DeliveryMessages(record, clock)
    this.#audience = new AudienceSize(record)
    this.#cursor = new AudienceCursor(record, recipients)
    this.#waiting = new WaitingRecipients(record.retries, nextDueAt)
    this.#trial = new PushTrial(record.accepted > 0)
    this.#badged = record.notification.badge === null ? null : new BadgedPages(record, badges)
    this.#endIfNobody()
  }

  /** What is sent to those who get a language of the notification: see `DeliveryMessages`. */
  messageIn(language: string | null): Message {
    return this.#messages.in(language)
  }

  /** When its time to live is over. */
  get expiresAt(): number {
    return this.#messages.expiresAt
  }

  /** Whether its end is written down, or is being. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Why nothing more is sent: with the last answer on its way the delivery ends. `null`: it is not aborted. */
  get abortReason(): AbortReason | null {
    return this.#abortReason
  }

  /** Why the gateway refuses it for everybody; `null` where it does not. */
  get refused(): string | null {
    return this.#refused
  }

  /** How it ends, where it is known by then whether the credential is good. */
  end(isGood: boolean): DeliveryEnd {
    const { abortReason, refused, unsent } = this
    const reasons = this.#trial.tokenReasons
    if (abortReason !== null || isGood || reasons.length === 0) return { abortReason, refused, unsent }
    const { addressed } = this.#audience
    const all = addressed === 1 ? 'the only device was' : `all ${addressed} devices were`
    const wrong = `${all} refused as ${reasons.join(', ')}: wrong environment, topic or project?`
    return { abortReason, refused: wrong, unsent }
  }

  /** Whether it is finished, or aborted. */
  get isOver(): boolean {
    return this.#isFinished || this.#abortReason !== null
  }

  /** Whether it is being written down that it only waits: it is loaded again as another object. */
  get isParking(): boolean {
    return this.#isParking
  }

  /** Whether the audience is counted. */
  get isCounted(): boolean {
    return this.#audience.isCounted
  }

  /** Whether its last read found nobody, and there is more to look at. */
  get isSearching(): boolean {
    return this.#cursor.isSearching
  }

  /** Whether a page will be ready to be sent without an answer coming first. */
  get isLeasing(): boolean {
    return this.#badged?.isLeasing === true
  }

  /** Whether the page just taken from is used up: the moment for another delivery. */
  get isAtPageEnd(): boolean {
    return this.#pages.isAtPageEnd
  }

  /** Recipients that wait for another attempt, the leased ones included. */
  get retries(): number {
    return this.#waiting.count
  }

  /** When the next of them is due; Infinity for none. */
  get nextDueAt(): number {
    return this.#waiting.nextDueAt
  }

  /**
   * Devices that were read and are not sent to any more. `null`: not everybody was read. Who was counted and is neither
   * these nor answered for has been removed since.
   */
  get unsent(): number | null {
    if (this.#abortReason !== null) return this.#unsent
    return this.#cursor.isExhausted ? 0 : null
  }

  /** Devices of the audience on no settled page. */
  get unreached(): number {
    return this.#audience.unreached
  }

  /** Devices of which nothing is decided, and to which nothing is on its way. */
  get left(): number {
    const { count, leased, due } = this.#waiting
    return Math.max(this.unreached + count - (leased - due) - this.#pages.reached, 0)
  }

  /** Notifications that the gateway took, or may take yet, and that are not on disk. */
  get notWrittenDown(): number {
    return this.#unwritten.taken + this.#waiting.leased - this.#waiting.due + this.#pages.taken
  }

  /** Whether everybody who is left waits for another attempt, and none of them is due. */
  onlyWaits(now: number): boolean {
    if (this.isOver || this.#isParking || this.#waiting.isLeasing || !this.isCounted) return false
    return this.#isSent && this.#waiting.count > 0 && this.#waiting.nextDueAt > now
  }

  /**
   * Since when somebody could have been sent to; `null` while whoever is left waits for another attempt.
   */
  dueSince(now: number): number | null {
    if (!this.#isSent) return this.expiresAt - timeToLiveMs(this.record.notification)
    return this.#waiting.nextDueAt <= now ? this.#waiting.nextDueAt : null
  }

  /**
   * Takes the next recipient to send to, a page ahead of what is settled; `null` when there is none now. `samplePlace`,
   * in [0, 1): better one from that place in what is not read yet, `null` for the order of reading.
   */
  take(now: number, samplePlace: number | null): Task | null {
    if (this.#abortReason !== null || !this.#trial.maySend) return null
    const sample = samplePlace === null ? null : this.#sample(samplePlace, now)
    if (sample !== null) return this.#takeFrom(sample, now)
    const waiting = this.#waiting.take()
    if (waiting !== undefined) {
      return {
        delivery: this,
        recipient: waiting,
        page: null,
        index: -1,
        attempt: waiting.attempt + 1,
        readAt: null,
        sentAt: this.#clock.wallAt(now),
      }
    }
    const page = this.#pages.next() ?? this.#read(now, samplePlace !== null)
    return page === null ? null : this.#takeFrom(page, now)
  }

  /** The badge that a recipient is to show now; `null` leaves it alone. */
  badgeOf({ page, recipient }: Task): number | null {
    // Who is on no page was read a moment ago.
    return this.#badged === null || page === null ? recipient.badge : this.#badged.badgeOf(recipient, page)
  }

  /** One that was taken is on its way, and is not put back without an answer. */
  sent(): void {
    this.#trial.sent()
  }

  /** Notes an answer; gives the reason, once, if the gateway is found to refuse the push itself for everybody. */
  recordOutcome(outcome: Outcome): string | null {
    return this.#trial.record(outcome)
  }

  /** Puts a recipient back that was not answered for reasons that are not its own. */
  requeue({ page, recipient, index, attempt }: Task): void {
    // Of a page that was settled without it the row is leased, for as long as a request could be on its way: none is.
    if (page === null || page.isDetached) this.#waiting.putBack({ ...recipient, attempt: attempt - 1 })
    else this.#pages.requeue(page, index)
  }

  /** Notes an answer on its page; `true` when the page has all of them and can be settled. */
  answer(task: Task, verdict: FinalVerdict, finding: DeviceFinding | null, now: number): boolean {
    const { page } = task
    if (page === null) return false
    page.answer(task, verdict, finding, now)
    return page.isAnswered && (this.#abortReason !== null || page.unsent === 0)
  }

  /** Pages that have waited long enough for their last answers: see `Page.isLate`. */
  latePages(now: number, isPaused: boolean): Page[] {
    return this.#pages.late(now, isPaused)
  }

  /** Pages of which anybody was sent to. */
  sentPages(): Page[] {
    return this.#pages.all().filter(({ sent }) => sent > 0)
  }

  /**
   * Closes a page and says what to write. One with answers still to come is settled without them; one cut short by a stop
   * as far as it was sent; requeued recipients come back as due at once.
   */
  settle(page: Page, now: number): PageSettlement {
    if (page.pending > 0) this.#waiting.addStragglers(page.detach(now))
    this.#pages.settle(page, now)
    this.#cursor.settle(page)
    // The rest of it is still to be sent, by the next run: the delivery must not pass for done.
    if (page.unsent > 0 && this.#abortReason === null) this.#cursor.reopen()
    const { sent: size, accepted, acceptedIn, results } = page
    const missed = this.#audience.settle(size)
    this.#waiting.add(results)
    this.#unwritten.addPage(accepted)
    const { upTo: progress, ahead } = this.#cursor.progress
    return {
      progress,
      ahead,
      size,
      missed,
      accepted,
      acceptedIn,
      results: results.rows,
      startedAt: this.#startedAt,
      finished: this.finish(),
    }
  }

  /** A settled page is on disk. */
  wrotePage({ accepted, results }: Page): void {
    this.#unwritten.wrotePage(accepted)
    this.#waiting.added(results)
  }

  /** Settles a recipient that is on no open page: it had waited, or its page was settled without it. */
  settleAlone(task: Task, verdict: FinalVerdict, now: number): AloneSettlement {
    const { device, language } = task.recipient
    const results = new RecipientResults()
    if (verdict.kind !== 'accepted') results.add(resultOf(task, verdict, now))
    const accepted = verdict.kind === 'accepted' ? 1 : 0
    this.#waiting.answered(device)
    this.#waiting.add(results)
    this.#unwritten.addDevice(device, accepted)
    const acceptedIn = new Map(accepted === 0 || language === null ? [] : [[language, 1]])
    return { accepted, acceptedIn, results, finished: this.finish() }
  }

  /** A recipient that was settled alone is on disk. */
  wroteAlone(device: number, { accepted, results }: AloneSettlement): void {
    this.#unwritten.wroteDevice(device, accepted)
    this.#waiting.added(results)
  }

  /** Begins to lease recipients whose next attempt is due: how many at the most; 0 where it is not the time for that. */
  startLease(limit: number): number {
    const { isLeasing, due, leased } = this.#waiting
    if (isLeasing || this.#isParking || due > 0) return 0
    const room = Math.min(this.#unwritten.roomForDue(this.#pages.size, leased), limit)
    if (room > 0) this.#waiting.startLease()
    return room
  }

  /** Takes what was leased; gives those whose device is not there any more. */
  lease<Dead extends { readonly device: number }>(leased: Leased<Dead>): Dead[] {
    if (!this.isOver) return this.#waiting.lease(leased, (device) => this.#unwritten.has(device))
    // They end with the delivery.
    this.#waiting.endLease()
    return []
  }

  /** Rows of recipients that wait were made due at `at`, where that was not to be before. */
  dueAgain(at: number): void {
    this.#waiting.makeDue(at)
  }

  /** Nobody on an open page waits longer than to `now` for another attempt. */
  makeDue(now: number): void {
    this.#pages.makeDue(now)
  }

  /** Leaves memory, since it only waits. */
  park(): void {
    this.#isParking = true
  }

  /**
   * Sends nothing more; `refused`: the gateway's reason. Recipients that a pause held back are over; those that wait for
   * another attempt are ended by the store with the delivery. Gives pages on which nothing is on its way: they can be
   * settled now.
   */
  abort(why: AbortReason, now: number, refused: string | null = null): Page[] {
    this.#abortReason = why
    this.#refused = refused
    this.#unsent = this.#cursor.isExhausted ? this.#pages.unsent : null
    this.#cursor.exhaust()
    this.#pages.stop()
    this.#badged?.stop()
    this.#waiting.abort()
    this.#pages.failRequeued(refused === null ? 'expired' : 'rejected', refused ?? why, now)
    return this.#pages.all().filter(({ pending }) => pending === 0)
  }

  /** Ends the delivery when everything that will ever be sent has been, and is answered; whether it ends with this. */
  finish(): boolean {
    // Of a refused one everybody has failed: it must be known how many that is.
    if (this.#isFinished || (this.#refused !== null && !this.isCounted)) return false
    this.#isFinished = this.#cursor.isExhausted && this.#pages.size === 0 && this.#waiting.count === 0
    return this.#isFinished
  }

  /** Takes the count of the audience; says by how much it is more than was known. */
  setAudienceSize(count: number): number {
    const more = this.#audience.setCount(count)
    this.#endIfNobody()
    return more
  }

  /**
   * Reads behind the last page, where the count says that nobody is: then nothing is left to send, and the end needs no
   * gateway.
   */
  readForEnd(now: number): void {
    const left = this.unreached + this.#waiting.count + this.#pages.size
    if (this.isCounted && left === 0 && !this.isOver) this.#read(now)
  }

  /** Whoever would come into an empty audience from now on was not in it when the push was accepted. */
  #endIfNobody(): void {
    if (this.#audience.isEmpty && this.#pages.size === 0) this.#cursor.exhaust()
  }

  /** Whether everybody has been sent to, and nobody is on the way. */
  get #isSent(): boolean {
    return this.#cursor.isExhausted && this.#pages.size === 0 && this.#waiting.leased === 0
  }

  get #hasRoomForPage(): boolean {
    return this.#unwritten.hasRoomForPage(this.#pages.size, this.#waiting.leased)
  }

  #takeFrom(page: Page, now: number): Task {
    const readAt = page.hasRequeued ? null : page.readAt
    const index = this.#pages.take(page, now)
    this.#startedAt ??= now
    const recipient = page.recipients[index]
    if (recipient === undefined) throw new Error(`a page of ${page.recipients.length} has no place ${index}`)
    return { delivery: this, recipient, page, index, attempt: 1, readAt, sentAt: this.#clock.wallAt(now) }
  }

  #sample(place: number, now: number): Page | null {
    const read = () => this.#add(this.#hasRoomForPage ? this.#cursor.sample(place, now) : null)
    return this.#badged === null ? read() : this.#badged.takeSample(read)
  }

  #read(now: number, isSampled = false): Page | null {
    const read = () => this.#add(this.#cursor.read(this.#hasRoomForPage, now))
    const page = this.#badged === null ? read() : this.#badged.take(read, isSampled)
    return page === null ? null : this.#pages.begin(page)
  }

  #add(page: Page | null): Page | null {
    return page === null ? null : this.#pages.add(page)
  }
}
