// Hostile input to a service process that is watched.
import { drawSeed, runScript, tell, UsageError } from '../support/proof-script.ts'
import { programOf } from '../support/service-process.ts'
import { watchProcess } from '../soak/process-watch.ts'
import type { Sample } from '../soak/process-watch.ts'
import { courseOf, trendOf, trendTable } from '../soak/trend.ts'
import type { Trend } from '../soak/trend.ts'
import { attack } from './attack.ts'
import { openTarget } from './target.ts'

const HELP = `Usage: bun run fuzz [--minutes N] [--seed N] [--turn N] [--at-once N] [--binary PATH]

  --minutes N    how long (default 1)
  --seed N       repeats a run (default: drawn, and printed)
  --turn N       only this conversation of the seed
  --at-once N    conversations side by side (default 32)
  --binary PATH  the compiled service in place of the sources

Exits with 1 where a call is answered with 5xx, or not at all, where the service works for a second without answering
others, logs an error or ends, and where memory or open files grow
after the first ten minutes.`

const OPTIONS = {
  minutes: { type: 'string', default: '1' },
  seed: { type: 'string' },
  turn: { type: 'string' },
  'at-once': { type: 'string', default: '32' },
  binary: { type: 'string' },
} as const

/** Longest CPU time before an answer, in ms. */
const HANG_MS = 1000

const MINUTE_MS = 60_000

/** A heap grows for minutes until it is first collected. */
const WARM_MS = 10 * MINUTE_MS

await runScript(HELP, OPTIONS, async ({ values }) => {
  const seed = Number(values.seed ?? drawSeed())
  const [minutes, atOnce] = [Number(values.minutes), Number(values['at-once'])]
  const turn = values.turn === undefined ? null : Number(values.turn)
  const areNumbers = [seed, minutes, atOnce, turn ?? 0].every((number) => Number.isFinite(number) && number >= 0)
  if (!areNumbers) throw new UsageError(HELP)
  await using target = await openTarget(programOf(values.binary ?? null))
  const watch = watchProcess(target, 250)
  const until = performance.now() + minutes * MINUTE_MS
  const spoil = await attack({
    sides: target.sides,
    seed,
    from: turn ?? 0,
    atOnce: turn === null ? atOnce : 1,
    goesOn: (at) => target.exitCode === null && (turn === null ? performance.now() < until : at === turn),
  })
  await watch.stop()

  const trends = trendsOf(watch.samples)
  const [waitedMs, hangMs] = [longest(({ probeMs }) => probeMs), longest(({ busyMs }) => busyMs)]
  function longest(value: (sample: Sample) => number): number {
    return Math.round(Math.max(...watch.samples.map(value)))
  }
  const findings = [
    ...spoil.findings,
    ...target.errors(),
    ...(target.exitCode === null ? [] : [`the service ended with ${target.exitCode}`]),
    ...(hangMs > HANG_MS ? [`it worked for ${hangMs} ms before it answered GET /healthz`] : []),
    ...trends.filter(({ grows }) => grows).map(courseOf),
  ]
  const statuses = [...spoil.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(`seed ${seed}: ${spoil.turns} conversations; ${statuses.join(', ')}`)
  console.log(`GET /healthz beside them: answered within ${waitedMs} ms, in which it worked for at most ${hangMs}`)
  if (trends.length > 0) console.log(`\n${trendTable(trends)}`)
  return tell(findings)
})

function trendsOf(samples: readonly Sample[]): readonly Trend[] {
  const warm = samples.filter(({ atMs }) => atMs > WARM_MS)
  const of = (name: string, unit: string, value: (sample: Sample) => number) =>
    trendOf({ name, unit, share: 0.05, points: warm.map((sample) => ({ at: sample.atMs, value: value(sample) })) })
  const trends = [
    of('memory', 'MB', ({ rssMb }) => rssMb),
    of('open files and connections', '', ({ handles }) => handles),
  ]
  return trends.filter((trend) => trend !== null)
}
