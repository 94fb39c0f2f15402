import type { Delivery, Task } from '../open/delivery.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { Queue } from '../store/open-delivery.ts'
import type { ReadGuard } from './read-guard.ts'

/**
 * Deliveries that may have somebody to send to now: singles first, then a batch of each that goes to many. After its
 * turn a delivery goes behind the others.
 */
export class Line {
  readonly #guard: ReadGuard
  readonly #queues: Readonly<Record<Queue, Delivery[]>> = { single: [], many: [] }
  /** The deliveries in `#queues`. */
  readonly #members = new Set<Delivery>()
  /** Deliveries whose last read found nobody, and that have more to read. */
  readonly #searching: Delivery[] = []

  constructor(guard: ReadGuard) {
    this.#guard = guard
  }

  /** Puts a delivery behind the others of its queue, unless it is there. */
  add(delivery: Delivery): void {
    if (delivery.phase !== 'open' || this.#members.has(delivery) || this.#guard.has(delivery)) return
    this.#members.add(delivery)
    this.#queues[delivery.record.queue].push(delivery)
  }

  /**
   * The next recipient; `null` if there is none now. `samplePlace`: as in `Delivery.take`. Calls `onAsked` with each
   * delivery that it has tried.
   */
  take(now: number, samplePlace: number | null, onAsked: (delivery: Delivery) => void): Task | null {
    for (const queue of QUEUES) {
      const deliveries = this.#queues[queue]
      for (let delivery = deliveries[0]; delivery !== undefined; delivery = deliveries[0]) {
        const task = this.#takeFrom(delivery, now, samplePlace)
        onAsked(delivery)
        if (task !== null && !delivery.isAtBatchEnd) return task
        // Nobody to send to, or at the end of a batch: the next delivery.
        deliveries.shift()
        this.#members.delete(delivery)
        if (task !== null) {
          this.add(delivery)
          return task
        }
        if (delivery.waitsFor === 'audience') this.#searching.push(delivery)
      }
    }
    return null
  }

  /** Puts the deliveries back that are searching; returns whether there are any. */
  searchOn(): boolean {
    const searching = this.#searching.splice(0)
    for (const delivery of searching) this.add(delivery)
    return searching.length > 0
  }

  get isSearching(): boolean {
    return this.#searching.length > 0
  }

  /** `null` also if its audience cannot be read now. */
  #takeFrom(delivery: Delivery, now: number, samplePlace: number | null): Task | null {
    if (delivery.messages.expiresAt <= now || this.#guard.has(delivery)) return null
    try {
      return delivery.take(now, samplePlace)
    } catch (error) {
      this.#guard.failed(delivery, error)
      return null
    }
  }
}
