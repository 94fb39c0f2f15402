import type { Delivery, Task } from '../open/delivery.ts'
import { QUEUES } from '../store/open-delivery.ts'
import type { Queue } from '../store/open-delivery.ts'
import type { ReadGuard } from './read-guard.ts'

/** Deliveries to send from: singles first, then a batch of each that goes to many, in turn. */
export function createLine(guard: ReadGuard) {
  const queues: Readonly<Record<Queue, Delivery[]>> = { single: [], many: [] }
  const members = new Set<Delivery>()
  const searching: Delivery[] = []

  function add(delivery: Delivery): void {
    if (delivery.phase !== 'open' || members.has(delivery) || guard.has(delivery)) return
    members.add(delivery)
    queues[delivery.record.queue].push(delivery)
  }

  function takeFrom(delivery: Delivery, now: number, samplePlace: number | null): Task | null {
    if (delivery.record.expiresAt <= now || guard.has(delivery)) return null
    try {
      return delivery.take(now, samplePlace)
    } catch (error) {
      guard.failed(delivery, error)
      return null
    }
  }

  return {
    add,

    take(now: number, samplePlace: number | null, onAsked: (delivery: Delivery) => void): Task | null {
      for (const queue of QUEUES) {
        const deliveries = queues[queue]
        for (let delivery = deliveries[0]; delivery !== undefined; delivery = deliveries[0]) {
          const task = takeFrom(delivery, now, samplePlace)
          onAsked(delivery)
          if (task !== null && !delivery.isAtBatchEnd) return task
          deliveries.shift()
          members.delete(delivery)
          if (task !== null) {
            add(delivery)
            return task
          }
          if (delivery.waitsFor === 'audience') searching.push(delivery)
        }
      }
      return null
    },

    get isSearching(): boolean {
      return searching.length > 0
    },

    searchOn(): boolean {
      const again = searching.splice(0)
      for (const delivery of again) add(delivery)
      return again.length > 0
    },
  }
}
