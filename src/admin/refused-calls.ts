import type { AnyElysia } from 'elysia'
import type { Commit } from '../database/group-commit.ts'
import type { FailureCode } from '../failure.ts'
import { PathTable, pathOf } from '../http/path-table.ts'
import type { AdminLogStore } from './admin-log-store.ts'
import type { Actor } from './administrator.ts'

/** Characters: a longer name in a path is of nothing here. */
const MAX_SUBJECT = 64

interface Dependencies {
  readonly commit: Commit
  readonly log: Pick<AdminLogStore, 'add'>
  readonly onError: (error: unknown) => void
}

export type RefusedCalls = ReturnType<typeof createRefusedCalls>

/** Logs refused changes. Refused reads are not logged. */
export function createRefusedCalls({ commit, log, onError }: Dependencies) {
  const actors = new WeakMap<Request, Actor>()
  /** Path → method → the action's name in the audit log. */
  const actions = new PathTable<Map<string, string>>()

  return {
    /** Reads the actions off the routes. */
    learn(routes: AnyElysia['routes']): void {
      const found = new Map<string, Map<string, string>>()
      for (const { path, method, hooks } of routes) {
        const action: unknown = hooks.detail?.['x-audit-action']
        if (typeof action === 'string') found.set(path, (found.get(path) ?? new Map()).set(method, action))
      }
      for (const [path, methods] of found) actions.set(path, methods)
    },

    came: (request: Request, actor: Actor): void => void actors.set(request, actor),

    refused(request: Request, code: FailureCode): void {
      const by = actors.get(request)
      const path = pathOf(request.url)
      const action = actions.find(path)?.get(request.method)
      if (by === undefined || action === undefined) return
      const result = code === 'InternalError' ? 'failed' : 'refused'
      commit(() => log.add(by, action, subjectIn(path), {}, { result, code })).catch(onError)
    },
  }
}

/** The application, token or administrator in a path. Paths of pushes do not name their application. */
function subjectIn(path: string): string {
  const [, , noun, name = ''] = path.split('/')
  const subject = noun === 'pushes' ? '' : decodeURIComponent(name)
  return subject.length > MAX_SUBJECT ? '' : subject
}
