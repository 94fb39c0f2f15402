import { MINUTE_MS } from '../clock.ts'
import type { Outcome } from '../gateway/gateway.ts'
import type { Message } from '../notification/notification.ts'
import { recipientResultOf, makeWaitingDue, newPage, shiftWaiting, waits } from './page.ts'
import type { Page } from './page.ts'
import type { PendingBadges, SentBadge } from './pending-badges.ts'
import { nextGap, settleRange } from './progress.ts'
import type { Progress } from './progress.ts'
import { PushTrial } from './push-trial.ts'
import type { ClockJump } from './steady-clock.ts'
import type {
  DueRecipient,
  RecipientResult,
  OpenDelivery,
  PageRow,
  PageSettlement,
  RecipientPage,
} from './store/open-delivery.ts'
import type { FinalVerdict } from './verdict.ts'

/** Devices read at a time; also what one commit settles and, per page in flight, what a crash may repeat. */
const PAGE_SIZE = 500

/** The first page is read and sent sooner. */
const FIRST_PAGE_SIZE = 64

/** Reads in a row that may find nobody, before the event loop gets a turn: filters may leave few of many. */
const MAX_EMPTY_READS = 2

/**
 * Recipients that may have been sent to without that being on disk, which is what a crash sends to again: 16 pages.
 * Beyond it the delivery waits for its slowest page, or for the disk.
 */
const MAX_UNWRITTEN = 16 * PAGE_SIZE

/** Of them, kept for recipients whose next attempt is due: a broadcast must not hold them up. */
const KEPT_FOR_DUE = PAGE_SIZE

/** Stretches settled ahead of the rest beyond which nobody is asked out of turn: they are stored with the delivery. */
const MAX_AHEAD = 64

/**
 * How long after its last send a page waits for its last answers. Then it is settled without them: they are written
 * down as due again in `LEASE_MS`, unless they arrive before.
 */
export const STRAGGLER_MS = 2000

/** Longer than any request can take, its deadline, second environment and renewed credential included. */
export const LEASE_MS = MINUTE_MS

/** One recipient on its way. */
export interface Task {
  readonly delivery: ActiveDelivery
  readonly recipient: PageRow | DueRecipient
  /** The page it was read on, and its place there; `null` for one that had waited. */
  readonly page: Page | null
  readonly index: number
  /** Sends so far, this one included. */
  readonly attempt: number
  /** When it was sent, ms since the Unix epoch. */
  readonly sentAt: number
  /** Not there where the push leaves the badge alone. */
  readonly badge?: SentBadge
}

/** Cancelled, or its time to live is over, or the gateway refuses it for everybody. */
export type CalledOff = 'cancelled' | 'expired' | 'refused'

const EXPIRED = { state: 'expired' } as const
const REJECTED = { state: 'rejected' } as const

/** What the delivery needs of the store to read its audience. */
export interface Recipients {
  page(after: number, upTo: number, limit: number): RecipientPage
}

/**
 * One open delivery in memory.
 *
 * sending, and counting its audience beside it → (every page read and settled) → waiting, while recipients wait for
 * another attempt, not in memory then → finished. From anywhere: called off, while something is on its way → finished. Sending, and counted
 * as nobody → finished, also while nothing can be sent. Its durable half is the row in `delivery`; what is here can be
 * lost at any moment and is read again from `progress` on.
 */
