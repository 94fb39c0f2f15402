import type { BadgeChange } from '../device/badge.ts'
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
  /** Writes until it succeeds. */
  readonly persist: <T>(operation: () => T) => Promise<T>
  /** A page of this push, `push.number`, may be sent. */
  readonly onLeased: (push: number) => void
}

/**
 * The badges that are stored with devices. A push changes them once, a page at a time, before anybody on it is sent to;
 * what is sent is what is stored by then.
 */
export class StoredBadges {
  readonly #deps: Dependencies
  #changes = 0

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** How often stored badges were changed, or were to be: by pages, and by calls. */
  get changes(): number {
    return this.#changes
  }

  /** A call changes a stored badge; for its transaction. */
  changed(): void {
    this.#changes++
  }

  /** The badge stored with a device, `device.id`; 0 where it is not registered any more. */
  of(device: number): number {
    return this.#deps.store.badgeOf(device)
  }

  /**
   * Changes the badges of a page for a push, except those that it changed before a crash. `onLeased` is told of the badges
   * of the page, by `device.id` and without devices that have left, when they are on disk; never where the push is over
   * by then. `onChanged` runs in the transaction, which may run twice; the last time counts.
   */
  lease<Moment>(
    delivery: OpenDelivery,
    devices: readonly number[],
    onChanged: () => Moment,
    onLeased: (badges: ReadonlyMap<number, number>, changed: Moment) => void,
  ): void {
    const write = () => {
      const badges = this.#change(delivery, devices)
      return badges && { badges, changed: onChanged() }
    }
    void this.#deps.persist(write).then((leased) => {
      if (leased === null) return
      onLeased(leased.badges, leased.changed)
      this.#deps.onLeased(delivery.push)
    })
  }

  #change(delivery: OpenDelivery, devices: readonly number[]): ReadonlyMap<number, number> | null {
    const { store, registry } = this.#deps
    const { badge } = delivery.notification
    const fresh = badge === null ? null : store.leaseBadges(delivery, devices)
    if (badge === null || fresh === null) return null
    this.#changes++
    const badges = new Map(fresh.length === 0 ? [] : registry.changeBadges(fresh, badge))
    const rest = devices.filter((device) => !badges.has(device))
    if (rest.length > 0) for (const { id, badge } of store.badgesOf(rest)) badges.set(id, badge)
    return badges
  }
}
