import { join } from 'node:path'
import { always } from '../gateways/plan.ts'
import type { Plan } from '../gateways/plan.ts'
import { reached } from '../stage/settled.ts'
import type { Stage, StartOptions } from '../stage/stage.ts'
import type { Scenario } from './scenario.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const TRAFFIC_MS = 3_000

/** Makes a broadcast take about a second. */
const LATENCY_MS = [5, 120] as const

/** How long the clock is wrong, in ms. */
const WRONG_MS = 5_000

/** Time limit for delivery after that, in ms. */
const REPAIRED_MS = 75_000

/** Time limit for a first broadcast on a slow machine, in ms. */
const FIRST_MS = 20_000

/** The provider token in use is a day old, or from tomorrow. */
const TOKEN_REFUSED = /^(Expired|Invalid)ProviderToken$/

const SHIFTED_CLOCK = Bun.fileURLToPath(import.meta.resolve('../stage/shifted-clock.ts'))

/** Some of APNs' devices wait for a second attempt. */
const ONCE_500: Plan = ({ token, attempt }) =>
  attempt > 1 || !token.endsWith('7') ? null : { kind: 'refuse', as: 500 }

const hindrance: Scenario['hindrance'] = ({ compiled }) => (compiled ? 'a compiled binary takes no other clock' : null)

export const CLOCK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'clock-back',
    what: 'the clock goes back an hour while recipients wait for another attempt',
    hindrance,
    async run(stage) {
      const clock = await withClock(stage)
      // Makes both gateways know a token, so that no earlier one is issued or taken.
      await stage.pushes.toAll()
      await reached(stage, FIRST_MS)
      stage.apns.plan = ONCE_500
      const sent = stage.pushes.mixture(TRAFFIC_MS)
      await Bun.sleep(TRAFFIC_MS / 3)
      // And a whole gateway is paused.
      stage.fcm.plan = always({ kind: 'refuse', as: 503, retryAfterSeconds: 2 })
      await stage.pushes.toOne(1)
      await Bun.sleep(100)
      await clock.shift(-HOUR_MS)
      stage.fcm.plan = null
      await sent
      await stage.pushes.toAll()
      return stage.apns.met
    },
  },
  {
    name: 'clock-ahead',
    what: 'the clock goes ahead a day in the middle of a broadcast, and back after 5 s',
    hindrance,
    expects: TOKEN_REFUSED,
    // A refused credential is tried again after 30 s and after a minute.
    promptMs: 75_000,
    patienceMs: 90_000,
    async run(stage) {
      const clock = await withClock(stage)
      for (const gateway of [stage.apns, stage.fcm]) gateway.latencyMs = LATENCY_MS
      stage.apns.plan = ONCE_500
      await stage.pushes.toAll({ badge: true })
      await Bun.sleep(TRAFFIC_MS / 10)
      await clock.shift(DAY_MS)
      await stage.pushes.toTag('even')
      await stage.pushes.toOne(0)
      await Bun.sleep(WRONG_MS)
      await clock.shift(0)
      await stage.pushes.toAll()
      await reached(stage, REPAIRED_MS)
      return stage.apns.met + stage.apns.faults.length
    },
  },
  {
    name: 'clock-ahead-start',
    what: 'it starts with a clock that is a day ahead; the clock is put right, and it starts again',
    hindrance,
    expects: TOKEN_REFUSED,
    promptMs: 20_000,
    async run(stage) {
      const clock = await withClock(stage, DAY_MS)
      await stage.pushes.toAll()
      await Bun.sleep(WRONG_MS)
      const refused = stage.apns.faults.length
      await clock.shift(0)
      await stage.stop()
      await stage.start(clock.options)
      return refused
    },
  },
]

/** Restarts the service with a clock that can be shifted; `aheadMs`: from the start. */
async function withClock(stage: Stage, aheadMs = 0) {
  const offset = join(stage.data, 'clock-offset')
  const shift = async (ms: number): Promise<void> => void (await Bun.write(offset, String(ms)))
  const options: StartOptions = {
    bunFlags: ['--preload', SHIFTED_CLOCK],
    env: { FAULTS_CLOCK_OFFSET: offset },
  }
  await shift(aheadMs)
  await stage.stop()
  await stage.start(options)
  return { options, shift }
}
