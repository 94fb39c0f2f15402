import type { Database } from '../../database/database.ts'

/** Columns of the index `delivery_expiring`; the push sets apart what expires at once. */
export const KEY = ['application', 'platform', 'lane', 'expires_at', 'push']
  .map((column) => `delivery.${column}`)
  .join(', ')
const VALUES = '(?, ?, ?, ?, ?)'

/** Where an open delivery stands in the index by the end of its time to live: the values of its columns. */
export type ExpiryKey = readonly number[]

/** The key before all of an application's platform, or of everything. */
export const beforeAll = (application = -1, platform = -1): ExpiryKey => [application, platform, -1, -1, -1]

const LAST = Number.MAX_SAFE_INTEGER

/** The key behind all of an application's platform, or of everything. */
export const behindAll = (application = LAST, platform = LAST): ExpiryKey => [application, platform, LAST, LAST, LAST]

/** In a condition: rows of `delivery` behind one key, up to another, both to be bound in this order. */
export const ALONG = `finished_at IS NULL AND (${KEY}) > ${VALUES} AND (${KEY}) <= ${VALUES}`

/** The index, behind the table's name: open deliveries may be few among many finished ones. */
export const BY_END = 'INDEXED BY delivery_expiring'

/**
 * Goes through open deliveries a step of `size` rows at a time: says where the step behind `from` ends, `null` where
 * everything up to `end` is in it.
 */
export function createExpiryScan(database: Pick<Database, 'statement'>, size: number) {
  const next = database.statement<Record<string, number>, number[]>(
    `SELECT ${KEY} FROM delivery ${BY_END} WHERE ${ALONG} ORDER BY ${KEY} LIMIT 1 OFFSET ${size - 1}`,
  )
  return (from: ExpiryKey, end: ExpiryKey): ExpiryKey | null => {
    const row = next.get(...from, ...end)
    return row === null ? null : Object.values(row)
  }
}
