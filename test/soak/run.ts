// The soak: hours of a service's life, and whether anything grows.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runScenario } from '../faults/run-scenario.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { runScript, tell, UsageError, wholeNumber } from '../support/proof-script.ts'
import { programOf } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'
import { runSieges } from './siege.ts'
import { soakScenario } from './soak-scenario.ts'
import type { Life, SoakReport } from './soak-scenario.ts'
import { courseOf, trendOf, trendTable } from './trend.ts'
import type { Figure, Trend } from './trend.ts'
import { runYear } from './year.ts'

const HELP = `Usage: bun run soak [--hours N] [--seed N] [--binary PATH] | --year | --siege

  --hours N      how long (default 1)
  --seed N       repeats the faults and the calls of a run (default 1)
  --binary PATH  the compiled service in place of the sources
  --siege        in place of all that 20,000 idle connections from one address, and from 200, at 1,024 and 65,536 files
  --year         in place of all that a year of housekeeping, by a clock that is put forward

Exits with 1 where something was lost, repeated without need or counted wrongly, where a command ended otherwise than it
should, and where memory, open files, the log of the database or the time of an answer grow.`

const OPTIONS = {
  hours: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  binary: { type: 'string' },
  year: { type: 'boolean', default: false },
  siege: { type: 'boolean', default: false },
} as const

const HOUR_MS = 3_600_000

/** Warm-up: half of the time, at most this. A heap grows for minutes until it is first collected. */
const WARM_MOST_MS = 600_000

await runScript(HELP, OPTIONS, async ({ values }) => {
  const program = programOf(values.binary ?? null)
  const hours = Number(values.hours)
  if (!(hours > 0)) throw new UsageError(`--hours ${values.hours}: a number above 0.`)
  const seed = wholeNumber('seed', values.seed, 0)
  if (values.siege) return tell(await runSieges(program, console.log))
  return tell(values.year ? await runYear(console.log) : await soak(hours, seed, program))
})

/** Resolves with the findings. */
async function soak(hours: number, seed: number, program: Program): Promise<readonly string[]> {
  await using template = await makeTemplate(program, { ios: 1500, android: 600 })
  let report: SoakReport | null = null
  const scenario = soakScenario(hours * HOUR_MS, (told) => (report = told))
  const result = await runScenario(scenario, { template, program, seed, rounds: 1, quick: false })
  if (result.kind !== 'ran' || report === null) throw new Error('the soak did not run')

  const { judgement, details } = result
  const { lives, counts, commands }: SoakReport = report
  const trends = lives.slice(-1).flatMap(trendsOf)
  const refused = Array.from(counts.refused, ([what, count]) => `${what}: ${count}`).join(', ')
  console.log(`seed ${seed}, ${hours} h: ${counts.calls} calls (${counts.unanswered} unanswered; refused ${refused}),`)
  console.log(`${judgement.pushes} pushes, ${judgement.notifications} notifications, ${commands} commands;`)
  console.log(`lost ${judgement.lost}, repeated ${judgement.repeated}\n\n${trendTable(trends)}`)
  if (details.log !== '') {
    const path = join(tmpdir(), `bellhop-soak-${seed}-${Date.now()}.log`)
    await Bun.write(path, details.log)
    console.log(`\nwhat the service said: ${path}`)
  }
  return [...judgement.findings, ...trends.filter(({ grows }) => grows).map(courseOf)]
}

/** Without the warm-up. */
function trendsOf({ samples, median, p99 }: Life): readonly Trend[] {
  const lastMs = samples.at(-1)?.atMs ?? 0
  const warmMs = Math.min(lastMs / 2, WARM_MOST_MS)
  const of = (value: (sample: (typeof samples)[number]) => number) =>
    samples.map((sample) => ({ at: sample.atMs, value: value(sample) }))
  const figures: readonly Figure[] = [
    { name: 'memory', unit: 'MB', share: 0.05, points: of(({ rssMb }) => rssMb) },
    { name: 'open files and connections', unit: '', share: 0.05, points: of(({ handles }) => handles) },
    { name: 'log of the database', unit: 'MB', share: 0.05, points: of(({ walMb }) => walMb) },
    // Keeps each push for 90 days: shown here, judged by the year.
    { name: 'database', unit: 'MB', share: Number.POSITIVE_INFINITY, points: of(({ fileMb }) => fileMb) },
    { name: 'answer, median', unit: 'ms', share: 0.2, points: median },
    { name: 'answer, 99 %', unit: 'ms', share: 0.2, points: p99 },
  ]
  return figures
    .map((figure) => trendOf({ ...figure, points: figure.points.filter(({ at }) => at > warmMs) }))
    .filter((trend) => trend !== null)
}
