import type { AudienceCursor } from './audience-cursor.ts'
import { hasNext } from './batch.ts'
import type { SendBatch } from './batch.ts'

/**
 * Pages whose badges are changed while one is sent: sending one takes 5 ms, as long as a sync. With one, a broadcast
 * went at 55,000 a second, with three at 84,000 (measured on 2 cores).
 */
const PAGES_AHEAD = 3

/**
 * Batches of a delivery to send, in order. A push that changes badges leases a page first, and some more while one is
 * sent. Samples go before pages.
 *
 * read → (its badges are changed, on disk) → ready → taken, to be sent.
 */
export class BatchLine {
  readonly #cursor: AudienceCursor
  readonly #changesBadges: boolean
  /** Whether so many more pages may be read. */
  readonly #hasRoom: (pages: number) => boolean
  readonly #ready: SendBatch[] = []
  readonly #leasing = new Set<SendBatch>()
  /** A sample that is being leased, or ready. */
  #sample: SendBatch | null = null
  #read: SendBatch[] = []
  #isAtBatchEnd = true

  constructor(cursor: AudienceCursor, changesBadges: boolean, hasRoom: (pages: number) => boolean) {
    this.#cursor = cursor
    this.#changesBadges = changesBadges
    this.#hasRoom = hasRoom
  }

  /** Whether the batch that was last taken from is used up. */
  get isAtBatchEnd(): boolean {
    return this.#isAtBatchEnd
  }

  /** Whether a page will be ready without an answer coming first. */
  get isLeasing(): boolean {
    return this.#leasing.size > 0
  }

  /** The batch to take from; `null` if there is none now. `samplePlace`: as in `Delivery.take`. */
  next(now: number, samplePlace: number | null): SendBatch | null {
    if (samplePlace !== null && this.#sample === null && this.#hasRoom(1)) {
      this.#sample = this.#noteRead(quietly(() => this.#cursor.sample(samplePlace, now)))
      if (this.#sample !== null) this.#add(this.#sample)
    }
    // Samples come from behind all pages read, so then no more pages are read than needed.
    const ahead = this.#changesBadges && samplePlace === null ? PAGES_AHEAD : 1
    if (this.#isAtBatchEnd || this.#ready.length === 0) this.#readAhead(ahead, now)
    return this.#ready[0] ?? null
  }

  /** Takes out the pages read since the last time. */
  takeRead(): readonly SendBatch[] {
    if (this.#read.length === 0) return NOTHING
    const read = this.#read
    this.#read = []
    return read
  }

  /** A recipient was taken from a batch. */
  took(batch: SendBatch): void {
    this.#isAtBatchEnd = !hasNext(batch)
    if (this.#isAtBatchEnd) this.remove(batch)
  }

  /** A recipient on this batch goes before all others. */
  first(batch: SendBatch): void {
    if (!this.#ready.includes(batch)) this.#ready.unshift(batch)
  }

  /** The badges of a page are changed. */
  leased(batch: SendBatch): void {
    if (!this.#leasing.delete(batch)) return
    if (batch === this.#sample) this.#ready.unshift(batch)
    else this.#ready.push(batch)
  }

  remove(batch: SendBatch): void {
    if (batch === this.#sample) this.#sample = null
    const at = this.#ready.indexOf(batch)
    if (at !== -1) this.#ready.splice(at, 1)
  }

  /** Nobody more is sent to. */
  clear(): void {
    this.#ready.length = 0
    this.#leasing.clear()
    this.#sample = null
  }

  #readAhead(ahead: number, now: number): void {
    for (;;) {
      const held = this.#leasing.size + this.#ready.length
      if (held >= ahead) return
      const page = held === 0 ? this.#readPage(now) : quietly(() => this.#readPage(now))
      if (page === null) return
      this.#add(page)
    }
  }

  #readPage(now: number): SendBatch | null {
    return this.#noteRead(this.#cursor.read(this.#hasRoom(this.#read.length + 1), now))
  }

  #add(batch: SendBatch): void {
    this.#leasing.add(batch)
    if (!this.#changesBadges) this.leased(batch)
  }

  #noteRead(page: SendBatch | null): SendBatch | null {
    if (page !== null) this.#read.push(page)
    return page
  }
}

const NOTHING: readonly SendBatch[] = []

/** `null` if the database cannot be read now: it is read again, and an error logged, when nothing else is ready. */
export function quietly<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch {
    return null
  }
}
