// Simulates some seeds in a process: a line of JSON for each on standard output.
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

/** Most worlds tried to shorten the steps of one. */
const MAX_TRIES = 200

/** Every `step`-th seed from `first`. */
interface SeedRange {
  readonly first: number
  readonly count: number
  readonly step: number
}

/** The worker's only argument, as JSON. */
export interface Order {
  /** For this worker alone, and removed at the end. */
  readonly directory: string
  readonly seeds: SeedRange
  /** Shortens the steps of failing seeds. */
  readonly shrink: boolean
  /** Ends with the first failing seed. */
  readonly untilFailure: boolean
  /** Reports everything that happened. */
  readonly lines: boolean
  /** Creates the public API at each start, as the service does. Default: once for all. */
  readonly ownApi?: boolean
}

export interface SeedReport {
  readonly seed: number
  readonly hash: string
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** Steps that break it; absent without a violation or `shrink`. */
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
  /** Of everything that happened. */
  readonly hash: string
  readonly lines: readonly string[]
}

/** `steps`: default those of the seed. */
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

/** Leaves out ever smaller parts while the same invariant breaks. */
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