export class ActiveDelivery {
  readonly record: OpenDelivery
  /** Another object from a change of its end on. */
  message: Message
  readonly pages = new Set<Page>()
  /** Recipients whose next attempt is due, leased from the store. */
  readonly due: DueRecipient[] = []
  /**
   * Devices of them, and of stragglers, whose row says due but who are here: waiting for their turn or on their way.
   * A row whose lease runs out meanwhile is not taken a second time.
   */
  readonly leased = new Set<number>()
  /**
   * What is settled and not on disk: pages, devices that were answered alone, and how many of both the gateway took. A
   * row of such a device that says due is to be written over.
   */
  readonly unwritten = { pages: 0, devices: new Set<number>(), taken: 0 }
  /** Recipients that wait, the leased ones included. */
  retries: number
  /** When the next of them is due; ms since the Unix epoch, Infinity for none. */
  nextDueAt: number
  loadingDue = false
  /** Devices of the audience as far as they are known: counted, or met on settled pages. */
  addressed: number
  counted: boolean
  finished = false
  /** Why nothing more is sent; what is on its way is still answered, and then it ends. `null`: it goes on. */
  calledOff: CalledOff | null = null
  /** Why the gateway refuses it for everybody; `null` where it does not. */
  refused: string | null = null
  /** Its last read found nobody, and there is more to look at. */
  searching = false
  /** Whether it stands in its sender's line. */
  queued = false
  /** It is being written down that it waits: then it is in memory no more, and is loaded as another object. */
  leaving = false
  /** How often it has changed stored badges. */
  badgeChanges = 0
  #settled: number
  #progress: Progress
  #cursor: number
  /** Where the devices begin that were looked at in vain, up to the cursor. */
  #emptyFrom: number | null = null
  #nextSize = FIRST_PAGE_SIZE
  #exhausted = false
  #unsent: number | null = null
  /** When the first recipient of this run was sent to, ms since the Unix epoch. */
  #startedAt: number | null = null
  readonly #recipients: Recipients
  readonly #badges: Pick<PendingBadges, 'changes'>
  readonly #trial: PushTrial
  readonly #replay: Page[] = []
  /** Open pages of one who was asked out of turn. */
  readonly #outOfTurn = new Set<Page>()
  #current: Page | null = null

  constructor(
    record: OpenDelivery,
    recipients: Recipients,
    nextDueAt: number | null,
    badges: Pick<PendingBadges, 'changes'>,
  ) {
    this.record = record
    this.message = { push: record.pushId, notification: record.notification, expiresAt: record.expiresAt }
    this.retries = record.retries
    this.nextDueAt = nextDueAt ?? Number.POSITIVE_INFINITY
    this.addressed = record.addressed ?? 0
    this.counted = record.addressed !== null
    this.#settled = record.settled
    this.#progress = { upTo: record.progress, ahead: record.ahead }
    this.#cursor = record.progress
    this.#trial = new PushTrial(record.accepted > 0)
    this.#recipients = recipients
    this.#badges = badges
    this.#endIfNobody()
  }

  /** When its time to live is over, ms since the Unix epoch, by the clock as it is. */
  get expiresAt(): number {
    return this.message.expiresAt
  }

  /** Whether everything that will ever be sent has been, and answered. */
  get isDone(): boolean {
    // Of a refused one everybody has failed: it must be known how many that is.
    if (this.refused !== null && !this.counted) return false
    return this.#exhausted && this.pages.size === 0 && this.retries === 0
  }

  /**
   * Devices that were read and are not sent to any more. `null`: not everybody was read. Who was counted and is neither
   * these nor answered for has been removed since.
   */
  get unsent(): number | null {
    if (this.calledOff !== null) return this.#unsent
    return this.#exhausted ? 0 : null
  }

  /** Devices of which nothing is decided, and to which nothing is on its way. */
  get left(): number {
    let left = this.unreached + this.retries - (this.leased.size - this.due.length)
    for (const page of this.pages) left -= page.pending + page.accepted + page.results.length
    return Math.max(left, 0)
  }

  /** Whether everybody who is left waits for another attempt, and none of them is due. */
  onlyWaits(now: number): boolean {
    if (this.finished || this.calledOff !== null || this.leaving || this.loadingDue) return false
    const sent = this.counted && this.#exhausted && this.pages.size === 0 && this.leased.size === 0
    return sent && this.retries > 0 && this.nextDueAt > now
  }

