import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Log } from '../log.ts'
import { compatible } from './compat.ts'
import { docs } from './docs.ts'
import { failures } from './failures.ts'
import type { OnRefused } from './failures.ts'
import type { JsonSchema } from './fields.ts'
import type { Gate } from './gate.ts'
import { manual } from './manual.ts'

interface Dependencies {
  readonly gate: Gate
  readonly log: Log
  readonly onRefused?: OnRefused
  /** The routes of the contract, one plugin a noun. */
  readonly routes: readonly AnyElysia[]
  /** What browsers load: open to everybody, and in no documentation. Default none. */
  readonly pages?: readonly AnyElysia[]
  /** Whether to serve clients of the original service as they expect. Default false. */
  readonly compat?: boolean
  /** NAMEs of which X-NAME-APPID and X-NAME-SECRET are read too; only for the documentation. Default none. */
  readonly headerPrefixes?: readonly string[]
  /** Whether there are /docs, /openapi.json and /manual. Default true. */
  readonly documented?: boolean
  /** What the service calls, by event; only for the documentation. Default nothing. */
  readonly webhooks?: JsonSchema
}

/** The public API: the contract's routes behind the gate, its documentation, and /healthz. */
export function createApi(deps: Dependencies) {
  const { gate, log, onRefused, routes, pages = [], compat = false } = deps
  const { documented = true, headerPrefixes = [], webhooks = {} } = deps
  const contract = compat ? compatible(routes) : together(routes)
  const app = new Elysia({ name: 'api', strictPath: true })
    .use(failures(log, onRefused))
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
