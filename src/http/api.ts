import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Log } from '../log.ts'
import { compatible } from './compat.ts'
import { docs } from './docs.ts'
import { failureHandler } from './failure-handler.ts'
import type { OnRefused } from './failures.ts'
import type { JsonSchema } from './fields.ts'
import type { Gate } from './gate.ts'
import { manual } from './manual.ts'

interface Dependencies {
  readonly gate: Gate
  readonly log: Log
  readonly onRefused?: OnRefused
  readonly routes: readonly AnyElysia[]
  readonly pages?: readonly AnyElysia[]
  /** See `compat.ts`. */
  readonly compat?: boolean
  /** For the documentation. */
  readonly headerPrefixes?: readonly string[]
  /** Whether to serve /docs, /openapi.json, /manual and /llms.txt. */
  readonly documented?: boolean
  readonly webhooks?: JsonSchema
}

export function createApi(deps: Dependencies) {
  const { gate, log, onRefused, routes, pages = [], compat = false } = deps
  const { documented = true, headerPrefixes = [], webhooks = {} } = deps
  const contract = compat ? compatible(routes) : together(routes)
  const app = new Elysia({ name: 'api', strictPath: true })
    .use(failureHandler(log, onRefused))
    .use(gate.plugin)
    .get('/healthz', () => ({ status: 'ok' }), { detail: { hide: true } })
    .use(contract)
  for (const page of pages) app.use(page)
  if (documented) app.use(docs(contract, { compat, headerPrefixes, webhooks })).use(manual())
  gate.learn(app)
  return app
}

function together(plugins: readonly AnyElysia[]): AnyElysia {
  const contract = new Elysia({ name: 'contract' })
  for (const plugin of plugins) contract.use(plugin)
  return contract
}
