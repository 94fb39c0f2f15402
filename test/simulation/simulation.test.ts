import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTATIONS } from './mutations.ts'
import type { SeedReport } from './worker.ts'
import { runWorkers } from './workers.ts'

/* The short form of scripts/simulate: a few worlds, and whether a seed is one world and no other. */

const SEEDS = 12
const TWICE = 3

/** On a machine that may be slow. */
const LIMIT_MS = 240_000

async function simulate(count: number, ownApi = false): Promise<SeedReport[]> {
  const reports: SeedReport[] = []
  await runWorkers({
    seed: 1,
    count,
    jobs: 2,
    shrink: false,
    untilFailure: false,
    lines: false,
    ownApi,
    onReport: (report) => reports.push(report),
  })
  return reports.sort((a, b) => a.seed - b.seed)
}

test(
  'what is promised holds in simulated worlds, and a seed is the same world each time, also where starts share no routes',
  async () => {
    const [reports, again] = await Promise.all([simulate(SEEDS), simulate(TWICE, true)])
    expect(reports.filter(({ violation }) => violation !== null)).toEqual([])
    expect(reports).toHaveLength(SEEDS)
    expect(again).toEqual(reports.slice(0, TWICE))
    expect(new Set(reports.map(({ hash }) => hash)).size).toBe(SEEDS)
  },
  LIMIT_MS,
)

test.each(MUTATIONS)('what is planted as "$name" can be planted: what it changes stands once', ({ file, from }) => {
  expect(readFileSync(join(import.meta.dir, '../..', file), 'utf8').split(from)).toHaveLength(2)
})
