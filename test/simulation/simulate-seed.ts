import { Violation } from './judge/invariants.ts'
import { drawSteps, startOf } from './steps/draw.ts'
import { finish } from './steps/finale.ts'
import { play } from './steps/play.ts'
import type { Step } from './steps/step.ts'
import { createWorld } from './world/world.ts'
import type { Ground } from './world/world.ts'

export interface Outcome {
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** Of everything that happened, in order. */
  readonly hash: string
  readonly lines: readonly string[]
}

/** Lives through the world of a seed. `steps`: default all that the seed draws. */
export async function simulateSeed(
  ground: Ground,
  seed: number,
  steps: readonly Step[] = drawSteps(seed),
): Promise<Outcome> {
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
