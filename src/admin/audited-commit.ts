import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { AdminLogEntry, AdminLogStore } from './admin-log-store.ts'
import type { Actor } from './administrator.ts'

export interface LoggedCall extends Pick<AdminLogEntry, 'action' | 'subject' | 'detail'> {
  readonly by: Actor
}

/** Adds facts that are only known after the change. */
export type Note = (more: Partial<Pick<LoggedCall, 'subject' | 'detail'>>) => void

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add'> & Partial<Pick<AdminLogStore, 'watch'>>
}

/**
 * Commits work and its audit log entry in one transaction. Work that changes no row gets no entry. With `log.watch`, the
 * entry shows changed settings of the application `subject`.
 */
export function createAuditedCommit({ database, commit, log }: Dependencies) {
  const rows = database.statement<{ rows: number }, []>('SELECT total_changes() AS rows')
  const changedRows = () => rows.get()?.rows

  return <T>(call: LoggedCall, work: (note: Note) => T) =>
    commit(() => {
      let noted = call
      const changes = log.watch?.(call.subject)
      const before = changedRows()
      const result = work((more) => void (noted = { ...noted, ...more }))
      const isChange = changedRows() !== before
      if (isChange) log.add(noted.by, noted.action, noted.subject, noted.detail, changes && { changes: changes() })
      return { result, isChange }
    })
}
