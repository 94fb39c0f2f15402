import type { Database } from '../database/database.ts'
import { IN_LISTS, SCHEDULED } from './push-store.ts'
import { createProgressStore } from './status/progress-store.ts'

export interface PushName {
  readonly number: number
  readonly id: string
  readonly application: number
}

export interface NewPushName extends PushName {
  readonly createdAt: number
  /** `null`: now. */
  readonly sendAt: number | null
}

export type PushChangesStore = ReturnType<typeof createPushChangesStore>

/** For a reader that polls 4 times a second: a few rows by key each. */
export function createPushChangesStore({ database }: { database: Pick<Database, 'reading'> }) {
  const highest = database.reading<{ number: number | null }, []>('SELECT max(number) AS number FROM push')
  const since = database.reading<NewPushName, [number, number | null, number]>(
    `SELECT number, id, application, created_at AS createdAt, send_at AS sendAt FROM push
     WHERE number > ?1 AND (?2 IS NULL OR application = ?2) AND ${IN_LISTS} ORDER BY number LIMIT ?3`,
  )
  const counted = database.reading<
    { application: number; count: number; first: number; last: number },
    [number, number | null]
  >(
    `SELECT application, count(*) AS count, min(number) AS first, max(number) AS last FROM push
     WHERE number > ?1 AND (?2 IS NULL OR application = ?2) AND ${IN_LISTS} GROUP BY application`,
  )
  const open = database.reading<PushName, [number | null, number]>(
    `SELECT DISTINCT w.number, w.id, w.application
     FROM (SELECT push FROM delivery WHERE finished_at IS NULL AND (?1 IS NULL OR application = ?1) LIMIT ?2) d
     JOIN push p ON p.number = d.push AND p.takes_back IS NOT 0
     JOIN push w ON w.number = coalesce(p.parent, p.number)`,
  )
  const waiting = database.reading<PushName, [number | null, number]>(
    `SELECT number, id, application FROM push
     WHERE ${SCHEDULED} AND parent IS NULL AND (?1 IS NULL OR application = ?1)
     ORDER BY send_at LIMIT ?2`,
  )
  const opened = database.reading<{ id: string; opened: number }, [number, number]>(
    `SELECT id, (SELECT coalesce(sum(count), 0) FROM push_receipt WHERE push = number AND event = 0) AS opened
     FROM push WHERE application = ? AND ${IN_LISTS} ORDER BY number DESC LIMIT ?`,
  )

  return {
    highest: (): number => highest.get()?.number ?? 0,

    /** After number `after`, of one application or (`null`) all. */
    since: (after: number, application: number | null, limit: number): NewPushName[] =>
      since.all(after, application, limit),

    countSince: (after: number, application: number | null) => counted.all(after, application),

    open: (application: number | null, limit: number): PushName[] => open.all(application, limit),

    /** Soonest first. */
    waiting: (application: number | null, limit: number): PushName[] => waiting.all(application, limit),

    /** Summed up for pushes `first` to `last`. */
    batch: createProgressStore((sql) => database.reading(sql)).ofRange,

    opened: (application: number, limit: number) => opened.all(application, limit),
  }
}
