// ./scripts/failover: the serving machine dies, and another continues with its copy of the volume. A real process on a
// real block device, judged by test/faults/judge/judge.ts.
import { $ } from 'bun'
import { runScenario } from '../faults/run-scenario.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { drawSeed, runScript, UsageError, wholeNumber } from '../support/proof-script.ts'
import { programOf } from '../support/service-process.ts'
import { failoverScenario } from './failover-scenario.ts'
import type { Round } from './failover-scenario.ts'
import { mirrorHindrance, openMirror, STAND_IN } from './mirror.ts'

const HELP = `Usage: ./scripts/failover [--rounds N] [--seed N] [--devices N] [--binary PATH]

Kills the machine that serves at a random write, and starts another one on its copy of the volume. Needs root.

  --rounds N     how often (default 50)
  --seed N       repeats a run (default: drawn, and printed)
  --devices N    of each platform (default 2000)
  --binary PATH  the compiled service (default: it is built)

Exits with 1 when anything was lost, repeated without need, or counted wrongly.`

const OPTIONS = {
  rounds: { type: 'string', default: '50' },
  seed: { type: 'string' },
  devices: { type: 'string', default: '2000' },
  binary: { type: 'string' },
} as const

/** Sixteen pages of 500: see src/manual/guarantees.md. */
const REPEATED_MOST = 16 * 500

await runScript(HELP, OPTIONS, async ({ values }) => {
  const hindrance = mirrorHindrance()
  if (hindrance !== null) throw new UsageError(`There is no volume to fail over with here: ${hindrance}.`)
  const rounds = wholeNumber('rounds', values.rounds, 1)
  const seed = wholeNumber('seed', values.seed ?? drawSeed(), 0)
  const devices = wholeNumber('devices', values.devices, 1)
  if (values.binary === undefined) await $`${process.execPath} scripts/build.ts`.quiet()
  const program = programOf(values.binary ?? 'dist/bellhop')
  await using mirror = await openMirror()
  await using template = await makeTemplate(program, { ios: devices, android: devices })
  console.log(`${STAND_IN}\n\nseed ${seed}, ${rounds} rounds, ${devices} devices of each platform\n`)
  console.log(' round  write     after the last flush, kept   missing   fenced  mounted    ready, seconds')
  const seen: Round[] = []
  const scenario = failoverScenario(mirror, (round) => {
    seen.push(round)
    console.log(lineOf(round))
  })
  const result = await runScenario(scenario, { template, program, seed, rounds, quick: false })
  if (result.kind !== 'ran') return 1
  const { judgement, details } = result
  const gone = seen.reduce((sum, { missing }) => sum + missing, 0)
  const totals = seen.flatMap(({ fenceMs, mountMs, readyMs }) =>
    readyMs === null ? [] : [fenceMs + mountMs + readyMs],
  )
  const { acknowledged } = details.registrations
  console.log(`
rounds                 ${seen.length}, of them ${seen.filter(({ starting }) => starting).length} while the server was starting
acknowledged           ${acknowledged} registrations and changes, ${judgement.pushes} pushes
missing after a round  ${gone}
notifications          ${judgement.notifications}
lost                   ${judgement.lost}
repeated               ${judgement.repeated}, of one push on one platform at most ${judgement.repeatedMost} (allowed: ${REPEATED_MOST} for each death)
kill to ready          ${spread(totals)}, without finding out that it died
  of that, the server  ${spread(seen.flatMap(({ readyMs }) => readyMs ?? []))}
findings               ${judgement.findings.join('; ') || 'none'}`)
  return judgement.findings.length === 0 && gone === 0 ? 0 : 1
})

function lineOf({ number, write, starting, kept, unflushed, left, missing, fenceMs, mountMs, readyMs }: Round): string {
  const when = starting ? `${write} (start)` : String(write)
  const ready = readyMs === null ? 'dies again' : seconds(readyMs)
  const flushed = `${left} of ${unflushed} (${kept})`
  return [
    String(number).padStart(6),
    `  ${when.padEnd(10)}`,
    flushed.padEnd(27),
    String(missing).padStart(8),
    seconds(fenceMs).padStart(9),
    seconds(mountMs).padStart(9),
    ready.padStart(11),
  ].join('')
}

/** Minimum, median, maximum. */
function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b)
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) =>
    seconds(ms ?? 0),
  )
  return `${least} / ${median} / ${most} s (least, median, most)`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}
