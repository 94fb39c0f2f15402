import { Elysia } from 'elysia'
import type { AnyElysia } from 'elysia'
import type { Log } from '../log.ts'
import { docs } from './docs.ts'
import { failures } from './failures.ts'
import type { Gate } from './gate.ts'

interface Dependencies {
  readonly gate: Gate
  readonly log: Log
  /** The routes of the contract, one plugin a noun. */
  readonly routes: readonly AnyElysia[]
}

/** The public API: the contract's routes behind the gate, its documentation, and /healthz. */
export function createApi({ gate, log, routes }: Dependencies) {
  const contract = new Elysia({ name: 'contract' })
  for (const plugin of routes) contract.use(plugin)
  const app = new Elysia({ name: 'api', strictPath: true })
    .use(failures(log))
    .use(gate.plugin)
    .get('/healthz', () => ({ status: 'ok' }), { detail: { hide: true } })
    .use(contract)
    .use(docs(contract))
  gate.learn(app)
  return app
}
