import type { Database } from './database.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Spec/decisions, "Devices": /feedback keeps 90 days; finished pushes are kept as long. */
const KEEP_MS = 90 * DAY_MS

/** Answers to an Idempotency-Key (`push/idempotency.ts`). */
const KEEP_KEYS_MS = 30 * DAY_MS

/** Pushes looked at in one sweep, and rows erased that hang on them: nobody is to wait long for it. */
const SWEEP_LIMIT = 200
const ROW_LIMIT = 5000

interface PushRow {
  number: number
  created_at: number
  over: 0 | 1
}

/** What is erased when it is old enough. */
export function createHousekeeping({ database }: { database: Database }) {
  const feedback = database.statement<never, [number]>('DELETE FROM feedback WHERE at < ?')
  const keys = database.statement<never, [number]>('DELETE FROM idempotency WHERE created_at < ?')
  // What waits for its moment, or went out late, is kept for as long from then on; a push by local time as long as any
  // of its turns.
  const oldest = database.statement<PushRow, [number, number, number]>(
    `SELECT number, created_at, coalesce(cancelled_at, released_at, created_at) < ?1
       AND (released_at IS NOT NULL OR cancelled_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM push turn WHERE turn.parent = push.number)
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
  /** Up to which push has been looked. Their numbers are in the order of time, so no index of times is needed. */
  let lookedTo = 0

  /** With what hangs on it, as far as `rows` go; how many of them are left, 0 when it is not all erased. */
  function erasePush(number: number, rows: number): number {
    let left = rows
    for (const statement of [exceptions, opens]) {
      if (left > 0) left -= statement.run(number, left).changes
    }
    if (left > 0) erase.run(number)
    return left
  }

  function sweepPushes(before: number): boolean {
    const rows = oldest.all(before, lookedTo, SWEEP_LIMIT)
    let left = ROW_LIMIT
    for (const { number, over } of rows) {
      if (over === 1) left = erasePush(number, left)
      if (left === 0) return true
      lookedTo = number
    }
    const last = rows.at(-1)
    const more = last !== undefined && last.created_at < before && rows.length === SWEEP_LIMIT
    // Where the old ones end the next sweep begins anew: some were not over.
    if (!more) lookedTo = 0
    return more
  }

  return {
    /**
     * Some of what is old enough, in a few ms; whether there may be more. `now` in ms since the Unix epoch. Runs in a
     * transaction of the caller.
     */
    sweep(now: number): boolean {
      feedback.run(now - KEEP_MS)
      keys.run(now - KEEP_KEYS_MS)
      return sweepPushes(now - KEEP_MS)
    },
  }
}
