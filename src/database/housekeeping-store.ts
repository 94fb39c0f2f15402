import type { Database } from './database.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Spec/decisions, "Devices": /feedback keeps 90 days; finished pushes are kept as long. */
const KEEP_MS = 90 * DAY_MS

/** Pushes erased at a time: their exceptions go with them, and nobody is to wait for it. */
const SWEEP_LIMIT = 200

/** What is erased when it is old enough. */
export function createHousekeeping({ database }: { database: Database }) {
  const feedback = database.statement<never, [number]>('DELETE FROM feedback WHERE at < ?')
  const pushes = database.statement<never, [number, number]>(
    // Only the oldest numbers are looked at: they are in the order of time, so no index of times is needed.
    `DELETE FROM push WHERE created_at < ? AND number < (SELECT min(number) FROM push) + ?
       AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.push = push.number AND d.finished_at IS NULL)`,
  )
  return {
    /** `now` in ms since the Unix epoch. Runs in a transaction of the caller. */
    sweep(now: number): void {
      feedback.run(now - KEEP_MS)
      pushes.run(now - KEEP_MS, SWEEP_LIMIT)
    },
  }
}
