import { DAY_MS } from '../clock.ts'
import type { Database } from './database.ts'

/** Finished pushes; the feedback is kept as long (test/api/contract/10-device-details.test.ts). */
export const KEEP_MS = 90 * DAY_MS

/** Answers to an Idempotency-Key (`push/idempotency.ts`). */
const KEEP_KEYS_MS = 30 * DAY_MS

/** Pushes looked at in one step, and rows erased that hang on them; and answers to keys. */
const SWEEP_LIMIT = 50
const ROW_LIMIT = 500
const KEY_LIMIT = 100

interface PushRow {
  number: number
  created_at: number
  over: 0 | 1
}

/**
 * Erases some of what is over its time, found along an index: 2 or 3 ms of work, in a transaction of the caller, for
 * nobody is to wait long for it. `now` in ms since the Unix epoch; `after` is 0 at first, then what the step before
 * returned. `null`: that was all.
 */
export type Sweep = (now: number, after: number) => number | null

/** Of answers to Idempotency-Keys, and of pushes. */
export function createHousekeeping({ database }: { database: Database }) {
  const keys = database.statement<{ push: number }, [before: number, limit: number]>(
    `DELETE FROM idempotency WHERE (application, key) IN (
       SELECT application, key FROM idempotency WHERE created_at < ? LIMIT ?) RETURNING push`,
  )
  // What waits for its moment, or went out late, is kept for as long from then on; a push by local time as long as any
  // of its waves. Numbers are in the order of time, so no index of times is needed.
  const oldest = database.statement<PushRow, [number, number, number]>(
    `SELECT number, created_at, coalesce(cancelled_at, released_at, created_at) < ?1
       AND (released_at IS NOT NULL OR cancelled_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM push wave WHERE wave.parent = push.number)
       AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.push = push.number AND d.finished_at IS NULL) AS over
     FROM push WHERE number > ?2 ORDER BY number LIMIT ?3`,
  )
  const exceptions = database.statement<never, [number, number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? LIMIT ?)`,
  )
  const opens = database.statement<never, [number, number]>(
    `DELETE FROM opened WHERE (push, device) IN (SELECT push, device FROM opened WHERE push = ? LIMIT ?)`,
  )
  const erase = database.statement<never, [number]>('DELETE FROM push WHERE number = ?')

  /** With what hangs on it, as far as `rows` go; how many of them are left, 0 when it is not all erased. */
  function erasePush(number: number, rows: number): number {
    let left = rows
    for (const statement of [exceptions, opens]) {
      if (left > 0) left -= statement.run(number, left).changes
    }
    if (left > 0) erase.run(number)
    return left
  }

  return {
    keys: (now) => (keys.all(now - KEEP_KEYS_MS, KEY_LIMIT).length < KEY_LIMIT ? null : 0),

    pushes: (now, after) => {
      const before = now - KEEP_MS
      const rows = oldest.all(before, after, SWEEP_LIMIT)
      let left = ROW_LIMIT
      let lookedTo = after
      for (const { number, over } of rows) {
        if (over === 1) left = erasePush(number, left)
        if (left === 0) return lookedTo
        lookedTo = number
      }
      const last = rows.at(-1)
      return last !== undefined && last.created_at < before && rows.length === SWEEP_LIMIT ? lookedTo : null
    },
  } satisfies Record<string, Sweep>
}
