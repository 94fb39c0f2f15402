import type { Database } from '../database/database.ts'

/** Columns of the index `delivery_expiring`; the push sets apart what expires at once. */
export const KEY = ['application', 'platform', 'lane', 'expires_at', 'push']
  .map((column) => `delivery.${column}`)
  .join(', ')
const VALUES = '(?, ?, ?, ?, ?)'

/** Where an open delivery stands in the index by the end of its time to live: the values of its columns. */
export type WalkPlace = readonly number[]

/** Before all of an application's platform, or of everything. */
export const before = (application = -1, platform = -1): WalkPlace => [application, platform, -1, -1, -1]

const LAST = Number.MAX_SAFE_INTEGER

/** Behind all of an application's platform, or of everything. */
export const behind = (application = LAST, platform = LAST): WalkPlace => [application, platform, LAST, LAST, LAST]

/** In a condition: which rows of `delivery` lie behind a place, up to another, both to be bound in this order. */
export const ALONG = `finished_at IS NULL AND (${KEY}) > ${VALUES} AND (${KEY}) <= ${VALUES}`

/** The same on the way back. */
export const BACK = `finished_at IS NULL AND (${KEY}) < ${VALUES} AND (${KEY}) >= ${VALUES}`

/** To be named with them, behind the table: what is open may be few among many that are over. */
export const BY_END = 'INDEXED BY delivery_expiring'

/**
 * Goes through open deliveries a step of `size` rows at a time: says where the step behind `from` ends, `null` where
 * everything up to `end` is in it.
 */
export function createOpenWalk(database: Pick<Database, 'statement'>, size: number) {
  const next = (rows: string, order: string) =>
    database.statement<Record<string, number>, number[]>(
      `SELECT ${KEY} FROM delivery ${BY_END} WHERE ${rows}
       ORDER BY ${KEY.replaceAll(',', ` ${order},`)} ${order} LIMIT 1 OFFSET ${size - 1}`,
    )
  const [along, back] = [next(ALONG, 'ASC'), next(BACK, 'DESC')]
  const placeOf = (row: Record<string, number> | null): WalkPlace | null => (row === null ? null : Object.values(row))
  return {
    along: (from: WalkPlace, end: WalkPlace): WalkPlace | null => placeOf(along.get(...from, ...end)),
    back: (from: WalkPlace, end: WalkPlace): WalkPlace | null => placeOf(back.get(...from, ...end)),
  }
}
