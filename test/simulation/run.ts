// The simulation: the whole service in worlds whose clock, chance, disk and network come from a seed.
// judge/invariants.ts has what must hold.
import { runScript, wholeNumber } from '../support/proof-script.ts'
import { MUTATIONS } from './mutations.ts'
import { hunt } from './plant.ts'
import { runWorkers } from './workers.ts'
import type { SeedReport } from './worker.ts'

const HELP = `Usage: bun run simulate --seed N [--seeds M] [--jobs N] [--lines]
       bun run simulate --mutations [--only TEXT] [--seeds M] [--jobs N]

  --seed N    the first seed; alone it repeats that world
  --seeds M   so many seeds from there on (default 1; of a planted defect 2000 at the most)
  --jobs N    processes (default 2)
  --lines     everything that happened
  --mutations plants defects in a copy of the sources, one after the other, and looks for a seed that shows each:
              a table for the manual
  --only TEXT only defects with this in their name

Exits with 1 when a promise was broken: with the seed, and the few steps that it takes.`

const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  lines: { type: 'boolean', default: false },
  mutations: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
} as const

await runScript(HELP, OPTIONS, async ({ values }) => {
  const jobs = wholeNumber('jobs', values.jobs, 0)
  const count = wholeNumber('seeds', values.seeds ?? (values.mutations ? '2000' : '1'), 0)
  if (values.mutations) return huntAll(values.only, count, jobs)
  const seed = wholeNumber('seed', values.seed ?? '', 0)

  const startedAt = performance.now()
  let done = 0
  const failed: SeedReport[] = []
  await runWorkers({
    seed,
    count,
    jobs,
    shrink: true,
    untilFailure: false,
    lines: values.lines,
    onReport(report) {
      done++
      if (report.lines !== undefined) console.log(report.lines.join('\n'))
      if (report.violation !== null) {
        failed.push(report)
        tell(report)
      } else if (count === 1) console.log(`seed ${seed} holds: ${report.hash}`)
    },
  })
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`${done} seeds in ${seconds.toFixed(1)} s, ${failed.length} failed`)
  return failed.length === 0 && done === count ? 0 : 1
})

/** `limit`: seeds to try per defect. */
async function huntAll(only: string, limit: number, jobs: number): Promise<number> {
  let missed = 0
  console.log('| planted defect | shown by | seeds | broken promise |\n| --- | --- | ---: | --- |')
  for (const mutation of MUTATIONS.filter(({ name }) => name.includes(only))) {
    const { found, seeds } = await hunt(mutation, limit, jobs)
    if (found === null) missed++
    const shown = found === null ? 'nothing' : `seed ${found.seed}`
    console.log(`| ${mutation.name} | ${shown} | ${seeds} | ${found?.violation?.invariant ?? ''} |`)
  }
  return missed === 0 ? 0 : 1
}

function tell({ seed, violation, steps = [] }: SeedReport): void {
  console.log(`\nseed ${seed}: ${violation?.what}`)
  console.log(`repeat it: bun run simulate --seed ${seed} --lines`)
  for (const step of steps) console.log(`  ${JSON.stringify(step)}`)
}
