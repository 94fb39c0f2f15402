import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import { failures, noSuchPath, refuse } from '../http/failures.ts'
import { pathOf } from '../http/path-table.ts'
import type { Log } from '../log.ts'
import type { AdminGate } from './admin-gate.ts'

interface Dependencies {
  readonly log: Log
  readonly gate: AdminGate
  /** One plugin a noun. */
  readonly routes: readonly AnyElysia[]
}

/** What the admin listener answers, apart from the public one. */
export function createAdminApi({ log, gate, routes }: Dependencies) {
  const app = new Elysia({ name: 'admin', strictPath: true }).use(failures(log)).use(gate)
  for (const plugin of routes) app.use(plugin)
  return app.all('*', ({ request }) => refuse(noSuchPath(pathOf(request.url))))
}
