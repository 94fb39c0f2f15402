import type { StoredBadges } from '../stored-badges.ts'
import type { OpenDelivery, PageRow } from '../store/open-delivery.ts'
import type { Page } from './page.ts'

type ReadPage = () => Page | null

/**
 * Pages that are leased while one is sent, which takes 5 ms, as long as a sync. With one a broadcast went at 55,000 a
 * second, with three at 84,000 (measured on 2 cores).
 */
const PAGES_AHEAD = 3

interface Line {
  readonly ready: Page[]
  leasing: number
}

/**
 * Pages of a push that changes badges, and samples, which go before them. Some are leased while the one before them is
 * sent.
 *
 * read → (its badges are changed, on disk) → ready → taken, to be sent.
 */
export class BadgedPages {
  readonly #delivery: OpenDelivery
  readonly #badges: StoredBadges
  readonly #pages: Line = { ready: [], leasing: 0 }
  readonly #samples: Line = { ready: [], leasing: 0 }
  /** How often this push has changed stored badges. */
  #changes = 0
  #isStopped = false

  constructor(delivery: OpenDelivery, badges: StoredBadges) {
    this.#delivery = delivery
    this.#badges = badges
  }

  /** Whether a page will be ready without an answer coming first. */
  get isLeasing(): boolean {
    return !this.#isStopped && this.#pages.leasing + this.#samples.leasing > 0
  }

  /**
   * Takes the next page to send, `null` where none is ready, and leases those behind it. `isSampled`: samples are wanted,
   * which come from behind all that is read, so that no more is read than is needed.
   */
  take(read: ReadPage, isSampled: boolean): Page | null {
    const page = this.#samples.ready.shift() ?? this.#pages.ready.shift() ?? null
    this.#leaseNext(this.#pages, isSampled ? Number(page === null) : PAGES_AHEAD, read, page === null)
    return page
  }

  /** Takes a sample, `null` where none is ready, and leases the next one. */
  takeSample(read: ReadPage): Page | null {
    const page = this.#samples.ready.shift() ?? null
    this.#leaseNext(this.#samples, 1, read, false)
    return page
  }

  /** The badge that a recipient of a page is to show: what is stored. */
  badgeOf({ device, badge }: PageRow, page: Page): number | null {
    return page.badgeChanges === this.#othersChanges ? badge : this.#badges.of(device)
  }

  /** No page is sent any more. */
  stop(): void {
    this.#isStopped = true
    for (const { ready } of [this.#pages, this.#samples]) ready.length = 0
  }

  /** `isNeeded`: nothing else can be sent. */
  #leaseNext(line: Line, ahead: number, read: ReadPage, isNeeded: boolean): void {
    while (!this.#isStopped && line.leasing + line.ready.length < ahead) {
      const next = isNeeded && line.leasing === 0 ? read() : readAhead(read)
      if (next === null) break
      this.#lease(line, next)
    }
  }

  #lease(line: Line, page: Page): void {
    line.leasing++
    const devices = page.recipients.map(({ device }) => device)
    const changed = () => {
      this.#changes++
      return this.#othersChanges
    }
    this.#badges.lease(this.#delivery, devices, changed, (badges, othersChanges) => {
      if (this.#isStopped) return
      page.show(badges, othersChanges)
      line.leasing--
      line.ready.push(page)
    })
  }

  /** Its own changes are of other devices than those of its other pages. */
  get #othersChanges(): number {
    return this.#badges.changes - this.#changes
  }
}

/** `null` where the database cannot be read now: who comes when the page before it is used up reads again, and is told. */
function readAhead(read: ReadPage): Page | null {
  try {
    return read()
  } catch {
    return null
  }
}
