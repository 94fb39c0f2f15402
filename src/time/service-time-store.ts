import type { Database } from '../database/database.ts'
import type { StoredRow, serviceTime } from '../database/schema.ts'
import type { ServiceMoment } from './service-clock.ts'

/** The table's first schema. */
export const SERVICE_TIME_SINCE = 30

/**
 * SQL, also for other processes that write: ms by which the time of day is ahead of service time; 0 before the first
 * start.
 */
export const WALL_AHEAD = '(SELECT coalesce(max(wall_ms - service_ms), 0) FROM service_time)'

export function createServiceTimeStore({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const read = database.statement<Omit<StoredRow<typeof serviceTime>, 'id'>, []>(
    'SELECT service_ms, wall_ms FROM service_time',
  )
  const write = database.statement<never, [service: number, wall: number]>(
    `INSERT INTO service_time (id, service_ms, wall_ms) VALUES (1, ?, ?)
     ON CONFLICT DO UPDATE SET service_ms = excluded.service_ms, wall_ms = excluded.wall_ms`,
  )
  return {
    /** `null` before the first start. */
    last(): ServiceMoment | null {
      const row = read.get()
      return row && { service: row.service_ms, wall: row.wall_ms }
    },

    note: ({ service, wall }: ServiceMoment): void => void write.run(service, wall),
  }
}
