import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { FailureCode } from '../failure.ts'
import type { AdminLogEntry, AdminLogStore } from './admin-log-store.ts'
import type { Actor } from './administrator.ts'

/** A call for the audit log. */
export interface LoggedCall extends Pick<AdminLogEntry, 'action' | 'subject' | 'detail'> {
  readonly by: Actor
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add'>
  readonly onError: (error: unknown) => void
}

export type CallLog = ReturnType<typeof createCallLog>

/**
 * Logs changes made through code that knows nothing of the audit log: such code gets `commit`, which adds the entry of the
 * call that `during` runs to the same transaction as the change. So no change is without its entry, and no call needs a
 * second sync. A call that changes nothing gets no entry; one with several transactions at a time may get several.
 */
export function createCallLog({ database, commit, log, onError }: Dependencies) {
  const running = new AsyncLocalStorage<{ readonly call: LoggedCall; isWritten: boolean }>()
  const changes = database.statement<{ rows: number }, []>('SELECT total_changes() AS rows')
  const changed = () => changes.get()?.rows

  const logged: Commit = async (operation) => {
    const current = running.getStore()
    if (current === undefined || current.isWritten) return commit(operation)
    const { by, action, subject, detail } = current.call
    const done = await commit(() => {
      const before = changed()
      const result = operation()
      const isChange = changed() !== before
      if (isChange) log.add(by, action, subject, detail)
      return { result, isChange }
    })
    current.isWritten ||= done.isChange
    return done.result
  }

  return {
    commit: logged,

    during: <T>(call: LoggedCall, work: () => T): T => running.run({ call, isWritten: false }, work),

    /** Logs the running call, if any, as refused. */
    refused(code: FailureCode): void {
      const current = running.getStore()
      if (current === undefined) return
      const { by, action, subject, detail } = current.call
      commit(() => log.add(by, action, subject, detail, { result: 'refused', code })).catch(onError)
    },
  }
}
