// Makes each system call of a journey fail in turn. The journeys say what must hold, and fault-plan.ts what can happen
// to a call.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { runDamages } from '../damage/run.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { inParallel } from '../support/in-parallel.ts'
import { runScript, UsageError } from '../support/proof-script.ts'
import { programOf } from '../support/service-process.ts'
import { createMemory } from './chain/memory.ts'
import { CALL_CLASSES, countOf, HARMS } from './fault-plan.ts'
import type { HarmName, Met } from './fault-plan.ts'
import { huntAll } from './hunt.ts'
import { BEGINNING } from './journeys/beginning.ts'
import { OPERATING } from './journeys/operating.ts'
import { DYING, SENDING, STOPPING } from './journeys/sending.ts'
import { UPKEEP } from './journeys/upkeep.ts'
import { tracingHindrance } from './traced.ts'
import { runTrial } from './trial.ts'
import type { Journey, Verdict } from './trial.ts'

const JOURNEYS: readonly Journey[] = [BEGINNING, SENDING, OPERATING, STOPPING, DYING, UPKEEP]

const HELP = `Usage: bun run every-nth [--journey NAME]… [--harm NAME]… [--class NAME]
                         [--nth N]… [--every N] [--binary PATH] [--jobs N] [--results FILE]

  --journey NAME  ${JOURNEYS.map(({ name }) => name).join(', ')} (default: all)
  --harm NAME     ${Object.keys(HARMS).join(', ')} (default: all)
  --class NAME    counts only these calls: ${CALL_CLASSES.join(', ')}
  --nth N         only this call; repeatable
  --every N       only each Nth call (default 1: all)
  --binary PATH   the service, compiled from these sources, in their place
  --jobs N        trials at a time (default 2)
  --results FILE  each trial is written down there when it is over; those that are there already are not run again, and
                  are in the table. One file for one version of the service
  --damage        in place of all that: databases that are damaged in some hundred ways
  --planted TEXT  in place of all that: plants the defects with this in their name ('' for all) in a copy of the
                  sources, one after the other, and looks for a trial that shows each

${JOURNEYS.map(({ name, what }) => `${name.padEnd(11)}${what}`).join('\n')}

${Object.entries(HARMS)
  .map(([name, { what }]) => `${name.padEnd(11)}${what}`)
  .join('\n')}

Exits with 1 when anything was lost, said twice, or not said.`

const OPTIONS = {
  journey: { type: 'string', multiple: true, default: JOURNEYS.map(({ name }) => name) },
  harm: { type: 'string', multiple: true, default: Object.keys(HARMS) },
  class: { type: 'string' },
  nth: { type: 'string', multiple: true, default: [] as string[] },
  every: { type: 'string', default: '1' },
  binary: { type: 'string' },
  jobs: { type: 'string', default: '2' },
  results: { type: 'string' },
  damage: { type: 'boolean', default: false },
  planted: { type: 'string' },
} as const

/** A trial takes seconds, 40 on a dead disk, and at most the time limits of its journey. */
const HANGS_MS = 600_000

interface Case {
  readonly journey: Journey
  readonly harm: HarmName
  readonly nth: number
}

