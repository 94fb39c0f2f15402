import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, badgeLease } from '../../database/schema.ts'
import type { DeliveryKey } from './open-delivery.ts'

/** Unsettled devices whose badge a push has changed: a page read again after a crash changes none twice. */
export function createBadgeLeaseStore({ database }: { database: Pick<Database, 'statement'> }) {
  type Row = StoredRow<typeof badgeLease>
  const leased = database.statement<{ device: number }, [push: number, platform: number, first: number, last: number]>(
    `SELECT d.value AS device FROM badge_lease l CROSS JOIN json_each(l.devices) d
     WHERE l.push = ?1 AND l.platform = ?2 AND l.last >= ?3 AND l.first <= ?4`,
  )
  const put = database.statement<never, [Row['push'], Row['platform'], Row['last'], Row['first'], Row['devices']]>(
    'INSERT INTO badge_lease (push, platform, last, first, devices) VALUES (?, ?, ?, ?, ?)',
  )
  const drop = database.statement<never, [push: number, platform: number, from: number, upTo: number]>(
    'DELETE FROM badge_lease WHERE push = ? AND platform = ? AND last BETWEEN ? AND ?',
  )
  const ofDevices = database.statement<Row, [application: number, after: number, upTo: number, devices: string]>(
    `SELECT l.* FROM push p CROSS JOIN badge_lease l ON l.push = p.number
     WHERE p.application = ?1 AND p.number > ?2 AND p.number <= ?3
       AND EXISTS (SELECT 1 FROM json_each(?4) d WHERE d.value BETWEEN l.first AND l.last)`,
  )

  function add(push: number, platform: Row['platform'], devices: readonly number[]): void {
    if (devices.length === 0) return
    put.run(push, platform, Math.max(...devices), Math.min(...devices), JSON.stringify(devices))
  }

  return {
    lease({ push, platform }: Pick<DeliveryKey, 'push' | 'platform'>, devices: readonly number[]): readonly number[] {
      const [first, last] = [Math.min(...devices), Math.max(...devices)]
      const before = new Set(leased.all(push, platform, first, last).map(({ device }) => device))
      const fresh = before.size === 0 ? devices : devices.filter((device) => !before.has(device))
      add(push, platform, fresh)
      return fresh
    },

    /** Erases devices, by `device.id`, from pushes with `after` < number <= `upTo`. */
    forget(application: number, erased: readonly number[], after: number, upTo: number): void {
      for (const { push, platform, last, devices } of ofDevices.all(application, after, upTo, JSON.stringify(erased))) {
        drop.run(push, platform, last, last)
        const others = (storedJson(devices) as readonly number[]).filter((device) => !erased.includes(device))
        add(push, platform, others)
      }
    },

    settled: ({ push, platform }: DeliveryKey, upTo: number): void => void drop.run(push, platform, 0, upTo),
  }
}
