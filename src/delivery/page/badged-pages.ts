import type { StoredBadges } from '../stored-badges.ts'
import type { OpenDelivery, PageRow } from '../store/open-delivery.ts'
import type { Page } from './page.ts'

type ReadPage = () => Page | null

interface Line {
  ready: Page | null
  isLeasing: boolean
}

/**
 * Pages of a push that changes badges, and samples, which go ahead of them. One of each is leased while the one before it
 * is sent.
 *
 * read → (its badges are changed, on disk) → ready → taken, to be sent.
 */
export class BadgedPages {
  readonly #delivery: OpenDelivery
  readonly #badges: StoredBadges
  readonly #pages: Line = { ready: null, isLeasing: false }
  readonly #samples: Line = { ready: null, isLeasing: false }
  /** How often this push has changed stored badges. */
  #changes = 0
  #isStopped = false

  constructor(delivery: OpenDelivery, badges: StoredBadges) {
    this.#delivery = delivery
    this.#badges = badges
  }

  /** Whether a page will be ready without an answer coming first. */
  get isLeasing(): boolean {
    return this.#pages.isLeasing || this.#samples.isLeasing
  }

  /** Takes the next page to send, `null` where none is ready, and leases the one behind it. */
  take(read: ReadPage): Page | null {
    return this.#take(this.#samples, () => null) ?? this.#take(this.#pages, read)
  }

  /** The same for samples. */
  takeSample(read: ReadPage): Page | null {
    return this.#take(this.#samples, read)
  }

  /** The badge that a recipient of a page is to show: what is stored. */
  badgeOf({ device, badge }: PageRow, page: Page): number | null {
    return page.badgeChanges === this.#othersChanges ? badge : this.#badges.of(device)
  }

  /** No page is sent any more. */
  stop(): void {
    this.#isStopped = true
    for (const line of [this.#pages, this.#samples]) Object.assign(line, { ready: null, isLeasing: false })
  }

  #take(line: Line, read: ReadPage): Page | null {
    const page = line.ready
    line.ready = null
    if (line.isLeasing || this.#isStopped) return page
    const next = page === null ? read() : readAhead(read)
    if (next !== null) this.#lease(line, next)
    return page
  }

  #lease(line: Line, page: Page): void {
    line.isLeasing = true
    const devices = page.recipients.map(({ device }) => device)
    const changed = () => {
      this.#changes++
      return this.#othersChanges
    }
    this.#badges.lease(this.#delivery, devices, changed, (badges, othersChanges) => {
      if (this.#isStopped) return
      page.show(badges, othersChanges)
      line.isLeasing = false
      line.ready = page
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
