import type { ActiveDelivery } from '../active-delivery.ts'

/** Index entries counted before the event loop gets a turn: 0.3 ms, or 8 ms where filters are checked on each device. */
const COUNT_CANDIDATES = 2000

/** Counts of the devices after `after` in an audience, looking at so many `candidates`; and up to where that came. */
type Count = (after: number, candidates: number) => { readonly count: number; readonly last: number }

/** How far the count of one audience is. */
interface Counting {
  readonly delivery: ActiveDelivery
  readonly count: Count
  readonly after: number
  readonly total: number
}

interface Dependencies {
  /** The audience of a delivery is counted: `more` devices than settled pages had. */
  readonly onCounted: (delivery: ActiveDelivery, more: number) => void
  /** A part could not be read: `again` tries once more. */
  readonly onUnreadable: (error: unknown, again: () => void) => void
}

/** Counts audiences beside the sending, in parts: `t` is known soon, and also while nothing can be sent. */
export class AudienceCounter {
  readonly #deps: Dependencies
  /** Audiences of many that are not counted: in each turn of the event loop a part of the next one is. */
  readonly #waiting: Counting[] = []

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  add(delivery: ActiveDelivery, count: Count): void {
    this.#later({ delivery, count, after: 0, total: 0 })
  }

  #later(counting: Counting): void {
    if (counting.delivery.record.lane === 'single') setImmediate(() => this.#count(counting))
    else if (this.#waiting.push(counting) === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    const [next] = this.#waiting
    if (next !== undefined) this.#count(next)
    this.#waiting.shift()
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }

  #count(counting: Counting): void {
    const { delivery, count, after, total } = counting
    let part = { count: 0, last: delivery.record.ceiling }
    try {
      // A finished delivery has met everybody.
      if (!delivery.isFinished) part = count(after, COUNT_CANDIDATES)
    } catch (error) {
      this.#deps.onUnreadable(error, () => this.#later(counting))
      return
    }
    const sum = total + part.count
    if (part.last < delivery.record.ceiling) this.#later({ delivery, count, after: part.last, total: sum })
    else this.#deps.onCounted(delivery, delivery.isFinished ? 0 : delivery.setAudienceSize(sum))
  }
}
