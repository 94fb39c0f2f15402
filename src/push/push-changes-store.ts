import { logChanges } from '../database/change-log-store.ts'
import type { ChangeLog } from '../database/change-log-store.ts'
import type { Database } from '../database/database.ts'

/** Of a push as callers see it: its waves are parts of it. */
export interface PushChange {
  /** `ended`: one of its deliveries, or it was cancelled. */
  readonly event: 'accepted' | 'released' | 'started' | 'ended'
  readonly at: number
  readonly number: number
  readonly id: string
  readonly application: number
  /** `null`: at once. */
  readonly sendAt: number | null
}

export function logPushChanges({ database }: { readonly database: Database }): ChangeLog<PushChange> {
  const becomes = (column: string) => `old.${column} IS NULL AND new.${column} IS NOT NULL`
  const started = `SELECT count(started_at)
    FROM (SELECT coalesce(parent, number) AS whole FROM push WHERE number = new.push)
      JOIN delivery ON push IN (SELECT number FROM push WHERE number = whole OR parent = whole)`
  return logChanges(
    database,
    'event, push, at',
    [
      {
        table: 'push',
        on: 'insert',
        when: 'new.parent IS NULL',
        values: `'accepted', new.number, new.created_at`,
      },
      {
        table: 'push',
        on: 'update',
        column: 'released_at',
        when: `new.parent IS NULL AND ${becomes('released_at')}`,
        values: `'released', new.number, new.released_at`,
      },
      {
        table: 'push',
        on: 'update',
        column: 'cancelled_at',
        when: becomes('cancelled_at'),
        values: `'ended', new.number, new.cancelled_at`,
      },
      {
        table: 'delivery',
        on: 'update',
        column: 'started_at',
        when: `${becomes('started_at')} AND (${started}) = 1`,
        values: `'started', new.push, new.started_at`,
      },
      {
        table: 'delivery',
        on: 'update',
        column: 'finished_at',
        when: becomes('finished_at'),
        values: `'ended', new.push, new.finished_at`,
      },
    ],
    `SELECT c.event, c.at, w.number, w.id, w.application, w.send_at AS sendAt
     FROM changes c JOIN push p ON p.number = c.push JOIN push w ON w.number = coalesce(p.parent, p.number)
     WHERE w.takes_back IS NOT 0 ORDER BY n`,
  )
}
