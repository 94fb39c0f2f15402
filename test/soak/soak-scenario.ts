import { join } from 'node:path'
import { quantile } from '../../scripts/benchmark/measure/quantile.ts'
import type { Gateway } from '../faults/gateways/gateway.ts'
import type { Plan } from '../faults/gateways/plan.ts'
import type { Scenario } from '../faults/scenarios/scenario.ts'
import type { Stage } from '../faults/stage/stage.ts'
import { chance } from '../support/chance.ts'
import { endOf } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startChurn } from './churn.ts'
import type { Churn } from './churn.ts'
import { watchProcess } from './process-watch.ts'
import type { Sample } from './process-watch.ts'
import type { Point } from './slope.ts'

/** Figures of one life of the service. */
export interface Life {
  readonly samples: readonly Sample[]
  /** Latencies by window; `at` in ms since the life began. */
  readonly median: readonly Point[]
  readonly p99: readonly Point[]
}

export interface SoakReport {
  /** Before and after the restart. */
  readonly lives: readonly Life[]
  readonly counts: Churn['counts']
  readonly commands: number
}

/** Share of the time before a restart, as an upgrade does. */
const FIRST_LIFE = 0.1

/** Between two single pushes, two to a few hundred, two commands, two outages; in ms. */
const ONE_MS = 1000
const MANY_MS = 30_000
const COMMAND_MS = 20_000
const OUTAGE_MS = 120_000

/** Length of an outage, in ms. */
const AWAY_MS = 5000

/** Between two samples, in ms. */
const LOOK_MS = 2000

/** Window of latencies, in ms. */
const WINDOW_MS = 10_000

/** Hours of usual life with faults, judged by the fault harness. `tell` gets the report at the end. */
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
      using own = temporaryDirectory('bellhop-soak')
      const { ran, lives } = await live(stage, churn, own.path, ms)
      await churn.stop()
      tell({ lives, counts: churn.counts, commands: ran })
      return ran
    },
  }
}

async function live(stage: Stage, churn: Churn, own: string, ms: number) {
  const operator = await hireOperator(stage, own)
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

/** An operator's commands, repeated. `own`: a directory for the operator's files. */
async function hireOperator({ program, data, application: { id }, ledger }: Stage, own: string) {
  const tokens = [...ledger.devices.values()].flatMap(({ platform, token }) => (platform === 0 ? [token] : []))
  const list = join(own, 'devices.csv')
  // Already registered: the import changes nothing.
  await Bun.write(list, ['token', ...tokens.slice(0, 500)].join('\n'))
  const backup = ['backup', `${own}/backups/`, '--keep=3']
  const commands: readonly (readonly [args: readonly string[], exitCode: number])[] = [
    [backup, 0],
    [['import', id, list, '--platform=ios', `--rejects=${own}/rejects`], 0],
    // These two need a stopped server.
    [['key', 'rotate'], 1],
    [['app', 'limits', id, '--rate=0'], 0],
    [backup, 0],
    [['compact'], 1],
    [['devices', id, '--json'], 0],
    [['app', 'show', id], 0],
  ]
  let ran = 0
  return {
    get ran() {
      return ran
    },
    /** Runs the next command; resolves with what went wrong, `null` if nothing. */
    async next(): Promise<string | null> {
      const [args, wanted] = commands[ran++ % commands.length] ?? [backup, 0]
      const { exitCode, stdout, stderr } = await endOf([...program.command, ...args, `--data=${data}`])
      if (exitCode === wanted) return null
      return `${args[0]} ended with ${exitCode}: ${stdout.slice(-300)}${stderr.slice(-300)}`
    },
  }
}

/** A usual day: two of a hundred requests fail at first, and rarely a connection breaks. */
function usualWeather(seed: number): Plan {
  return ({ token, text, attempt }) => {
    if (attempt > 1) return null
    const at = chance(seed, 'weather', token, String(text))
    if (at < 0.01) return { kind: 'refuse', as: 503 }
    if (at < 0.015) return { kind: 'refuse', as: 'throttled' }
    if (at < 0.019) return { kind: 'reset', code: 2, taken: false }
    if (at < 0.0195) return { kind: 'farewell', half: true }
    if (at < 0.0197) return { kind: 'cut', midAnswer: true, taken: true }
    return null
  }
}

/** Nothing answers at the gateway's address for `ms` milliseconds. */
async function outage(gateway: Gateway, ms: number): Promise<void> {
  gateway.turn('close')
  await Bun.sleep(ms)
  gateway.turn('usual')
}
