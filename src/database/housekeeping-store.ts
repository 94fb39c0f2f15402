import type { Database } from './database.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Spec/decisions, "Devices": /feedback keeps 90 days; finished pushes are kept as long. */
const KEEP_MS = 90 * DAY_MS

/** Answers to an Idempotency-Key (`push/idempotency.ts`). */
const KEEP_KEYS_MS = 30 * DAY_MS

/** Pushes looked at in one sweep: their exceptions go with them, and nobody is to wait for it. */
const SWEEP_LIMIT = 200

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
  const erase = database.statement<never, [number]>('DELETE FROM push WHERE number = ?')
  /** Up to which push has been looked. Their numbers are in the order of time, so no index of times is needed. */
  let lookedTo = 0

  function sweepPushes(before: number): void {
    const rows = oldest.all(before, lookedTo, SWEEP_LIMIT)
    for (const { number, over } of rows) if (over === 1) erase.run(number)
    const last = rows.at(-1)
    // Where the old ones end the next sweep begins anew: some were not over.
    lookedTo = last !== undefined && last.created_at < before && rows.length === SWEEP_LIMIT ? last.number : 0
  }

  return {
    /** `now` in ms since the Unix epoch. Runs in a transaction of the caller. */
    sweep(now: number): void {
      feedback.run(now - KEEP_MS)
      keys.run(now - KEEP_KEYS_MS)
      sweepPushes(now - KEEP_MS)
    },
  }
}
