// Lives through the worlds of some seeds, in a process of its own: one line of JSON for each on standard output.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { shrink } from './shrink.ts'
import { simulateSeed } from './simulate-seed.ts'
import { drawSteps } from './steps/draw.ts'
import type { Step } from './steps/step.ts'
import { watchConnections } from './world/connections.ts'
import { shareNoApi } from './world/shared-api.ts'
import { makeTemplate } from './world/template.ts'
import { takeOver } from './world/turns.ts'

/** `count` seeds from `first` on, each `step` after the one before. */
export interface SeedRange {
  readonly first: number
  readonly count: number
  readonly step: number
}

/** What a parent tells the worker, as JSON in its only argument. */
export interface Order {
  /** For this worker alone; erased at the end. */
  readonly directory: string
  readonly seeds: SeedRange
  /** Whether a seed that fails is to be made short. */
  readonly shrink: boolean
  /** Whether to end with the first seed that fails. */
  readonly untilFailure: boolean
  /** Whether to tell everything that happened. */
  readonly lines: boolean
  /** Whether each start makes its own public API, as the service does. Default: one is made for all of them. */
  readonly ownApi?: boolean
}

/** What became of one seed. */
export interface SeedReport {
  readonly seed: number
  readonly hash: string
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** What it takes to break it; absent where nothing is broken, or it was not to be made short. */
  readonly steps?: readonly Step[]
  readonly lines?: readonly string[]
}

async function work(order: Order): Promise<void> {
  const template = join(order.directory, 'template')
  mkdirSync(order.directory, { recursive: true })
  const ground = { directory: order.directory, template, ...(await makeTemplate(template)) }
  watchConnections()
  takeOver()
  if (order.ownApi === true) shareNoApi()
  const { first, count, step } = order.seeds
  for (let nth = 0; nth < count; nth++) {
    const seed = first + nth * step
    const { violation, hash, lines } = await simulateSeed(ground, seed)
    const steps =
      violation !== null && order.shrink
        ? await shrink(drawSteps(seed), violation.invariant, (fewer) => simulateSeed(ground, seed, fewer))
        : null
    const report: SeedReport = { seed, hash, violation, ...(steps && { steps }), ...(order.lines && { lines }) }
    process.stdout.write(`${JSON.stringify(report)}\n`)
    if (violation !== null && order.untilFailure) break
  }
}

const order = JSON.parse(process.argv[2] ?? '') as Order
process.on('exit', () => rmSync(order.directory, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
await work(order)
process.exit(0)
