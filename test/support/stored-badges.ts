import type { Database } from '../../src/database/database.ts'
import { StoredBadges } from '../../src/delivery/stored-badges.ts'
import type { BadgeRegistry } from '../../src/delivery/stored-badges.ts'
import type { DeliveryStore } from '../../src/delivery/store/delivery-store.ts'

/** The badges of a registry, each change a transaction of its own. */
export function storedBadges(
  { database, devices }: { database: Database; devices: BadgeRegistry },
  store: DeliveryStore,
  onLeased: () => void = () => {},
): StoredBadges {
  return new StoredBadges({
    store,
    registry: devices,
    persist: async (operation) => database.transact(operation as () => never),
    onLeased,
  })
}
