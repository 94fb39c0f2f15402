import type { Task } from './open/delivery.ts'
import type { DeviceRegistry } from './sender-context.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { OpenDelivery } from './store/open-delivery.ts'

interface Dependencies {
  readonly store: Pick<DeliveryStore, 'leaseBadges' | 'badgesOf' | 'badgeOf'>
  readonly registry: Pick<DeviceRegistry, 'changeBadges'>
}

interface LeasedBadges {
  /** By `device.id`, without devices that have left. */
  readonly badges: ReadonlyMap<number, number>
  /** See `changesBeside`. */
  readonly badgeChanges: number
}

/**
 * The badges stored with devices. A push changes them a page at a time, once, before anybody on the page is sent to;
 * what is sent is what is stored by then.
 */
export class StoredBadges {
  readonly #deps: Dependencies
  /** Number of changes, by pages and calls, started ones included. */
  #changes = 0
  readonly #ownChanges = new WeakMap<OpenDelivery, number>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** A call changes a stored badge; for its transaction. */
  changed(): void {
    this.#changes++
  }

  /** Number of changes not made by this delivery, whose own pages are of different devices. */
  changesBeside(delivery: OpenDelivery): number {
    return this.#changes - (this.#ownChanges.get(delivery) ?? 0)
  }

  /** The badge to show: the stored one, 0 if the device is not registered any more. */
  shownTo({ recipient, batch, delivery }: Task): number | null {
    const { badge, device } = recipient
    if (badge === null || batch.badgeChanges === this.changesBeside(delivery.record)) return badge
    return this.#deps.store.badgeOf(device)
  }

  /**
   * Changes the badges of a page, except those that the push changed before a crash; `null` if the push has ended. Runs
   * in a transaction of the caller, which may run twice.
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
