import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { FailureCode } from '../failure.ts'
import type { AdminLogStore } from './admin-log-store.ts'
import { createAuditedCommit } from './audited-commit.ts'
import type { LoggedCall } from './audited-commit.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add'>
  readonly onError: (error: unknown) => void
}

export type CallLog = ReturnType<typeof createCallLog>

/**
 * Logs changes by code that does not know the audit log. Such code gets `commit`, which adds the entry of the call that
 * `during` runs, in the same transaction. A call with several transactions at a time may get several entries.
 */
export function createCallLog({ database, commit, log, onError }: Dependencies) {
  const running = new AsyncLocalStorage<{ readonly call: LoggedCall; isWritten: boolean }>()
  const audited = createAuditedCommit({ database, commit, log: { add: log.add } })

  const logged: Commit = async (operation) => {
    const current = running.getStore()
    if (current === undefined || current.isWritten) return commit(operation)
    const { result, isChange } = await audited(current.call, operation)
    current.isWritten ||= isChange
    return result
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
