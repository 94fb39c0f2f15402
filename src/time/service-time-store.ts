import type { Database } from '../database/database.ts'
import type { StoredRow, serviceTime } from '../database/schema.ts'
import type { ServiceMoment } from './service-clock.ts'

/** The schema in which it first is. */
export const SERVICE_TIME_SINCE = 30

/**
 * In a statement: by how many ms the time of day is ahead of service time, 0 before the first start. For what other
 * processes than the server write, too.
 */
export const WALL_AHEAD = '(SELECT coalesce(max(wall_ms - service_ms), 0) FROM service_time)'

/** Where service time is from one run to the next. */
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

    /** Runs in a transaction of the caller. */
    note: ({ service, wall }: ServiceMoment): void => void write.run(service, wall),
  }
}
