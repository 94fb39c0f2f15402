import type { Database } from '../database/database.ts'
import { WAITING } from './exception-store.ts'

/** Rows moved in one step: some milliseconds. */
const STEP = 2000

/** Columns of an index, the time among them, and behind it what sets rows of one time apart. */
const SHIFTED = [
  {
    table: 'push_exception INDEXED BY push_exception_due',
    where: WAITING,
    time: 'due_at',
    index: ['push', 'platform', 'due_at', 'device'],
  },
  {
    table: 'delivery INDEXED BY delivery_waiting',
    where: 'finished_at IS NULL AND waits_until IS NOT NULL',
    time: 'waits_until',
    index: ['application', 'platform', 'lane', 'waits_until', 'push'],
  },
] as const

/** Up to where the rows of a table, one of `SHIFTED`, are moved. */
export interface Shifted {
  readonly table: number
  readonly after: readonly number[]
}

/**
 * The clock was put back by `byMs` milliseconds: who waits is due that much earlier. Moves some of them, behind `from`,
 * in a transaction of the caller; says how far it came, `null` when that was all. What is moved comes to lie before where
 * it was found, and is not found again.
 */
export function createTimeShift(database: Pick<Database, 'statement'>) {
  const tables = SHIFTED.map(({ table, where, time, index }) => {
    const key = index.join(', ')
    const places = index.map(() => '?').join(', ')
    const rows = `${where} AND (${key}) > (${places})`
    return {
      last: database.statement<Record<string, number>, number[]>(
        `SELECT ${key} FROM ${table} WHERE ${rows} ORDER BY ${key} LIMIT 1 OFFSET ${STEP - 1}`,
      ),
      move: database.statement<never, number[]>(
        `UPDATE ${table} SET ${time} = ${time} - ? WHERE ${rows} AND (${key}) <= (${places})`,
      ),
      first: index.map(() => -1),
      end: index.map(() => Number.MAX_SAFE_INTEGER),
    }
  })

  return (byMs: number, from: Shifted | null): Shifted | null => {
    const number = from?.table ?? 0
    const table = tables[number]
    if (table === undefined) return null
    const after = from?.after ?? table.first
    const last = table.last.get(...after)
    const upTo = last === null ? table.end : Object.values(last)
    table.move.run(byMs, ...after, ...upTo)
    if (last !== null) return { table: number, after: upTo }
    const next = tables[number + 1]
    return next === undefined ? null : { table: number + 1, after: next.first }
  }
}
