import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { Notification } from '../../notification/notification.ts'
import type { NamedPush } from '../push-search-store.ts'
import { IN_LISTS, SCHEDULED } from '../push-store.ts'

export interface PushText {
  readonly title: string | null
  readonly msg: string | null
  readonly many: boolean
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
  const soonest = database.reading<NamedPush, [limit: number]>(
    `SELECT id, application FROM push INDEXED BY push_scheduled
     WHERE ${SCHEDULED} AND parent IS NULL ORDER BY send_at LIMIT ?`,
  )

  return {
    /** `null`: erased in the meantime. */
    textOf(push: number): PushText | null {
      const row = text.get(push)
      if (row === null) return null
      const { title = null, msg } = storedJson(row.notification) as Notification
      return { title, msg, many: 'filter' in (storedJson(row.audience) as object) }
    },

    /** Of all applications, newest first. */
    newest: (limit: number): NamedPush[] => newest.all(limit),

    /** Of all applications, scheduled ones, soonest first. */
    soonest: (limit: number): NamedPush[] => soonest.all(limit),
  }
}
