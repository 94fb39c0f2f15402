import type { RegistryAnswer, RegistryCall } from './call.ts'
import type { RegistryModel } from './registry-model.ts'

/** A call with its answer, and when it began and ended, by a count that each beginning and each end moves on. */
export interface Made {
  readonly call: RegistryCall
  readonly answer: RegistryAnswer
  readonly began: number
  readonly ended: number
}

/**
 * Every state that the calls can have led to: each of them had its effect at one moment between its beginning and its end,
 * and all answers are those of the model in that order (Herlihy and Wing, "Linearizability", 1990). None: there is no
 * such order. `now`: ms since the Unix epoch, for all of them.
 */
export function outcomesOf(before: RegistryModel, calls: readonly Made[], now: number): RegistryModel[] {
  const outcomes = new Map<string, RegistryModel>()
  const seen = new Set<string>()

  function goOn(model: RegistryModel, left: readonly Made[]): void {
    if (left.length === 0) return void outcomes.set(String(model), model)
    const key = `${left.map(({ began }) => began).join()} ${String(model)}`
    if (seen.has(key)) return
    seen.add(key)
    const firstEnd = Math.min(...left.map(({ ended }) => ended))
    for (const next of left) {
      if (next.began > firstEnd) continue
      const after = model.clone()
      if (!Bun.deepEquals(after.answer(next.call, now), next.answer)) continue
      goOn(
        after,
        left.filter((other) => other !== next),
      )
    }
  }

  goOn(before, calls)
  return [...outcomes.values()]
}
