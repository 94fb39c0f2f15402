import type { AnyElysia } from 'elysia'
import type { Database } from '../database/database.ts'
import type { Commit } from '../database/group-commit.ts'
import type { FailureCode } from '../failure.ts'
import { PathTable, pathOf } from '../http/path-table.ts'
import type { AdminLogStore } from './admin-log-store.ts'
import type { Actor } from './administrator.ts'
import { createAuditedCommit } from './audited-commit.ts'
import type { LoggedCall, Note } from './audited-commit.ts'

/** Characters. Longer names do not exist here. */
const MAX_SUBJECT = 64

const CHANGING = ['POST', 'PUT', 'PATCH', 'DELETE']

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add' | 'watch'>
  readonly onError: (error: unknown) => void
}

/** Commits a change with its audit log entry: the action of the route on `subject`, an application by its ID. */
export type Change = <T>(subject: string, work: (note: Note) => T, detail?: LoggedCall['detail']) => Promise<T>

export type AuditedCalls = ReturnType<typeof createAuditedCalls>

/** Logs changes, and refused calls except reads. */
export function createAuditedCalls({ database, commit, log, onError }: Dependencies) {
  const audited = createAuditedCommit({ database, commit, log })
  const actors = new WeakMap<Request, Actor>()
  /** By method, then path: a fixed path of one method must not hide another's pattern. */
  const actions = new Map<string, PathTable<string>>()
  const actionOf = ({ url, method }: Request) => actions.get(method)?.find(pathOf(url)) ?? null

  return {
    learn(routes: AnyElysia['routes']): void {
      for (const { path, method, hooks } of routes) {
        // Handed on: its changes are logged by what they are, and refused ones that got no further as `call`.
        const action: unknown = hooks.detail?.['x-audit-action'] ?? (method === 'ALL' ? 'call' : null)
        if (typeof action !== 'string') continue
        for (const one of method === 'ALL' ? CHANGING : [method]) {
          const table = actions.get(one) ?? new PathTable<string>()
          actions.set(one, table)
          table.set(path, action)
        }
      }
    },

    came(request: Request, by: Actor): Change {
      actors.set(request, by)
      return async (subject, work, detail = {}) => {
        const action = actionOf(request)
        if (action === null) throw new Error('a change by a route without an action')
        return (await audited({ by, action, subject, detail }, work)).result
      }
    },

    refused(request: Request, code: FailureCode): void {
      const by = actors.get(request)
      const action = actionOf(request)
      if (by === undefined || action === null) return
      const result = code === 'InternalError' ? 'failed' : 'refused'
      commit(() => log.add(by, action, subjectIn(pathOf(request.url)), {}, { result, code })).catch(onError)
    },
  }
}

/** The application, token or administrator in a path. Paths of pushes do not name their application. */
function subjectIn(path: string): string {
  const [, , noun, name = ''] = path.split('/')
  const subject = noun === 'pushes' ? '' : decodeURIComponent(name)
  return subject.length > MAX_SUBJECT ? '' : subject
}
