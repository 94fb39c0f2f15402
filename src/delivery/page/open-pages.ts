import type { Page } from './page.ts'

/** Pages of one delivery that are read and not settled. Times are service time. */
export class OpenPages {
  readonly #pages = new Set<Page>()
  /** Pages with requeued recipients: the last one's come first. */
  readonly #requeued: Page[] = []
  /** The page that is being sent; `null` once everybody on it was. */
  #current: Page | null = null

  get size(): number {
    return this.#pages.size
  }

  all(): Page[] {
    return [...this.#pages]
  }

  /** Whether no page is being sent: the moment for another delivery. */
  get isAtPageEnd(): boolean {
    return this.#current === null
  }

  /** A page is sent from now on. */
  begin(page: Page): Page {
    this.#current = page
    return page
  }

  /** Adds a page that is read: a sample, or one that is to be begun. */
  add(page: Page): Page {
    this.#pages.add(page)
    return page
  }

  /** The page with the next recipient; `null` where all have been sent to. */
  next(): Page | null {
    return this.#requeued.at(-1) ?? this.#current
  }

  /** Takes the index of the next recipient of a page. */
  take(page: Page, now: number): number {
    const wasRequeued = page.hasRequeued
    const index = page.take(now)
    if (wasRequeued && !page.hasRequeued) this.#requeued.pop()
    if (page === this.#current && page.unsent === 0) this.#current = null
    return index
  }

  requeue(page: Page, index: number): void {
    if (!page.hasRequeued) this.#requeued.push(page)
    page.requeue(index)
  }

  /** Takes a page out that is settled; its requeued recipients are due again at once. */
  settle(page: Page, now: number): void {
    this.#pages.delete(page)
    if (this.#current === page) this.#current = null
    if (page.hasRequeued) this.#requeued.splice(this.#requeued.indexOf(page), 1)
    page.returnRequeued(now)
  }

  /** Nobody more is sent to. */
  stop(): void {
    this.#current = null
  }

  /** Requeued recipients are not sent to again. */
  failRequeued(state: 'expired' | 'rejected', reason: string, now: number): void {
    this.#requeued.length = 0
    for (const page of this.#pages) page.failRequeued(state, reason, now)
  }

  /** Pages that have waited long enough for their last answers: see `Page.isLate`. */
  late(now: number, isPaused: boolean): Page[] {
    return this.all().filter((page) => page.isLate(now, isPaused))
  }

  /** Recipients that were never sent to. */
  get unsent(): number {
    return this.#sum((page) => page.unsent)
  }

  /** Recipients that are on their way, or answered. */
  get reached(): number {
    return this.#sum((page) => page.reached)
  }

  /** Notifications that the gateway took, or may take yet. */
  get taken(): number {
    return this.#sum((page) => page.accepted + page.pending)
  }

  /** Nobody waits longer than to `now` for another attempt. */
  makeDue(now: number): void {
    for (const page of this.#pages) page.results.makeDue(now)
  }

  #sum(count: (page: Page) => number): number {
    let sum = 0
    for (const page of this.#pages) sum += count(page)
    return sum
  }
}
