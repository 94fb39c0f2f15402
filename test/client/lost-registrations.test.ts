import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { DAY_MS } from '../../src/clock.ts'
import type { Core } from './hold-vectors.ts'

const CORE = join(import.meta.dir, '../../src/client/web/core.js')

/**
 * Shares of devices, and their chance of use on a day, once and at any time. 40 % are used on a day. `backup.md` takes
 * its figures from here.
 */
const HABITS = [
  [0.2, 1],
  [0.4, 0.4],
  [0.4, 0.1],
] as const

/** Repeatable numbers (Numerical Recipes' generator). */
function numbers(seed: number): () => number {
  let at = seed
  return () => (at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

/** When a device registers again, by the client contract, after its registration at 0 was lost. */
function backAt({ begin, step, next }: Core, usedDays: number, random: () => number): number {
  const at = random() * DAY_MS
  let { state } = step(begin('0'), { kind: 'token', token: 'aa' }, at, 0)
  const first = next(state, at)
  ;({ state } = step(state, { kind: 'answered', request: first, status: 201 }, at, 0))
  for (let day = 1; day < 365; day++) {
    if (random() >= usedDays) continue
    const now = (day + random()) * DAY_MS
    ;({ state } = step(state, { kind: 'token', token: 'aa' }, now, 0))
    if (next(state, now) !== null) return now - at
  }
  return Number.POSITIVE_INFINITY
}

test('a lost registration is repeated at the first launch after a day: of 100 devices 35 are back within 2 days, 77 within a week', async () => {
  const core = (await import(CORE)) as Core
  const random = numbers(34)
  const times = HABITS.flatMap(([share, usedDays]) =>
    Array.from({ length: 10_000 * share }, () => backAt(core, usedDays, random)),
  )
  const within = (days: number) => Math.round((times.filter((at) => at <= days * DAY_MS).length / times.length) * 100)
  expect([1, 2, 3, 7, 14, 30].map(within)).toEqual([0, 35, 52, 77, 90, 98])
})
