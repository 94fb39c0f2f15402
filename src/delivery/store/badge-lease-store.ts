import type { Database } from '../../database/database.ts'
import type { StoredRow, badgeLease } from '../../database/schema.ts'
import type { DeliveryKey } from './open-delivery.ts'

/** Whose badge a push has changed and who is not settled yet: a page read again after a crash changes none twice. */
export function createBadgeLeaseStore({ database }: { database: Pick<Database, 'statement'> }) {
  const leased = database.statement<{ device: number }, [push: number, platform: number, first: number, last: number]>(
    `SELECT d.value AS device FROM badge_lease l CROSS JOIN json_each(l.devices) d
     WHERE l.push = ?1 AND l.platform = ?2 AND l.last >= ?3 AND l.first <= ?4`,
  )
  type Row = StoredRow<typeof badgeLease>
  const put = database.statement<never, [Row['push'], Row['platform'], Row['last'], Row['first'], Row['devices']]>(
    'INSERT INTO badge_lease (push, platform, last, first, devices) VALUES (?, ?, ?, ?, ?)',
  )
  const drop = database.statement<never, [push: number, platform: number, upTo: number]>(
    'DELETE FROM badge_lease WHERE push = ? AND platform = ? AND last <= ?',
  )
  return {
    /** Returns those devices of a page whose badge the push has not changed before. */
    lease({ push, platform }: DeliveryKey, devices: readonly number[]): readonly number[] {
      const before = new Set(
        leased.all(push, platform, Math.min(...devices), Math.max(...devices)).map(({ device }) => device),
      )
      const fresh = before.size === 0 ? devices : devices.filter((device) => !before.has(device))
      if (fresh.length > 0) {
        put.run(push, platform, Math.max(...fresh), Math.min(...fresh), JSON.stringify(fresh))
      }
      return fresh
    },

    /** Every device up to `upTo`, `device.id`, is settled. */
    settled: ({ push, platform }: DeliveryKey, upTo: number): void => void drop.run(push, platform, upTo),
  }
}
