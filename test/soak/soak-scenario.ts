import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quantile } from '../../scripts/benchmark/measure/quantile.ts'
import type { Scenario } from '../faults/scenarios/scenario.ts'
import type { Stage } from '../faults/stage/stage.ts'
import { startChurn } from './churn.ts'
import type { Churn } from './churn.ts'
import { hireOperator } from './commands.ts'
import { watchProcess } from './process-watch.ts'
import type { Sample } from './process-watch.ts'
import type { Point } from './slope.ts'
import { outage, usualWeather } from './weather.ts'

/** What was seen of one life of the service. */
export interface Life {
  readonly samples: readonly Sample[]
  /** Latencies of the calls, each the one of a window; `at` in ms since the life began. */
  readonly median: readonly Point[]
  readonly p99: readonly Point[]
}

export interface SoakReport {
  /** Before the restart, and after it. */
  readonly lives: readonly Life[]
  readonly counts: Churn['counts']
  readonly commands: number
}

/** Of the time, what passes until the service is stopped and started again, as an upgrade does. */
const FIRST_LIFE = 0.1

/** Between two pushes to one device, two to a few hundred, two commands, two outages; in ms. */
const ONE_MS = 1000
const MANY_MS = 30_000
const COMMAND_MS = 20_000
const OUTAGE_MS = 120_000

/** How long an outage is, in ms. */
const AWAY_MS = 5000

/** Between two looks, in ms. */
const LOOK_MS = 2000

/** Latencies are those of so many ms. */
const WINDOW_MS = 10_000

/** Hours of a usual life, with its faults, for the judge of the fault harness; `tell` hears at the end what was seen. */
export function soakScenario(ms: number, tell: (report: SoakReport) => void): Scenario {
  return {
    name: 'soak',
    what: 'hours of mixed load, faults and commands',
    patienceMs: 300_000,
    async run(stage) {
      await stage.registrar.stop()
      stage.apns.plan = usualWeather(stage.seed)
      stage.fcm.plan = usualWeather(stage.seed)
      const churn = startChurn({
        api: stage.api,
        seed: stage.seed,
        pushes: () => stage.ledger.pushes.slice(-8).flatMap(({ id }) => id ?? []),
        workers: 4,
        pauseMs: 100,
      })
      const own = await mkdtemp(join(tmpdir(), 'bellhop-soak-'))
      try {
        const { ran, lives } = await live(stage, churn, own, ms)
        await churn.stop()
        tell({ lives, counts: churn.counts, commands: ran })
        return ran
      } finally {
        await rm(own, { recursive: true })
      }
    },
  }
}

async function live(stage: Stage, churn: Churn, own: string, ms: number) {
  const tokens = [...stage.ledger.devices.values()].flatMap(({ platform, token }) => (platform === 0 ? [token] : []))
  const { program, data, application } = stage
  const operator = await hireOperator({ program, data, application: application.id, own, tokens: tokens.slice(0, 500) })
  const over = new AbortController()
  const each = async (periodMs: number, act: (turn: number) => Promise<unknown>): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      await Bun.sleep(periodMs)
      if (!over.signal.aborted && stage.url !== null) await act(turn)
    }
  }
  const running = Promise.all([
    each(ONE_MS, (turn) => stage.pushes.toOne(turn % 2 === 0 ? 0 : 1)),
    each(MANY_MS, (turn) => stage.pushes.toTag(turn % 2 === 0 ? 'even' : 'odd')),
    each(OUTAGE_MS, (turn) => outage(turn % 2 === 0 ? stage.apns : stage.fcm, AWAY_MS)),
    each(COMMAND_MS, async () => {
      const wrong = await operator.next()
      if (wrong !== null) stage.accuse(wrong)
    }),
  ])
  const first = await watchLife(stage, churn, ms * FIRST_LIFE)
  await stage.stop()
  await stage.start()
  const second = await watchLife(stage, churn, ms * (1 - FIRST_LIFE))
  over.abort()
  await running
  return { lives: [first, second], ran: operator.ran }
}

async function watchLife({ pid, url, data }: Stage, churn: Churn, ms: number): Promise<Life> {
  if (pid === null || url === null) throw new Error('the service does not run')
  const watch = watchProcess({ pid, url, data }, LOOK_MS)
  const [median, p99]: [Point[], Point[]] = [[], []]
  churn.takeLatencies()
  for (let at = 0; at < ms; at += WINDOW_MS) {
    await Bun.sleep(Math.min(WINDOW_MS, ms - at))
    const latencies = churn.takeLatencies()
    if (latencies.length === 0) continue
    median.push({ at, value: quantile(latencies, 0.5) })
    p99.push({ at, value: quantile(latencies, 0.99) })
  }
  await watch.stop()
  return { samples: watch.samples, median, p99 }
}