  /** Devices of the audience on no settled page. */
  get unreached(): number {
    return Math.max(this.addressed - this.#settled, 0)
  }

  /** Recipients whose next attempt is due, and that may be sent to now. */
  get roomForDue(): number {
    return Math.max(MAX_UNWRITTEN - this.#inPages - this.#alone, 0)
  }

  /** Notifications that the gateway took, or may take yet, and that are not on disk. */
  get notWrittenDown(): number {
    let count = this.unwritten.taken + this.leased.size - this.due.length
    for (const page of this.pages) count += page.accepted + page.pending
    return count
  }

  /**
   * Since when somebody could have been sent to, ms since the Unix epoch; `null` while whoever is left waits for another
   * attempt.
   */
  dueSince(now: number): number | null {
    const onlyWaits = this.#exhausted && this.pages.size === 0 && this.leased.size === 0
    if (!onlyWaits) return this.record.releasedAt
    return this.nextDueAt <= now ? this.nextDueAt : null
  }

  /**
   * The next recipient to send to, a page ahead of what is settled; `null` when there is none now. `somewhere`, in [0, 1):
   * better one from that place in what is not read yet, `null` for the order of reading.
   */
  next(now: number, somewhere: number | null): Task | null {
    if (this.calledOff !== null || !this.#trial.mayAsk) return null
    const outOfTurn = somewhere === null ? null : this.#readOutOfTurn(somewhere)
    if (outOfTurn !== null) return this.#taskOf(outOfTurn, outOfTurn.unsent++, now)
    const waiting = this.due.shift()
    if (waiting !== undefined) {
      return { delivery: this, recipient: waiting, page: null, index: -1, attempt: waiting.attempt + 1, sentAt: now }
    }
    const replay = this.#replay.at(-1)
    if (replay !== undefined) {
      const index = replay.requeued.shift() ?? 0
      if (replay.requeued.length === 0) this.#replay.pop()
      return this.#taskOf(replay, index, now)
    }
    const page = this.#current ?? this.#read()
    if (page === null) return null
    const index = page.unsent++
    if (page.unsent === page.recipients.length) this.#current = null
    return this.#taskOf(page, index, now)
  }

  /** Whether the page just taken from is used up: the moment for another delivery's turn. */
  get atPageEnd(): boolean {
    return this.#current === null
  }

  /** The badge stored with a recipient; `null` where another push, or a call, may have changed it since it was read. */
  storedBadge({ page, recipient }: Task): number | null {
    return page !== null && page.badgeChanges === this.#othersBadgeChanges() ? recipient.storedBadge : null
  }

  /** One that was taken is on its way, and is not put back unheard. */
  sent(): void {
    this.#trial.sent()
  }

  /** One was answered; gives the reason, once, if the gateway is found to refuse the push itself for everybody. */
  recordOutcome(outcome: Outcome): string | null {
    return this.#trial.record(outcome)
  }

  /** Puts a recipient back that was not answered for reasons that are not its own. */
  requeue(task: Task): void {
    const { page, recipient } = task
    if (page === null) this.due.push({ ...recipient, attempt: task.attempt - 1 })
    // Settled without it: its row has it due again.
    else if (page.detached) this.leased.delete(recipient.device)
    else {
      page.pending--
      if (page.requeued.length === 0) this.#replay.push(page)
      page.requeued.push(task.index)
    }
  }

  /** Notes an answer on its page; `true` when the page has all of them and can be settled. */
  decide(task: Task, verdict: FinalVerdict, now: number): boolean {
    const { page, index } = task
    if (page === null) return false
    page.pending--
    page.answered[index] = 1
    if (verdict.kind === 'accepted') {
      page.accepted++
      if (task.badge !== undefined) page.badges.push(task.badge)
    } else page.results.push(recipientResultOf(task, verdict, now))
    return this.#isComplete(page)
  }

  /**
   * Sends nothing more. Who was held back by a pause is over; who waits for another attempt is ended by the store with
   * the delivery. Pages on which nothing is on its way can be settled now.
   */
  callOff(why: CalledOff, now: number): Page[] {
    this.calledOff = why
    let unsent = 0
    for (const page of this.pages) unsent += page.recipients.length - page.unsent
    this.#unsent = this.#exhausted ? unsent : null
    this.#exhausted = true
    this.#current = null
    this.#replay.length = 0
    for (const { device } of this.due.splice(0)) this.leased.delete(device)
    this.retries = this.leased.size
    this.nextDueAt = Number.POSITIVE_INFINITY
    for (const page of this.pages) {
      for (const index of page.requeued.splice(0)) {
        const held = page.recipients[index]
        if (held === undefined) continue
        const { device, badge } = held
        page.answered[index] = 1
        const over = this.refused === null ? EXPIRED : REJECTED
        page.results.push({ device, ...over, attempt: 1, dueAt: now, badge, reason: this.refused ?? why })
      }
    }
    return [...this.pages].filter((page) => page.pending === 0)
  }

  /**
   * Pages that have waited long enough for their last answers. `paused`: nobody is sent to now, so that those who were
   * held back are not waited for either.
   */
  stragglers(now: number, paused: boolean): Page[] {
    return [...this.pages].filter(
      (page) =>
        (paused ? page.pending + page.requeued.length > 0 : page.pending > 0 && page.requeued.length === 0) &&
        page.unsent === page.recipients.length &&
        page.sentAt + STRAGGLER_MS <= now,
    )
  }

  /** Writes down who has not answered on a page as due again later, so that the page can be settled now. */
  settleEarly(page: Page, now: number): void {
    page.detached = true
    for (const [index, { device, badge }] of page.recipients.slice(0, page.unsent).entries()) {
      if (page.answered[index] === 1 || page.requeued.includes(index)) continue
      this.leased.add(device)
      page.results.push({
        device,
        state: 'leased',
        attempt: 1,
        dueAt: now + LEASE_MS,
        badge,
        reason: 'no answer yet',
      })
    }
  }

  /**
   * Takes a page off the books and says what to write. A page cut short by a stop is settled as far as it was sent;
   * held recipients come back as due at once, also from a page that a pause holds up.
   */
  settle(page: Page, now: number): PageSettlement {
    this.pages.delete(page)
    this.#outOfTurn.delete(page)
    if (this.#current === page) this.#current = null
    if (page.requeued.length > 0) this.#replay.splice(this.#replay.indexOf(page), 1)
    for (const index of page.requeued.splice(0)) {
      const held = page.recipients[index]
      if (held === undefined) continue
      const { device, badge } = held
      page.results.push({ device, state: 'retry', attempt: 0, dueAt: now, badge, reason: 'stopped' })
    }
    const cutShort = page.unsent < page.recipients.length
    // The rest of it is still to be sent, by the next run: the delivery must not pass for done.
    if (cutShort && this.calledOff === null) this.#exhausted = false
    const to = cutShort ? (page.recipients[page.unsent - 1]?.device ?? page.from - 1) : page.to
    if (to >= page.from) this.#progress = settleRange(this.#progress, [page.from, to])
    this.#settled += page.unsent
    const missed = Math.max(this.#settled - this.addressed, 0)
    this.addressed += missed
    this.noteRetries(page.results)
    return {
      progress: this.#progress.upTo,
      ahead: this.#progress.ahead,
      size: page.unsent,
      missed,
      accepted: page.accepted,
      exceptions: page.results,
      startedAt: this.#startedAt,
      finished: this.isDone,
    }
  }

  /** Takes the count of the audience; says by how much it is more than was known. */
  setAudienceSize(count: number): number {
    const more = Math.max(count - this.addressed, 0)
    this.addressed += more
    this.counted = true
    this.#endIfNobody()
    return more
  }

  /**
   * Looks for somebody behind the last page, where the count says that nobody is: then nothing is left to send, and the
   * end needs no gateway.
   */
  lookForEnd(): void {
    const left = this.unreached + this.retries + this.pages.size
    if (this.counted && left === 0 && this.calledOff === null && !this.finished) this.#read()
  }

  /** The clock was put back by `byMs`: nobody waits longer for that. */
  shift(byMs: number): void {
    this.nextDueAt -= byMs
    for (const page of this.pages) {
      page.sentAt -= byMs
      shiftWaiting(page.results, byMs)
    }
  }

  /** Nobody on an open page waits longer than to `now` for another attempt. */
  makeDue(now: number): void {
    for (const page of this.pages) makeWaitingDue(page.results, now)
  }

  /** The clock has jumped: what is left of its time to live stays as long as it was. */
  extend({ byMs, since, now }: ClockJump): void {
    const { releasedAt } = this.record
    if (releasedAt >= since && releasedAt <= now) return
    this.message = { ...this.message, expiresAt: this.message.expiresAt + byMs }
  }

  /** Who waits for another attempt from now on; of what is called off, only for the answer to the last one. */
  noteRetries(exceptions: readonly RecipientResult[]): void {
    const waiting = exceptions.filter(waits)
    const isOver = this.calledOff !== null
    this.retries += isOver ? waiting.filter(({ state }) => state === 'leased').length : waiting.length
  }

  /** Their rows are on disk: when the first of them is due. */
  noteDue(exceptions: readonly RecipientResult[]): void {
    if (this.calledOff !== null) return
    for (const { dueAt } of exceptions.filter(waits)) this.nextDueAt = Math.min(this.nextDueAt, dueAt)
  }

  /** Whoever would come into an empty audience from now on was not in it when the push was accepted. */
  #endIfNobody(): void {
    if (this.counted && this.addressed === 0 && this.pages.size === 0) this.#exhausted = true
  }

  /** Its own do not matter to whom it has not sent to. */
  #othersBadgeChanges(): number {
    return this.#badges.changes - this.badgeChanges
  }

  #taskOf(page: Page, index: number, now: number): Task {
    page.pending++
    page.sentAt = now
    this.#startedAt ??= now
    const recipient = page.recipients[index]
    if (recipient === undefined) throw new Error(`page ${page.from}-${page.to} has no place ${index}`)
    return { delivery: this, recipient, page, index, attempt: 1, sentAt: now }
  }

  /** Recipients on pages that are open, or not on disk. */
  get #inPages(): number {
    return PAGE_SIZE * (this.pages.size + this.unwritten.pages)
  }

  /** Recipients on their way, or not on disk, that are on no open page. */
  get #alone(): number {
    return this.leased.size + this.unwritten.devices.size
  }

