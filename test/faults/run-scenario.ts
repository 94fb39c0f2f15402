import { inParallel } from '../support/in-parallel.ts'
import { judgeStage, watchCounts } from './judge/judge-stage.ts'
import type { Judgement } from './judge/judge.ts'
import type { Scenario, ScenarioOptions } from './scenarios/scenario.ts'
import { mountDisk } from './stage/disk.ts'
import { settled } from './stage/settled.ts'
import { openStage } from './stage/stage.ts'
import type { StageOptions } from './stage/stage.ts'

export type Result =
  | { readonly kind: 'ran'; readonly judgement: Judgement; readonly details: Details }
  | { readonly kind: 'skipped'; readonly why: string }

interface Details {
  readonly ms: number
  readonly met: number
  readonly connections: { readonly apns: number; readonly fcm: number }
  readonly registrations: { readonly acknowledged: number; readonly refused: number; readonly unanswered: number }
  /** Empty without findings. */
  readonly log: string
}

const PATIENCE_MS = 60_000

interface RunOptions extends Omit<ScenarioOptions, 'compiled'>, Pick<StageOptions, 'template' | 'program' | 'seed'> {
  /** Hears what must be disposed of when the run is interrupted. */
  readonly onOpened?: (opened: AsyncDisposable) => void
}

export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Result> {
  const { promptMs = Number.POSITIVE_INFINITY, repeatedMost = Number.POSITIVE_INFINITY } = scenario
  const order: ScenarioOptions = { ...options, compiled: options.program.compiled }
  const why = scenario.hindrance?.(order) ?? null
  if (why !== null) return { kind: 'skipped', why }
  await using opened = new AsyncDisposableStack()
  options.onOpened?.(opened)
  const disk = scenario.diskBytes === undefined ? null : opened.use(await mountDisk(scenario.diskBytes))
  if (disk?.kind === 'hindrance') return { kind: 'skipped', why: disk.why }
  const started = Date.now()
  const directory = disk?.directory ?? scenario.directory ?? null
  const stage = opened.use(await openStage({ ...options, directory, browsers: scenario.browsers === true }))

  await stage.start()
  const watch = watchCounts(stage)
  opened.defer(() => watch.stop())
  const met = await scenario.run(stage, order)
  await settled(stage, scenario.patienceMs ?? PATIENCE_MS)
  await Promise.all([stage.registrar.stop(), watch.stop()])
  const judgement = await judgeStage(stage)
  const { apns, fcm, pushServices, accidents } = stage
  const refused = [apns, fcm, ...pushServices].flatMap((gateway) => gateway.faults)
  const unexpected = refused.filter((reason) => !(scenario.expects?.test(reason) ?? false))
  const findings = [
    ...(met === 0 ? ['nobody met the fault'] : []),
    ...accidents,
    ...judgement.findings,
    ...unexpected.map((reason) => `a gateway would have refused a request: ${reason}`),
    ...(judgement.repeated > repeatedMost ? [`taken again, more than ${repeatedMost}: ${judgement.repeated}`] : []),
    ...(judgement.longestDelayMs > promptMs ? [`somebody waited ${judgement.longestDelayMs} ms`] : []),
  ]
  const details = {
    ms: Date.now() - started,
    met,
    connections: { apns: apns.connections.total, fcm: fcm.connections.total },
    registrations: stage.registrar.counts,
    log: findings.length > 0 ? stage.log() : '',
  }
  return { kind: 'ran', judgement: { ...judgement, findings: [...new Set(findings)] }, details }
}

export interface Row {
  readonly scenario: Scenario
  readonly result: Result
}

/** Runs scenarios, `jobs` at a time. `onRow` hears of each as it ends; the result is in the order given. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { jobs, onRow, ...options }: RunOptions & { readonly jobs: number; readonly onRow: (row: Row) => void },
): Promise<readonly Row[]> {
  const rows: Row[] = []
  await inParallel(scenarios, jobs, async (scenario) => {
    const row = { scenario, result: await runScenario(scenario, options) }
    rows.push(row)
    onRow(row)
  })
  return rows.sort((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario))
}
