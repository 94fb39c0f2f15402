import type { Database } from '../../database/database.ts'
import { WAITING } from './recipient-result-store.ts'

/** Rows moved in one step: some milliseconds. */
const STEP = 2000

/**
 * Columns of an index, the time among them, and behind it what sets rows of one time apart. `latest`: the time that a start
 * believes at most, of its own time and the longest wait from then on. Who was put back by a pause waits for nothing else.
 */
const SHIFTED = [
  {
    from: 'FROM push_exception INDEXED BY push_exception_due',
    update: 'UPDATE push_exception INDEXED BY push_exception_due',
    where: WAITING,
    time: 'due_at',
    index: ['push', 'platform', 'due_at', 'device'],
    latest: `iif(state = 'retry' AND attempt = 0, ?, ?)`,
  },
  {
    from: 'FROM delivery INDEXED BY delivery_waiting',
    update: 'UPDATE delivery INDEXED BY delivery_waiting',
    where: 'finished_at IS NULL AND waits_until IS NOT NULL',
    time: 'waits_until',
    index: ['application', 'platform', 'lane', 'waits_until', 'push'],
    latest: `min(coalesce((SELECT min(due_at) FROM push_exception e
      WHERE e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING}), ?), ?)`,
  },
] as const

/** Up to where the rows of a table, one of `SHIFTED`, are moved. */
export interface Shifted {
  readonly table: number
  readonly after: readonly number[]
}

/**
 * Who waits is due earlier, because times were written down while the clock was wrong. Each step looks at some of them,
 * behind `from`, in a transaction of the caller, and says how far it came, `null` when that was all. What is moved comes
 * to lie before where it was found, and is not found again.
 */
export function createTimeShift(database: Pick<Database, 'statement'>) {
  const tables = SHIFTED.map(({ from, update, where, time, index, latest }) => {
    const key = index.join(', ')
    const places = index.map(() => '?').join(', ')
    const rows = `${where} AND (${key}) > (${places})`
    return {
      last: database.statement<Record<string, number>, number[]>(
        `SELECT ${key} ${from} WHERE ${rows} ORDER BY ${key} LIMIT 1 OFFSET ${STEP - 1}`,
      ),
      move: database.statement<never, number[]>(
        `${update} SET ${time} = ${time} - ? WHERE ${rows} AND (${key}) <= (${places})`,
      ),
      bound: database.statement<never, number[]>(
        `${update} SET ${time} = ${latest} WHERE ${rows} AND (${key}) <= (${places}) AND ${time} > ${latest}`,
      ),
      first: index.map(() => -1),
      end: index.map(() => Number.MAX_SAFE_INTEGER),
    }
  })

  type Rows = readonly [after: readonly number[], upTo: readonly number[]]

  function step(from: Shifted | null, change: (table: (typeof tables)[number], rows: Rows) => void): Shifted | null {
    const number = from?.table ?? 0
    const table = tables[number]
    if (table === undefined) return null
    const after = from?.after ?? table.first
    const last = table.last.get(...after)
    const upTo = last === null ? table.end : Object.values(last)
    change(table, [after, upTo])
    if (last !== null) return { table: number, after: upTo }
    const next = tables[number + 1]
    return next === undefined ? null : { table: number + 1, after: next.first }
  }

  return {
    /** The clock was put back by `byMs` milliseconds. */
    shift: (byMs: number, from: Shifted | null): Shifted | null =>
      step(from, ({ move }, [after, upTo]) => void move.run(byMs, ...after, ...upTo)),

    /** Since a start at `now` nobody waits longer than until `until`; both in ms since the Unix epoch. */
    bound: (now: number, until: number, from: Shifted | null): Shifted | null =>
      step(from, ({ bound }, [after, upTo]) => void bound.run(now, until, ...after, ...upTo, now, until)),
  }
}
