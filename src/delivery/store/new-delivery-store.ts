import type { Audience } from '../../audience/filter.ts'
import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import { WALL_AHEAD } from '../../time/service-time-store.ts'
import { QUEUE_NUMBER } from './open-delivery.ts'

export function createNewDeliveryStore({ database }: { database: Pick<Database, 'statement'> }) {
  const insert = database.statement<never, [number, Platform, number, 0 | 1, number]>(
    `INSERT INTO delivery (push, platform, application, lane, expires_at) VALUES (?, ?, ?, ?, ? - ${WALL_AHEAD})`,
  )
  return {
    /**
     * For each platform of a push, in the transaction that releases it. `expiresAt`: ms since the Unix epoch, stored as
     * service time.
     */
    add(application: number, push: number, audience: Audience, expiresAt: number): void {
      const platforms = 'filter' in audience ? audience.filter.platforms : [audience.platform]
      const lane = QUEUE_NUMBER['filter' in audience ? 'many' : 'single']
      for (const platform of platforms) insert.run(push, platform, application, lane, expiresAt)
    },
  }
}
