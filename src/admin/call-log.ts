import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { FailureCode } from '../failure.ts'
import type { AdminLogEntry, AdminLogStore } from './admin-log-store.ts'
import type { Actor } from './administrator.ts'

/** A call by somebody of the admin side, as it is to be written down. */
export interface LoggedCall extends Pick<AdminLogEntry, 'action' | 'subject' | 'detail'> {
  readonly by: Actor
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add'>
  /** Hears why a refusal could not be written down. */
  readonly onError: (error: unknown) => void
}

export type CallLog = ReturnType<typeof createCallLog>

/**
 * Writes down who has changed something through code that knows of no administrators: `commit` is for that code, and what
 * is committed while `during` runs a call has the call's entry in the same transaction. So there is no change without its
 * entry, whenever the process ends, and no sync beside that of the change. A call that changes nothing has none; one that
 * changes something in several transactions at a time may have several.
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

    /** Runs `work` as a part of `call`. */
    during: <T>(call: LoggedCall, work: () => T): T => running.run({ call, isWritten: false }, work),

    /** The call that runs, if any, is refused. */
    refused(code: FailureCode): void {
      const current = running.getStore()
      if (current === undefined) return
      const { by, action, subject, detail } = current.call
      commit(() => log.add(by, action, subject, detail, { result: 'refused', code })).catch(onError)
    },
  }
}
