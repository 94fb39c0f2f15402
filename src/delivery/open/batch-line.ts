import type { AudienceCursor } from './audience-cursor.ts'
import { hasNext } from './batch.ts'
import type { SendBatch } from './batch.ts'

/**
 * Pages whose badges are changed while one is sent, which takes 5 ms, as long as a sync. With one a broadcast went at
 * 55,000 a second, with three at 84,000 (measured on 2 cores).
 */
const PAGES_AHEAD = 3

/** Whether so many more pages may be read. */
type HasRoom = (pages: number) => boolean

/**
 * The batches of a delivery that are to be sent, in order. Those of a push that changes badges are leased first, and some
 * of them while the one before is sent; samples go before pages.
 *
 * read → (its badges are changed, on disk) → ready → taken, to be sent.
 */
export class BatchLine {
  readonly #cursor: AudienceCursor
  readonly #changesBadges: boolean
  readonly #ready: SendBatch[] = []
  readonly #leasing = new Set<SendBatch>()
  /** Of a push that changes badges: the next sample; and the one that is being leased. */
  readonly #sample: { ready: SendBatch | null; leasing: SendBatch | null } = { ready: null, leasing: null }
  readonly #read: SendBatch[] = []
  #isAtBatchEnd = true

  constructor(cursor: AudienceCursor, changesBadges: boolean) {
    this.#cursor = cursor
    this.#changesBadges = changesBadges
  }

  /** Whether the batch that was taken from last is used up. */
  get isAtBatchEnd(): boolean {
    return this.#isAtBatchEnd
  }

  /** Whether a page will be ready without an answer coming first. */
  get isLeasing(): boolean {
    return this.#leasing.size > 0 || this.#sample.leasing !== null
  }

  /** The batch to take from; `null`: there is none now. `samplePlace`: as in `Delivery.take`. */
  next(now: number, samplePlace: number | null, hasRoom: HasRoom): SendBatch | null {
    const sample = samplePlace === null ? null : this.#nextSample(samplePlace, now, hasRoom)
    if (sample !== null) return sample
    if (!this.#changesBadges) {
      const page = this.#ready[0] ?? this.#readPage(now, hasRoom)
      if (page !== null && this.#ready.length === 0) this.#ready.push(page)
      return page
    }
    // One that was leased while samples were wanted.
    const leased = this.#takeSample()
    if (leased !== null) return leased
    // Samples come from behind all that is read: no more is read than is needed.
    if (this.#isAtBatchEnd || this.#ready.length === 0)
      this.#leaseAhead(samplePlace === null ? PAGES_AHEAD : 1, now, hasRoom)
    return this.#ready[0] ?? null
  }

  /** Takes out the pages read since the last time. */
  takeRead(): readonly SendBatch[] {
    return this.#read.length === 0 ? NOTHING : this.#read.splice(0)
  }

  /** One was taken from a batch. */
  took(batch: SendBatch): void {
    this.#isAtBatchEnd = !hasNext(batch)
    if (this.#isAtBatchEnd) this.remove(batch)
  }

  /** Somebody on a batch is to be sent to before all others. */
  first(batch: SendBatch): void {
    if (!this.#ready.includes(batch)) this.#ready.unshift(batch)
  }

  /** The badges of a page are changed. */
  leased(batch: SendBatch): void {
    if (this.#sample.leasing === batch) Object.assign(this.#sample, { leasing: null, ready: batch })
    else if (this.#leasing.delete(batch)) this.#ready.push(batch)
  }

  remove(batch: SendBatch): void {
    const at = this.#ready.indexOf(batch)
    if (at !== -1) this.#ready.splice(at, 1)
  }

  /** Nobody more is sent to. */
  clear(): void {
    this.#ready.length = 0
    this.#leasing.clear()
    Object.assign(this.#sample, { ready: null, leasing: null })
  }

  #nextSample(place: number, now: number, hasRoom: HasRoom): SendBatch | null {
    if (!this.#changesBadges) return hasRoom(1) ? this.#noteRead(this.#cursor.sample(place, now)) : null
    const ready = this.#takeSample()
    if (this.#sample.leasing === null && hasRoom(1)) {
      this.#sample.leasing = this.#noteRead(quietly(() => this.#cursor.sample(place, now)))
    }
    return ready
  }

  #takeSample(): SendBatch | null {
    const { ready } = this.#sample
    this.#sample.ready = null
    return ready
  }

  #leaseAhead(ahead: number, now: number, hasRoom: HasRoom): void {
    while (this.#leasing.size + this.#ready.length < ahead) {
      const isNeeded = this.#leasing.size + this.#ready.length === 0
      const page = isNeeded ? this.#readPage(now, hasRoom) : quietly(() => this.#readPage(now, hasRoom))
      if (page === null) return
      this.#leasing.add(page)
    }
  }

  #readPage(now: number, hasRoom: HasRoom): SendBatch | null {
    return this.#noteRead(this.#cursor.read(hasRoom(this.#read.length + 1), now))
  }

  #noteRead(page: SendBatch | null): SendBatch | null {
    if (page !== null) this.#read.push(page)
    return page
  }
}

const NOTHING: readonly SendBatch[] = []

/** `null` where the database cannot be read now: who comes when nothing else is ready reads again, and is told. */
export function quietly<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch {
    return null
  }
}