  get #hasRoomForPage(): boolean {
    return this.#inPages + PAGE_SIZE + Math.max(this.#alone, KEPT_FOR_DUE) <= MAX_UNWRITTEN
  }

  #isComplete(page: Page): boolean {
    const sent = this.calledOff !== null || page.unsent === page.recipients.length
    return sent && page.pending === 0 && page.requeued.length === 0
  }

  /** What is settled, and who was asked out of turn. */
  get #readProgress(): Progress {
    let progress = this.#progress
    for (const { from, to } of this.#outOfTurn) progress = settleRange(progress, [from, to])
    return progress
  }

  /** A page of one from somewhere in what is not read yet; `null` where nobody is near. */
  #readOutOfTurn(somewhere: number): Page | null {
    if (this.record.lane === 'single' || this.#exhausted || !this.#hasRoomForPage) return null
    if (this.#progress.ahead.length + this.#outOfTurn.size >= MAX_AHEAD) return null
    const at = this.#cursor + Math.floor(somewhere * (this.record.ceiling - this.#cursor))
    const gap = nextGap(this.#readProgress, at, this.record.ceiling)
    if (gap === null) return null
    const [recipient] = this.#recipients.page(gap[0] - 1, gap[1], 1).recipients
    if (recipient === undefined) return null
    const page = newPage(recipient.device, recipient.device, [recipient], this.#othersBadgeChanges())
    this.pages.add(page)
    this.#outOfTurn.add(page)
    return page
  }

  /** The next page with anybody on it; notes when there is none left, or none was found so far. */
  #read(): Page | null {
    this.searching = false
    if (this.#exhausted || !this.#hasRoomForPage) return null
    for (let reads = 0; reads < MAX_EMPTY_READS; reads++) {
      const gap = nextGap(this.#readProgress, this.#cursor, this.record.ceiling)
      if (gap === null) {
        this.#exhausted = true
        return null
      }
      const [start, end] = gap
      // Devices before it that nobody is on belong to the page, or its progress would never pass them.
      const from = start === this.#cursor + 1 ? (this.#emptyFrom ?? start) : start
      const { recipients, last } = this.#recipients.page(start - 1, end, this.#nextSize)
      this.#cursor = last
      this.#emptyFrom = recipients.length === 0 ? from : null
      if (recipients.length > 0) return this.#begin(from, last, recipients)
    }
    this.searching = true
    return null
  }

  #begin(from: number, to: number, recipients: readonly PageRow[]): Page {
    const page = newPage(from, to, recipients, this.#othersBadgeChanges())
    this.#nextSize = PAGE_SIZE
    // Known now, so that the page's own settlement can say that it was the last.
    if (nextGap(this.#readProgress, to, this.record.ceiling) === null) this.#exhausted = true
    this.pages.add(page)
    this.#current = page
    return page
  }
}
