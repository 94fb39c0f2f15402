import type { Outcome } from './simulate-seed.ts'
import type { Step } from './steps/step.ts'

/** Worlds that are tried at the most. */
const MAX_TRIES = 200

/** Fewer steps that break the same invariant: ever smaller parts are left out, as long as that goes. */
export async function shrink(
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
