import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import { withComponents } from '../http/document/components.ts'
import { failureHandler } from '../http/failure-handler.ts'
import type { OnRefused } from '../http/failures.ts'
import type { Log } from '../log.ts'
import type { AdminGate } from './admin-gate.ts'
import type { AuditedCalls } from './audited-calls.ts'

interface Dependencies {
  readonly log: Log
  readonly gate: AdminGate
  readonly calls: Pick<AuditedCalls, 'learn' | 'refused'>
  /** The page's plugin answers all other paths. */
  readonly routes: readonly AnyElysia[]
}

export function createAdminApi({ log, gate, calls, routes }: Dependencies) {
  const onRefused: OnRefused = (request, _, { code }) => calls.refused(request, code)
  const app = new Elysia({ name: 'admin', strictPath: true }).use(failureHandler(log, onRefused, onRefused)).use(gate)
  for (const plugin of routes) app.use(plugin)
  calls.learn(app.routes)
  // On demand: it takes as long as all routes, and most starts never need it.
  let document: string | null = null
  app.get('/openapi.json', async () => {
    if (document === null) {
      const { adminDocument } = await import('./admin-document.ts')
      document = JSON.stringify(withComponents(adminDocument(app.routes)))
    }
    return new Response(document, { headers: { 'content-type': 'application/json' } })
  })
  return app
}
