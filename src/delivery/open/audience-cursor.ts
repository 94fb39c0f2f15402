import type { OpenDelivery, PageRow, RecipientPage } from '../store/open-delivery.ts'
import { newBatch } from './batch.ts'
import type { SendBatch } from './batch.ts'
import { nextGap, settleRange } from './progress.ts'
import type { Progress, Range } from './progress.ts'

/** Devices read and settled together; a crash repeats each page in flight. */
export const PAGE_SIZE = 500

const FIRST_PAGE_SIZE = 64

/** Of devices of users, while the others are looked up: their answers open the window. */
const EARLY_PAGE_SIZE = 32

/** Reads in a row without finding anybody before the event loop gets a turn. */
const MAX_EMPTY_READS = 2

/** Ranges settled ahead of the rest, which are stored with the delivery. */
const MAX_AHEAD = 64

type Record = Pick<OpenDelivery, 'progress' | 'ahead' | 'ceiling' | 'queue'>

export interface Recipients {
  page(after: number, upTo: number, limit: number): RecipientPage
  /** Some with `after` < id <= `upTo`, while users are still being looked up and `page` finds nobody. */
  early(after: number, upTo: number, limit: number): readonly PageRow[]
  count(after: number, candidates: number): { readonly count: number; readonly last: number }
}

/**
 * Reads an audience in pages of device ids, in order, and knows which ids are settled. A sample is a page of one device
 * from anywhere behind the cursor, an early page one of several.
 *
 * reading → (several reads found nobody) → searching → (the next read) → reading → (no gap is left) → exhausted.
 */
export class AudienceCursor {
  readonly #record: Record
  readonly #recipients: Recipients
  #progress: Progress
  #cursor: number
  /** Start of the devices, up to the cursor, that were read without finding anybody. */
  #emptyFrom: number | null = null
  #nextSize = FIRST_PAGE_SIZE
  #isExhausted = false
  #isSearching = false
  /** Open pages ahead of the cursor: samples, and an early page. */
  readonly #scattered = new Set<SendBatch>()

  constructor(record: Record, recipients: Recipients) {
    this.#record = record
    this.#recipients = recipients
    this.#progress = { upTo: record.progress, ahead: record.ahead }
    this.#cursor = record.progress
  }

  get progress(): Progress {
    return this.#progress
  }

  get isExhausted(): boolean {
    return this.#isExhausted
  }

  get isSearching(): boolean {
    return this.#isSearching
  }

  /** The next page; `null` if there is none, or none was found yet. `hasRoom`: for one more page. */
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
      // The page includes empty ranges before it, or progress would never pass them.
      const from = start === this.#cursor + 1 ? (this.#emptyFrom ?? start) : start
      const { recipients, last } = this.#recipients.page(start - 1, end, this.#nextSize)
      const early = last < start ? this.#readEarly(gap, readAt) : null
      if (early !== null) return early
      this.#cursor = last
      this.#emptyFrom = recipients.length === 0 ? from : null
      if (recipients.length === 0) continue
      this.#nextSize = PAGE_SIZE
      // Known now, so that the page's own settlement can be the last.
      if (nextGap(this.#readProgress, last, ceiling) === null) this.#isExhausted = true
      return newBatch({ range: [from, last], recipients, readAt, attempts: null })
    }
    this.#isSearching = true
    return null
  }

  /** A page of one device, at `place` in [0, 1) of what is not read yet, or behind it; `null` if nobody is near. */
  sample(place: number, readAt: number): SendBatch | null {
    const { queue, ceiling } = this.#record
    if (queue === 'single' || this.#isExhausted || this.#aheadSize >= MAX_AHEAD) return null
    const at = this.#cursor + Math.floor(place * (ceiling - this.#cursor))
    const gap = nextGap(this.#readProgress, at, ceiling)
    return gap === null ? null : this.#scatter(this.#recipients.page(gap[0] - 1, gap[1], 1).recipients, readAt)
  }

  settle(page: SendBatch, settled: readonly Range[]): void {
    this.#scattered.delete(page)
    for (const range of settled) this.#progress = settleRange(this.#progress, range)
  }

  exhaust(): void {
    this.#isExhausted = true
  }

  /** The next run reads recipients again that were not sent to. */
  reopen(): void {
    this.#isExhausted = false
  }

  #readEarly([start, end]: Range, readAt: number): SendBatch | null {
    if (this.#aheadSize > 0) return null
    const page = this.#scatter(this.#recipients.early(start - 1, end, EARLY_PAGE_SIZE), readAt)
    if (page !== null) this.#nextSize = PAGE_SIZE
    return page
  }

  #scatter(recipients: readonly PageRow[], readAt: number): SendBatch | null {
    if (recipients.length === 0) return null
    const page = newBatch({ range: null, recipients, readAt, attempts: null })
    this.#scattered.add(page)
    return page
  }

  get #aheadSize(): number {
    let size = this.#progress.ahead.length
    for (const { recipients } of this.#scattered) size += recipients.length
    return size
  }

  /** What is settled or on a scattered page. */
  get #readProgress(): Progress {
    let progress = this.#progress
    for (const { recipients } of this.#scattered) {
      for (const { device } of recipients) progress = settleRange(progress, [device, device])
    }
    return progress
  }
}
