import type { ActiveDelivery } from './active-delivery.ts'
import type { Lane } from './store/open-delivery.ts'

/** Why a delivery is loaded: its turn has come; somebody of it is to be sent to again; its time to live is over. */
export type Cause = 'turn' | 'due' | 'expired'

/**
 * Open deliveries of a lane held in memory; the rest waits in the database. Those loaded out of their turn have places
 * of their own: what is new and what is sent again do not keep each other out, and the end of a time to live is told
 * also while nothing can be sent. A delivery holds its place until its end, or that it waits, is on disk, so that a crash
 * sends no more than so many singles again.
 */
const PLACES: Readonly<Record<Cause, Readonly<Record<Lane, number>>>> = {
  turn: { single: 512, many: 32 },
  due: { single: 128, many: 16 },
  expired: { single: 128, many: 16 },
}

/** The deliveries of one sender that are in memory. */
export class Places {
  readonly #held = new Map<number, { readonly delivery: ActiveDelivery; readonly cause: Cause }>()
  readonly #taken = {
    turn: { single: 0, many: 0 },
    due: { single: 0, many: 0 },
    expired: { single: 0, many: 0 },
  } satisfies Record<Cause, Record<Lane, number>>

  get size(): number {
    return this.#held.size
  }

  all(): ActiveDelivery[] {
    return Array.from(this.#held.values(), ({ delivery }) => delivery)
  }

  /** The delivery of this push, `push.number`, if it is in memory. */
  find(push: number): ActiveDelivery | null {
    return this.#held.get(push)?.delivery ?? null
  }

  /** How many may come in; none before half of the places are free, so that one query finds many. */
  free(cause: Cause, lane: Lane): number {
    const places = PLACES[cause][lane]
    const taken = this.#taken[cause][lane]
    return taken <= places / 2 ? places - taken : 0
  }

  put(delivery: ActiveDelivery, cause: Cause): void {
    this.#held.set(delivery.record.push, { delivery, cause })
    this.#taken[cause][delivery.record.lane]++
  }

  leave(delivery: ActiveDelivery): void {
    const held = this.#held.get(delivery.record.push)
    if (held?.delivery !== delivery) return
    this.#held.delete(delivery.record.push)
    this.#taken[held.cause][delivery.record.lane]--
  }

  clear(): void {
    for (const delivery of this.all()) this.leave(delivery)
  }
}
