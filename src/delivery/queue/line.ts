import type { Delivery, Task } from '../open/delivery.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { Queue } from '../store/open-delivery.ts'
import type { ReadGuard } from './read-guard.ts'

interface Waiting {
  readonly deliveries: Delivery[]
  readonly members: Set<Delivery>
}

/**
 * Deliveries that may have somebody to send to now, each once: singles first, then a batch of each that goes to many. Who
 * is served goes behind the others.
 */
export class Line {
  readonly #guard: ReadGuard
  readonly #queues: Readonly<Record<Queue, Waiting>> = { single: newQueue(), many: newQueue() }
  /** Deliveries whose last read found nobody, and that have more to look at. */
  readonly #searching: Delivery[] = []

  constructor(guard: ReadGuard) {
    this.#guard = guard
  }

  /** Puts a delivery behind the others of its queue. */
  add(delivery: Delivery): void {
    if (delivery.phase !== 'open' || this.#guard.has(delivery)) return
    const { deliveries, members } = this.#queues[delivery.record.queue]
    if (members.has(delivery)) return
    members.add(delivery)
    deliveries.push(delivery)
  }

  /**
   * Takes the next recipient; `null` when there is none now. `samplePlace`: better one from there in an audience, as in
   * `Delivery.take`. Calls `onAsked` with each delivery that it has tried.
   */
  take(now: number, samplePlace: number | null, onAsked: (delivery: Delivery) => void): Task | null {
    for (const queue of QUEUES) {
      const { deliveries, members } = this.#queues[queue]
      for (let delivery = deliveries[0]; delivery !== undefined; delivery = deliveries[0]) {
        const task = this.#takeFrom(delivery, now, samplePlace)
        onAsked(delivery)
        if (task !== null && !delivery.isAtBatchEnd) return task
        // Nobody to send to, or a batch is through: the next delivery.
        deliveries.shift()
        members.delete(delivery)
        if (task !== null) {
          this.add(delivery)
          return task
        }
        if (delivery.search === 'reading') this.#searching.push(delivery)
      }
    }
    return null
  }

  /** Puts deliveries back that are still searching; whether there are any. */
  searchOn(): boolean {
    const searching = this.#searching.splice(0)
    for (const delivery of searching) this.add(delivery)
    return searching.length > 0
  }

  /** Whether there are deliveries that are still searching. */
  get isSearching(): boolean {
    return this.#searching.length > 0
  }

  /** `null` also where its audience cannot be read now. */
  #takeFrom(delivery: Delivery, now: number, samplePlace: number | null): Task | null {
    if (delivery.messages.expiresAt <= now) return null
    if (this.#guard.has(delivery)) return null
    try {
      return delivery.take(now, samplePlace)
    } catch (error) {
      this.#guard.failed(delivery, error)
      return null
    }
  }
}

const newQueue = (): Waiting => ({ deliveries: [], members: new Set() })