await runScript(HELP, OPTIONS, async ({ values }) => {
  const journeys = JOURNEYS.filter(({ name }) => values.journey.includes(name))
  const harms = (Object.keys(HARMS) as HarmName[]).filter((name) => values.harm.includes(name))
  const only = CALL_CLASSES.find((name) => name === values.class) ?? null
  const [every, jobs, ...nths] = [values.every, values.jobs, ...values.nth].map(Number)
  const known = journeys.length > 0 && harms.length > 0 && (values.class === undefined || only !== null)
  if (!known || ![every, jobs, ...nths].every((number) => Number(number) >= 1)) throw new UsageError(HELP)
  if (values.damage) return await runDamages(every ?? 1)
  const hindrance = await tracingHindrance()
  if (hindrance !== null) {
    console.error(`Nothing can be made to fail here: ${hindrance}.`)
    return 1
  }
  if (values.planted !== undefined) return await huntAll(values.planted, console.log)
  const program = programOf(values.binary ?? null)
  await using template = await makeTemplate(program, { ios: 8, android: 4 })
  using memories = new DisposableStack()
  const memoryOf = new Map(journeys.map((journey) => [journey, memories.use(createMemory())]))
  const run = ({ journey, harm, nth }: Case) =>
    runTrial({ template, program, journey, harm, nth, only, memory: memoryOf.get(journey) ?? null })

  const results = openResults(values.results ?? null)
  const cases: Case[] = []
  const counts = new Map<Journey, Met['of']>()
  for (const journey of journeys) {
    const { met, findings } = await run({ journey, harm: 'EIO', nth: 0 })
    counts.set(journey, met.of)
    console.log(
      `${journey.name}: ${Object.entries(met.of)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}`,
    )
    findings.forEach((finding) => console.log(`✗ ${journey.name} without a fault: ${finding}`))
  }
  // Interleaves the journeys: an interrupted run has seen some of each.
  for (const harm of harms) {
    for (const [journey, of] of counts) {
      const all = Array.from(
        { length: Math.ceil(countOf(of, harm, only) / (every ?? 1)) },
        (_, n) => 1 + n * (every ?? 1),
      )
      for (const nth of nths.length > 0 ? nths : all) {
        if (!results.has({ journey: journey.name, harm, only, nth })) cases.push({ journey, harm, nth })
      }
    }
  }

  let done = 0
  await inParallel(cases, jobs ?? 1, async (each) => {
    const { met, findings } = await Promise.race([
      run(each).catch((error: unknown) => unfinished(`the trial broke off: ${String(error)}`)),
      Bun.sleep(HANGS_MS).then(() => unfinished(`the trial hangs: not over after ${HANGS_MS / 1000} s`)),
    ])
    const { journey, harm, nth } = each
    const of = only === null ? '' : ` --class ${only}`
    if (++done % 25 === 0) console.error(`${done} of ${cases.length}`)
    for (const finding of findings) {
      console.log(`✗ --journey ${journey.name} --harm ${harm}${of} --nth ${nth} (${met.struck?.call}): ${finding}`)
    }
    results.add({ journey: journey.name, harm, only, nth, call: met.struck?.call ?? null, findings })
  })
  console.log('\n| Journey | Harm | Trials | Met | With findings |\n| --- | --- | --- | --- | --- |')
  for (const { name } of journeys) {
    for (const harm of harms) {
      const rows = results.all.filter((row) => row.journey === name && row.harm === harm)
      const met = rows.filter(({ call }) => call !== null).length
      const broken = rows.filter(({ findings }) => findings.length > 0).length
      console.log(`| ${name} | ${harm} | ${rows.length} | ${met} | ${broken} |`)
    }
  }
  return results.all.some(({ findings }) => findings.length > 0) ? 1 : 0
})

function unfinished(finding: string): Verdict {
  const met = { count: 0, of: { write: 0, sync: 0, name: 0, read: 0 }, struck: null }
  return { met, calls: [], findings: [finding] }
}

/** A finished trial. */
interface Result {
  readonly journey: string
  readonly harm: string
  /** `null`: all classes of the harm were counted. */
  readonly only: string | null
  readonly nth: number
  /** The call that was struck; `null`: the journey ended before it. */
  readonly call: string | null
  readonly findings: readonly string[]
}

/** Finished trials of this run and earlier ones. */
interface Results {
  readonly all: readonly Result[]
  has(trial: Omit<Result, 'call' | 'findings'>): boolean
  add(result: Result): void
}

/** `path`: a file with a line of JSON for each; `null`: only this run. */
function openResults(path: string | null): Results {
  const lines = path !== null && existsSync(path) ? wholeLinesOf(path) : []
  const all: Result[] = lines.map((line) => JSON.parse(line))
  const keyOf = ({ journey, harm, only, nth }: Omit<Result, 'call' | 'findings'>) => `${journey} ${harm} ${only} ${nth}`
  const known = new Set(all.map(keyOf))
  return {
    all,
    has: (trial) => known.has(keyOf(trial)),
    add(result) {
      all.push(result)
      known.add(keyOf(result))
      if (path !== null) appendFileSync(path, `${JSON.stringify(result)}\n`)
    },
  }
}

/** The last line may be truncated: that trial did not finish. */
function wholeLinesOf(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  if (lines.pop() !== '') writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return lines
}
