import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { Notification } from '../../notification/notification.ts'

/** What a push says, for a list of them. */
export interface PushText {
  readonly title: string | null
  readonly msg: string | null
  /** For many devices, or for one. */
  readonly many: boolean
}

/** A push without what became of it. */
interface NewestPush {
  readonly id: string
  /** `application.number` */
  readonly application: number
}

export type PushSummaryStore = ReturnType<typeof createPushSummaryStore>

/** Pushes for whoever looks through them. */
export function createPushSummaryStore({ database }: { database: Pick<Database, 'reading'> }) {
  const text = database.reading<{ notification: string; audience: string }, [push: number]>(
    'SELECT notification, audience FROM push WHERE number = ?',
  )
  const newest = database.reading<NewestPush, [limit: number]>(
    'SELECT id, application FROM push WHERE parent IS NULL ORDER BY number DESC LIMIT ?',
  )

  return {
    /** Of the push, `push.number`; `null`: it was erased meanwhile. */
    textOf(push: number): PushText | null {
      const row = text.get(push)
      if (row === null) return null
      const { title = null, msg } = storedJson(row.notification) as Notification
      return { title, msg, many: 'filter' in (storedJson(row.audience) as object) }
    },

    /** The last pushes of all applications, the newest first. */
    newest: (limit: number): NewestPush[] => newest.all(limit),
  }
}
