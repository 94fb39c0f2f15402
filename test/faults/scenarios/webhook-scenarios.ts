import { chance } from '../../support/chance.ts'
import { runCommand } from '../../support/service-process.ts'
import { within } from '../../support/until.ts'
import { reached } from '../stage/settled.ts'
import type { Scenario } from './scenario.ts'

/** One event each. A receiver of 200 events a second needs four fifths of the time limit. */
const PUSHES = 600

/** Share of first calls that fail. */
const SHARE = 0.1

/** Time limit for all events, in ms. */
const TOLD_MS = 20_000

interface Told {
  readonly id: string
  readonly t: number
  readonly s: number
  readonly failed: number
}

export const WEBHOOK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'webhook-fails',
    what: `a webhook receiver that fails one call in ten; ${PUSHES} events within ${TOLD_MS / 1000} s`,
    async run(stage) {
      const { application, program, data, seed, ledger, pushes } = stage
      const calls = new Map<string, number>()
      const told = new Map<string, Told>()
      let met = 0
      using receiver = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        development: false,
        async fetch(request) {
          const event = request.headers.get('webhook-id') ?? ''
          const { data: push } = (await request.json()) as { readonly data: Told }
          calls.set(event, (calls.get(event) ?? 0) + 1)
          if (calls.get(event) === 1 && chance(seed, 'webhook', push.id) < SHARE) {
            met++
            return new Response(null, { status: 500 })
          }
          told.set(push.id, push)
          return new Response(null, { status: 204 })
        },
      })
      const url = `--url=http://127.0.0.1:${receiver.port}/`
      await runCommand(program, ['app', 'webhook', application.id, url, '--events=push.finished', `--data=${data}`])
      await stage.stop()
      await stage.start({ env: { BELLHOP_WEBHOOK_PRIVATE: 'on' } })
      await Promise.all(Array.from({ length: PUSHES }, (_, n) => pushes.toOne(n % 2 === 0 ? 0 : 1)))
      await reached(stage, TOLD_MS)
      const untold = () => ledger.pushes.filter(({ id }) => id !== null && !told.has(id)).length
      await within(TOLD_MS, () => untold() === 0, 50)
      if (untold() > 0) stage.accuse(`events not told within ${TOLD_MS / 1000} s: ${untold()}`)
      const wrong = [...told.values()].filter(({ t, s, failed }) => t !== 1 || s !== 1 || failed !== 0).length
      if (wrong > 0) stage.accuse(`events with wrong numbers: ${wrong}`)
      return met
    },
  },
]
