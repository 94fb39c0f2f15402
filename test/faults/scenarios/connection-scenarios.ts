import { always } from '../gateways/plan.ts'
import type { PlannedReply } from '../gateways/plan.ts'
import { reached } from '../stage/settled.ts'
import type { Scenario } from './scenario.ts'

/** Time limit for a broadcast, in ms. */
const STEP_MS = 45_000

const CLOSING_MS = 10_000

/** Allowed for one credential during that time. */
const CONNECTIONS = 30

export const CONNECTION_SCENARIOS: readonly Scenario[] = [
  closing('closed-unanswered', 'without an answer', { kind: 'part', answered: false }),
  closing('closed-answered', 'with its answer', { kind: 'part', answered: true }),
  {
    name: 'continuation',
    what: 'the head of each answer of APNs in hundreds of CONTINUATION frames',
    promptMs: 45_000,
    // fetch cannot read such answers. The connection is given up at the second one, and requests go alone until an
    // answer was read.
    repeatedMost: 2,
    async run(stage) {
      stage.apns.plan = always({ kind: 'flood' })
      await stage.pushes.toAll()
      await stage.pushes.toOne(0)
      await reached(stage, STEP_MS)
      return stage.apns.arrivals.length
    },
  },
]

function closing(name: string, what: string, reply: PlannedReply): Scenario {
  return {
    name,
    what: `every connection is closed after one request, ${what}, for ${CLOSING_MS / 1000} s: no more than ${CONNECTIONS} of them`,
    async run(stage) {
      const gateways = [stage.apns, stage.fcm]
      for (const gateway of gateways) gateway.plan = always(reply)
      const before = gateways.map(({ connections }) => connections.total)
      await stage.pushes.toAll()
      await Bun.sleep(CLOSING_MS)
      for (const [at, gateway] of gateways.entries()) {
        const opened = gateway.connections.total - (before[at] ?? 0)
        if (opened > CONNECTIONS) stage.accuse(`connections in ${CLOSING_MS / 1000} s: ${opened}`)
        gateway.plan = null
      }
      await stage.pushes.toAll()
      return stage.apns.met + stage.fcm.met
    },
    patienceMs: 120_000,
  }
}
