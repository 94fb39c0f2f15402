import type { ActiveDelivery } from '../active-delivery.ts'
import type { Lane } from '../store/open-delivery.ts'

/** Why a delivery is loaded: it is the next of its lane; a recipient is due again; its time to live is over. */
export type LoadReason = 'queued' | 'due' | 'expired'

/**
 * Slots for open deliveries in memory, by lane; the rest waits in the database. Each reason has slots of its own: new
 * deliveries and retries do not keep each other out, and the end of a time to live is told also while nothing can be
 * sent. A delivery holds its slot until its end, or its parking, is on disk, so that a crash sends no more than so many
 * singles again.
 */
const SLOTS: Readonly<Record<LoadReason, Readonly<Record<Lane, number>>>> = {
  queued: { single: 512, many: 32 },
  due: { single: 128, many: 16 },
  expired: { single: 128, many: 16 },
}

/** The deliveries of one sender that are in memory. */
export class LoadedDeliveries {
  readonly #loaded = new Map<number, { readonly delivery: ActiveDelivery; readonly reason: LoadReason }>()
  readonly #taken = {
    queued: { single: 0, many: 0 },
    due: { single: 0, many: 0 },
    expired: { single: 0, many: 0 },
  } satisfies Record<LoadReason, Record<Lane, number>>

  get size(): number {
    return this.#loaded.size
  }

  all(): ActiveDelivery[] {
    return Array.from(this.#loaded.values(), ({ delivery }) => delivery)
  }

  /** The delivery of this push, `push.number`, if it is in memory. */
  find(push: number): ActiveDelivery | null {
    return this.#loaded.get(push)?.delivery ?? null
  }

  /** Free slots; none before half of them are free, so that one query finds many. */
  free(reason: LoadReason, lane: Lane): number {
    const slots = SLOTS[reason][lane]
    const taken = this.#taken[reason][lane]
    return taken <= slots / 2 ? slots - taken : 0
  }

  add(delivery: ActiveDelivery, reason: LoadReason): void {
    this.#loaded.set(delivery.record.push, { delivery, reason })
    this.#taken[reason][delivery.record.lane]++
  }

  remove(delivery: ActiveDelivery): void {
    const loaded = this.#loaded.get(delivery.record.push)
    if (loaded?.delivery !== delivery) return
    this.#loaded.delete(delivery.record.push)
    this.#taken[loaded.reason][delivery.record.lane]--
  }

  clear(): void {
    for (const delivery of this.all()) this.remove(delivery)
  }
}
