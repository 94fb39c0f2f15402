import { join } from 'node:path'
import { chance } from '../../support/chance.ts'
import { always, someFirst } from '../gateways/plan.ts'
import { analyticsOf } from '../stage/api.ts'
import { settled } from '../stage/settled.ts'
import type { Stage } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

/** Longest time from a broadcast to a kill, in ms: about what the broadcast takes at this latency. */
const BROADCAST_MS = 800
const LATENCY_MS = [5, 120] as const
/** The same for a start. */
const START_MS = 500

/** Longer than the lease of a recipient whose process died, in ms. */
const LEASE_MS = 70_000

/** How long another process locks the database, and how long pushes are sent, in ms. */
const LOCK_MS = 3_000
const TRAFFIC_MS = 3_000

const LOCKER = Bun.fileURLToPath(import.meta.resolve('../stage/lock-database.ts'))

export const PROCESS_SCENARIOS: readonly Scenario[] = [
  {
    name: 'kill',
    what: 'kill -9 at random moments, the start among them',
    async run(stage, { rounds, quick }) {
      slowDown(stage)
      if (!quick) rememberRetries(stage)
      for (let round = 1; round <= rounds; round++) await killOnce(stage, round, round === 1)
      // With a badge only when no other push is open: two at once may show the same number.
      const alone = await settled(stage, LEASE_MS)
      await killOnce(stage, rounds + 1, alone)
      return stage.killedAt.size
    },
    patienceMs: 100_000,
  },
  {
    name: 'sigterm',
    what: 'SIGTERM in the middle of a broadcast, three times: it ends with 0, and nobody is sent to twice',
    async run(stage) {
      slowDown(stage)
      let open = 0
      for (let round = 1; round <= 3; round++) {
        await stage.pushes.toAll({ badge: round === 1 })
        await Bun.sleep(BROADCAST_MS * chance(stage.seed, 'sigterm', round))
        open += (await isOpen(stage)) ? 1 : 0
        await stage.stop()
        await stage.start()
      }
      return open
    },
  },
  {
    name: 'locked',
    what: 'another process holds the database for 3 s',
    async run(stage) {
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(100)
      const lock = Bun.spawn([process.execPath, LOCKER, join(stage.data, 'bellhop.db'), String(LOCK_MS)], {
        stderr: 'inherit',
      })
      await Promise.all([sent, lock.exited])
      return lock.exitCode === 0 ? 1 : 0
    },
  },
]

function slowDown({ apns, fcm }: Stage): void {
  apns.latencyMs = LATENCY_MS
  fcm.latencyMs = LATENCY_MS
}

async function isOpen({ api }: Stage): Promise<boolean> {
  const analytics = await analyticsOf(api)
  return analytics?.t !== analytics?.s
}

/** Makes recipients wait for a second attempt when the process dies. */
function rememberRetries({ apns, fcm, seed }: Stage): void {
  apns.plan = someFirst(seed, 'retry', 0.02, always({ kind: 'refuse', as: 500 }))
  fcm.plan = someFirst(seed, 'retry', 0.005, always({ kind: 'refuse', as: 500 }))
}

async function killOnce(stage: Stage, round: number, badge: boolean): Promise<void> {
  const { pushes, seed } = stage
  await pushes.toAll({ badge })
  // Not awaited: the kill may come before the answer.
  const others = Promise.all([pushes.toOne(0), pushes.toTag('even'), pushes.toOne(1)])
  await Bun.sleep(BROADCAST_MS * chance(seed, 'kill', round))
  await stage.kill()
  await others
  while (chance(seed, 'kill at the start', round, stage.killedAt.size) < 0.2) {
    await stage.start({ untilReady: false })
    await Bun.sleep(START_MS * chance(seed, 'start', round, stage.killedAt.size))
    await stage.kill()
  }
  await stage.start()
}
