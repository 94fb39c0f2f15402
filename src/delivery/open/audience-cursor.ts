import type { OpenDelivery, PageRow, RecipientPage } from '../store/open-delivery.ts'
import { newBatch } from './batch.ts'
import type { SendBatch } from './batch.ts'
import { nextGap, settleRange } from './progress.ts'
import type { Progress, Range } from './progress.ts'

/** Devices read at a time; also what one commit settles and, per page in flight, what a crash may repeat. */
export const PAGE_SIZE = 500

/** The first page is read and sent sooner. */
const FIRST_PAGE_SIZE = 64

/** Devices of users that are sent to while the others are looked up: with their answers the window opens. */
const EARLY_PAGE_SIZE = 32

/** Reads in a row that may find nobody, before the event loop gets a turn: filters may leave few of many. */
const MAX_EMPTY_READS = 2

/** Ranges settled ahead of the rest beyond which nobody is sampled: they are stored with the delivery. */
const MAX_AHEAD = 64

/** What a delivery needs of the store to read its audience. */
export interface Recipients {
  page(after: number, upTo: number, limit: number): RecipientPage
  /** Some with `after` < id <= `upTo`, where `page` comes nowhere yet because all are still looked for. */
  early(after: number, upTo: number, limit: number): readonly PageRow[]
}

/**
 * Reads an audience in pages of device ids, and knows which ids are settled. A page is in the order of ids; a sample is
 * a page of one device from anywhere behind the cursor, an early page one of some devices from anywhere.
 *
 * reading → (no gap is left) → exhausted. reading → (several reads found nobody) → searching → (the next read) → reading.
 */
export class AudienceCursor {
  readonly #record: Pick<OpenDelivery, 'ceiling' | 'queue'>
  readonly #recipients: Recipients
  #progress: Progress
  #cursor: number
  /** Where the devices begin that were looked at in vain, up to the cursor. */
  #emptyFrom: number | null = null
  #nextSize = FIRST_PAGE_SIZE
  #isExhausted = false
  #isSearching = false
  /** Open pages of single devices, ahead of the cursor: samples, and an early page. */
  readonly #scattered = new Set<SendBatch>()

  constructor(record: Pick<OpenDelivery, 'progress' | 'ahead' | 'ceiling' | 'queue'>, recipients: Recipients) {
    this.#record = record
    this.#recipients = recipients
    this.#progress = { upTo: record.progress, ahead: record.ahead }
    this.#cursor = record.progress
  }

  /** Device ids that are settled. */
  get progress(): Progress {
    return this.#progress
  }

  /** Whether everybody has been read, or nobody more is to be. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  /** Whether the last read found nobody, and there is more to look at. */
  get isSearching(): boolean {
    return this.#isSearching
  }

  /**
   * The next page with anybody on it; `null` when there is none left, or none was found so far. `hasRoom`: whether a
   * page may be read now. `readAt`: now, ms since the Unix epoch.
   */
  read(hasRoom: boolean, readAt: number): SendBatch | null {
    this.#isSearching = false
    if (this.#isExhausted || !hasRoom) return null
    const { ceiling } = this.#record
    for (let reads = 0; reads < MAX_EMPTY_READS; reads++) {
      const gap = nextGap(this.#readProgress, this.#cursor, ceiling)
      if (gap === null) {
        this.#isExhausted = true
        return null
      }
      const [start, end] = gap
      // Devices before it that nobody is on belong to the page, or its progress would never pass them.
      const from = start === this.#cursor + 1 ? (this.#emptyFrom ?? start) : start
      const { recipients, last } = this.#recipients.page(start - 1, end, this.#nextSize)
      const early = last < start ? this.#readEarly(gap, readAt) : null
      if (early !== null) return early
      this.#cursor = last
      this.#emptyFrom = recipients.length === 0 ? from : null
      if (recipients.length === 0) continue
      this.#nextSize = PAGE_SIZE
      // Known now, so that the page's own settlement can say that it was the last.
      if (nextGap(this.#readProgress, last, ceiling) === null) this.#isExhausted = true
      return newBatch({ range: [from, last], recipients, readAt, attempts: null })
    }
    this.#isSearching = true
    return null
  }

  /** The early page, where nothing has been read from behind the cursor before; `null` where nobody is found yet. */
  #readEarly([start, end]: Range, readAt: number): SendBatch | null {
    if (this.#aheadSize > 0) return null
    const recipients = this.#recipients.early(start - 1, end, EARLY_PAGE_SIZE)
    if (recipients.length === 0) return null
    this.#nextSize = PAGE_SIZE
    return this.#scatter(recipients, readAt)
  }

  /** A page of one device, from `place`, in [0, 1), of what is not read yet on; `null` where nobody is near. */
  sample(place: number, readAt: number): SendBatch | null {
    const { queue, ceiling } = this.#record
    if (queue === 'single' || this.#isExhausted) return null
    if (this.#aheadSize >= MAX_AHEAD) return null
    const at = this.#cursor + Math.floor(place * (ceiling - this.#cursor))
    const gap = nextGap(this.#readProgress, at, ceiling)
    if (gap === null) return null
    const [recipient] = this.#recipients.page(gap[0] - 1, gap[1], 1).recipients
    return recipient === undefined ? null : this.#scatter([recipient], readAt)
  }

  /** A page is settled, and with it these device ids. */
  settle(page: SendBatch, settled: readonly Range[]): void {
    this.#scattered.delete(page)
    for (const range of settled) this.#progress = settleRange(this.#progress, range)
  }

  /** Reads nobody more. */
  exhaust(): void {
    this.#isExhausted = true
  }

  /** Somebody who was read was not sent to: they are to be read again, by the next run. */
  reopen(): void {
    this.#isExhausted = false
  }

  #scatter(recipients: readonly PageRow[], readAt: number): SendBatch {
    const page = newBatch({ range: null, recipients, readAt, attempts: null })
    this.#scattered.add(page)
    return page
  }

  /** Ranges ahead of the rest, settled or to be. */
  get #aheadSize(): number {
    let size = this.#progress.ahead.length
    for (const { recipients } of this.#scattered) size += recipients.length
    return size
  }

  /** What is settled, and whoever is on a page of single devices. */
  get #readProgress(): Progress {
    let progress = this.#progress
    for (const { recipients } of this.#scattered) {
      for (const { device } of recipients) progress = settleRange(progress, [device, device])
    }
    return progress
  }
}
