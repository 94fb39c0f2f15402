import type { Database } from '../database/database.ts'
import type { EventStore } from '../webhook/event-store.ts'
import { createProgressStore } from './status/progress-store.ts'
import { startedAtOf, totalOf } from './status/status.ts'

interface PushRow {
  readonly number: number
  readonly id: string
  readonly cancelled: 0 | 1
  /** Of the first wave. */
  readonly released: number | null
  readonly toCome: number
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly events: Pick<EventStore, 'isWanted' | 'pushFinished'>
}

export type FinishedStore = ReturnType<typeof createFinishedStore>

/** Reports each finished push once. */
export function createFinishedStore({ database, events }: Dependencies) {
  // Callers know a push by local time by its parent. Waves to come keep it open unless cancelled.
  const find = database.statement<PushRow, [number]>(
    `SELECT w.number, w.id, w.cancelled_at IS NOT NULL AS cancelled, min(f.released_at) AS released,
       count(*) FILTER (WHERE f.send_at IS NOT NULL AND f.released_at IS NULL AND f.cancelled_at IS NULL) AS toCome
     FROM push p JOIN push w ON w.number = coalesce(p.parent, p.number)
       JOIN push f ON f.number = w.number OR f.parent = w.number
     WHERE p.number = ? AND p.takes_back IS NOT 0 GROUP BY w.number`,
  )
  const progress = createProgressStore((sql) => database.statement(sql))
  const noteTold = database.statement<never, [number, number]>(
    'UPDATE push SET told_at = ? WHERE number = ? AND told_at IS NULL',
  )
  const numberOf = database.statement<{ number: number }, [string, number]>(
    'SELECT number FROM push WHERE id = ? AND application = ?',
  )

  /** Call this when a delivery of `push.number` has ended, or its future part was cancelled. */
  function tell({ push, application }: { readonly push: number; readonly application: number }, now: number): void {
    if (!events.isWanted(application, 'push.finished')) return
    const row = find.get(push)
    if (row === null || row.toCome > 0) return
    const platforms = progress.of(row.number)
    if (platforms.some(({ open }) => open) || noteTold.run(now, row.number).changes === 0) return
    const refusals = platforms.flatMap(({ refused }) => refused ?? [])
    const ends = platforms.flatMap(({ finishedAt }) => finishedAt ?? [])
    const { t, s, failed } = totalOf(platforms)
    const over = {
      id: row.id,
      cancelled: row.cancelled === 1,
      t,
      s,
      failed,
      refused: refusals.toSorted().at(-1) ?? null,
      started: startedAtOf(platforms) ?? row.released,
      finished: ends.length > 0 ? Math.max(...ends) : now,
    }
    events.pushFinished(application, over, now)
  }

  return {
    tell,

    /** `id`: UUID. */
    tellCancelled(application: number, id: string, now: number): void {
      const row = numberOf.get(id, application)
      if (row !== null) tell({ push: row.number, application }, now)
    },
  }
}
