import type { Audience } from '../../audience/filter.ts'
import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { Notification } from '../../notification/notification.ts'
import type { NamedPush } from '../push-search-store.ts'
import { IN_LISTS, SCHEDULED } from '../push-store.ts'

export interface PushText {
  readonly title: string | null
  readonly msg: string | null
  readonly many: boolean
  /** By local time: `2026-12-24T09:00`. */
  readonly local: string | null
}

export type PushSummaryStore = ReturnType<typeof createPushSummaryStore>

/** For lists of pushes. */
export function createPushSummaryStore({ database }: { database: Pick<Database, 'reading'> }) {
  const text = database.reading<{ notification: string; audience: string }, [push: number]>(
    'SELECT notification, audience FROM push WHERE number = ?',
  )
  const newest = database.reading<NamedPush, [limit: number]>(
    `SELECT id, application FROM push WHERE ${IN_LISTS} ORDER BY number DESC LIMIT ?`,
  )
  // By local time until the last wave has gone out: `NOT EXISTS` leaves the next of its waves.
  const soonest = database.reading<NamedPush, [limit: number]>(
    `SELECT coalesce((SELECT id FROM push AS whole WHERE whole.number = push.parent), id) AS id, application
     FROM push INDEXED BY push_scheduled
     WHERE ${SCHEDULED} AND NOT EXISTS (
       SELECT 1 FROM push AS before WHERE before.released_at IS NULL AND (before.number = push.parent
         OR before.parent = push.parent AND before.send_at < push.send_at))
     ORDER BY send_at LIMIT ?`,
  )

  return {
    /** `null`: erased in the meantime. */
    textOf(push: number): PushText | null {
      const row = text.get(push)
      if (row === null) return null
      const { title = null, msg } = storedJson(row.notification) as Notification
      const audience = storedJson(row.audience) as Audience
      const many = 'filter' in audience
      return { title, msg, many, local: (many && audience.local) || null }
    },

    /** Of all applications, newest first. */
    newest: (limit: number): NamedPush[] => newest.all(limit),

    /** Of all applications, scheduled ones, soonest first. */
    soonest: (limit: number): NamedPush[] => soonest.all(limit),
  }
}
