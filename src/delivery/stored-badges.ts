import type { BadgeChange } from '../device/badge.ts'
import type { Task } from './open/delivery.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'

/** The registry of devices, for badges; runs inside the transaction that leases a page. */
export interface BadgeRegistry {
  /** Changes the badges of devices; says what each has by then, of those that now have another one. */
  changeBadges(devices: readonly number[], change: BadgeChange): ReadonlyMap<number, number>
}

interface Dependencies {
  readonly store: Pick<DeliveryStore, 'leaseBadges' | 'badgesOf' | 'badgeOf'>
  readonly registry: BadgeRegistry
}

/** By `device.id`, without devices that have left. */
interface LeasedBadges {
  readonly badges: ReadonlyMap<number, number>
  /** See `changesBeside`. */
  readonly badgeChanges: number
}

/**
 * The badges that are stored with devices. A push changes them once, a page at a time, before anybody on it is sent to;
 * what is sent is what is stored by then.
 */
export class StoredBadges {
  readonly #deps: Dependencies
  /** How often stored badges were changed, or were to be: by pages, and by calls. */
  #changes = 0
  readonly #ownChanges = new WeakMap<OpenDelivery, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** A call changes a stored badge; for its transaction. */
  changed(): void {
    this.#changes++
  }

  /** How often anything but this delivery has changed stored badges: its own pages are of different devices. */
  changesBeside(delivery: OpenDelivery): number {
    return this.#changes - (this.#ownChanges.get(delivery) ?? 0)
  }

  /** The badge that a recipient is to show: what is stored, 0 where the device is not registered any more. */
  shownTo({ recipient, batch, delivery }: Task): number | null {
    const { badge, device } = recipient
    if (badge === null || batch.badgeChanges === this.changesBeside(delivery.record)) return badge
    return this.#deps.store.badgeOf(device)
  }

  /**
   * Changes the badges of a page for a push, except those that it changed before a crash; `null` where the push is over.
   * Runs in a transaction of the caller, which may run twice.
   */
  lease(delivery: OpenDelivery, devices: readonly number[]): LeasedBadges | null {
    const { store, registry } = this.#deps
    const { badge } = delivery.notification
    const fresh = badge === null ? null : store.leaseBadges(delivery, devices)
    if (badge === null || fresh === null) return null
    this.#changes++
    this.#ownChanges.set(delivery, (this.#ownChanges.get(delivery) ?? 0) + 1)
    const badges = new Map(fresh.length === 0 ? [] : registry.changeBadges(fresh, badge))
    const rest = devices.filter((device) => !badges.has(device))
    if (rest.length > 0) for (const { id, badge } of store.badgesOf(rest)) badges.set(id, badge)
    return { badges, badgeChanges: this.changesBeside(delivery) }
  }
}
