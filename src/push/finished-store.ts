import type { Database } from '../database/database.ts'
import type { EventStore } from '../webhook/event-store.ts'

interface PushRow {
  readonly number: number
  readonly id: string
  readonly t: number
  readonly s: number
  readonly failed: number
  readonly refused: string | null
  readonly cancelled: 0 | 1
  readonly started: number | null
  readonly finished: number | null
  readonly open: number
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly events: Pick<EventStore, 'isWanted' | 'pushFinished'>
}

export type FinishedStore = ReturnType<typeof createFinishedStore>

/** Tells of pushes that are over, each once. Runs in transactions of the caller; `now` is ms since the Unix epoch. */
export function createFinishedStore({ database, events }: Dependencies) {
  // A push by local time is many, of which callers know the one that the others belong to. What has not gone out yet
  // keeps it open, unless it is called off.
  const find = database.statement<PushRow, [number]>(
    `WITH root AS (SELECT r.* FROM push p JOIN push r ON r.number = coalesce(p.parent, p.number) WHERE p.number = ?),
       family AS (SELECT * FROM root UNION ALL SELECT p.* FROM push p JOIN root r ON p.parent = r.number)
     SELECT r.number, r.id, r.cancelled_at IS NOT NULL AS cancelled,
       coalesce(sum(d.addressed), 0) AS t, coalesce(sum(d.accepted), 0) AS s, coalesce(sum(d.failed), 0) AS failed,
       max(d.refused) AS refused,
       coalesce(min(d.started_at), min(f.released_at)) AS started, max(d.finished_at) AS finished,
       count(*) FILTER (WHERE d.push IS NOT NULL AND d.finished_at IS NULL
         OR f.send_at IS NOT NULL AND f.released_at IS NULL AND f.cancelled_at IS NULL) AS open
     FROM root r, family f LEFT JOIN delivery d ON d.push = f.number GROUP BY r.number`,
  )
  const noteTold = database.statement<never, [number, number]>(
    'UPDATE push SET told_at = ? WHERE number = ? AND told_at IS NULL',
  )
  const numberOf = database.statement<{ number: number }, [string, number]>(
    'SELECT number FROM push WHERE id = ? AND application = ?',
  )

  /**
   * Something of this push, `push.number`, is over: one of its deliveries, or what was still to come of it. Tells of the
   * push if nothing is left.
   */
  function tell({ push, application }: { readonly push: number; readonly application: number }, now: number): void {
    if (!events.isWanted(application, 'push.finished')) return
    const row = find.get(push)
    if (row === null || row.open > 0 || noteTold.run(now, row.number).changes === 0) return
    const { id, t, s, failed, refused, started, finished } = row
    const cancelled = row.cancelled === 1
    events.pushFinished(application, { id, cancelled, t, s, failed, refused, started, finished: finished ?? now }, now)
  }

  return {
    tell,

    /** The push with this UUID is called off: tells of it, if nothing of it is being sent. */
    tellCancelled(application: number, id: string, now: number): void {
      const row = numberOf.get(id, application)
      if (row !== null) tell({ push: row.number, application }, now)
    },
  }
}
