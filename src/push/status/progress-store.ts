import type { Database } from '../../database/database.ts'
import type { PlatformProgress } from './status.ts'

interface Row extends Omit<PlatformProgress, 'open'> {
  readonly open: number
}

/**
 * By delivery: one that settles pages before its audience is counted has more answers than addressed devices, and would
 * hide what waits in another.
 */
const waiting = (done: string) => `sum(iif(finished_at IS NULL, max(${done} - accepted - failed, 0), 0))`

/** `PlatformProgress` describes the columns. */
const progressOf = (condition: string) =>
  `SELECT platform, coalesce(sum(addressed), 0) AS t, sum(accepted) AS s, sum(failed) AS failed, sum(removed) AS removed,
     ${waiting('coalesce(addressed, 0)')} AS waiting, ${waiting('settled')} AS retrying,
     count(*) - count(finished_at) AS open, min(started_at) AS startedAt,
     iif(count(*) = count(finished_at), max(finished_at), NULL) AS finishedAt, max(refused) AS refused
   FROM delivery WHERE ${condition} GROUP BY platform ORDER BY platform`

export type ProgressStore = ReturnType<typeof createProgressStore>

/**
 * One entry per platform; none before the push has gone out. `prepare` chooses the connection: `database.statement` in
 * a transaction of the caller, `database.reading` elsewhere.
 */
export function createProgressStore(prepare: Database['statement']) {
  const ofPush = prepare<Row, [number]>(
    progressOf('push IN (SELECT number FROM push WHERE number = ?1 OR parent = ?1)'),
  )
  const named = prepare<{ number: number; application: number }, [string]>(
    'SELECT number, application FROM push WHERE id = ?',
  )

  const progressOfOne = (push: number): PlatformProgress[] => ofPush.all(push).map(shown)

  return {
    /** Of one push and its waves. */
    of: progressOfOne,

    /** `id`: UUID. */
    named(id: string): { readonly application: number; readonly platforms: readonly PlatformProgress[] } | null {
      const push = named.get(id)
      return push && { application: push.application, platforms: progressOfOne(push.number) }
    },
  }
}

function shown(row: Row): PlatformProgress {
  return { ...row, open: row.open > 0 }
}
