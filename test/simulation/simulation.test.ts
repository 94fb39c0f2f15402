import { expect, test } from 'bun:test'
import { PLANTED } from '../nth/planted.ts'
import { MUTATIONS } from './mutations.ts'
import { sourcesIn, whyNotPlanted } from './plant.ts'
import type { SeedReport } from './worker.ts'
import { runWorkers } from './workers.ts'

/* The short form of bun run simulate: a few worlds, and whether a seed always gives the same one. */

const SEEDS = 12
const TWICE = 3

/** For a slow machine. */
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

/* When it fails: test/README.md, "The planted defects". */
test('each defect that is planted to see whether it is found can still be planted', () => {
  const sources = sourcesIn()
  const problems = [...MUTATIONS, ...PLANTED].map((mutation) => whyNotPlanted(mutation, sources))
  expect(problems.filter((problem) => problem !== null)).toEqual([])
})
