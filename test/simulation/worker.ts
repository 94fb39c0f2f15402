// Lives through the worlds of some seeds, in a process of its own: one line of JSON for each on standard output.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Violation } from './judge/invariants.ts'
import { drawSteps, startOf } from './steps/draw.ts'
import { finish } from './steps/finale.ts'
import { play } from './steps/play.ts'
import type { Step } from './steps/step.ts'
import { watchConnections } from './world/connections.ts'
import { shareNoApi } from './world/shared-api.ts'
import { makeTemplate } from './world/template.ts'
import { takeOver } from './world/turns.ts'
import { createWorld } from './world/world.ts'
import type { Ground } from './world/world.ts'

/** Worlds that are tried at most to make the steps of one fewer. */
const MAX_TRIES = 200

/** `count` seeds from `first` on, each `step` after the one before. */
interface SeedRange {
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

interface Outcome {
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** Of everything that happened, in order. */
  readonly hash: string
  readonly lines: readonly string[]
}

/** Lives through the world of a seed. `steps`: default all that the seed draws. */
async function simulateSeed(ground: Ground, seed: number, steps: readonly Step[] = drawSteps(seed)): Promise<Outcome> {
  const world = await createWorld(ground, seed, startOf(seed))
  const { judge } = world
  try {
    for (const step of steps) {
      await play(world, step)
      if (judge.violation !== null) break
    }
    if (judge.violation === null) await finish(world)
  } catch (error) {
    if (!(error instanceof Violation))
      judge.fail('it-starts', error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    world.end()
  }
  const { violation } = judge
  return {
    violation: violation && { invariant: violation.invariant, what: violation.message },
    hash: world.hash(),
    lines: world.lines,
  }
}

/** Fewer steps that break the same invariant: ever smaller parts are left out, as long as that goes. */
async function shrink(
  steps: readonly Step[],
  invariant: string,
  simulate: (steps: readonly Step[]) => Promise<Outcome>,
): Promise<readonly Step[]> {
  let left = steps
  let tries = 0
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length && tries < MAX_TRIES; tries++) {
      const fewer = left.toSpliced(from, size)
      const { violation } = await simulate(fewer)
      if (violation?.invariant === invariant) left = fewer
      else from += size
    }
  }
  return left
}

const order = JSON.parse(process.argv[2] ?? '') as Order
process.on('exit', () => rmSync(order.directory, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
await work(order)
process.exit(0)
