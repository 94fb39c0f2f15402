// Lets each call of the system in a journey fail in turn, and tells what came of it. What must be true is said by each
// journey; what can happen to a call is in fault-plan.ts.
import { parseArgs } from 'node:util'
import { runDamages } from '../damage/run.ts'
import { programOf } from '../faults/stage/service.ts'
import { makeTemplate } from '../faults/stage/template.ts'
import { createMemory } from './chain/memory.ts'
import { CALL_CLASSES, countOf, createFaultPlan, HARMS } from './fault-plan.ts'
import type { HarmName, Met } from './fault-plan.ts'
import { huntAll } from './hunt.ts'
import { JOURNEYS } from './journeys/journeys.ts'
import { openResults } from './results.ts'
import { tracingHindrance } from './traced.ts'
import { runTrial } from './trial.ts'
import type { Journey, Verdict } from './trial.ts'

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
  help: { type: 'boolean', default: false },
} as const

interface Case {
  readonly journey: Journey
  readonly harm: HarmName
  readonly nth: number
}

/** Runs the trials that `argv` names; resolves with the exit code. */
async function runEveryNth(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const journeys = JOURNEYS.filter(({ name }) => values.journey.includes(name))
  const harms = (Object.keys(HARMS) as HarmName[]).filter((name) => values.harm.includes(name))
  const only = CALL_CLASSES.find((name) => name === values.class) ?? null
  const [every, jobs, ...nths] = [values.every, values.jobs, ...values.nth].map(Number)
  const known = journeys.length > 0 && harms.length > 0 && (values.class === undefined || only !== null)
  if (!known || ![every, jobs, ...nths].every((number) => Number(number) >= 1)) {
    console.error(HELP)
    return 2
  }
  if (values.damage) return await runDamages(every ?? 1)
  {
    using plan = createFaultPlan()
    const hindrance = await tracingHindrance(plan)
    if (hindrance !== null) {
      console.error(`Nothing can be made to fail here: ${hindrance}.`)
      return 1
    }
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
  // The first of all journeys are over before the last of one: a run that is cut off has seen something of each.
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
}

/** A trial takes some seconds, on a disk that is dead 40, and at the most the patience of a journey. */
const HANGS_MS = 600_000

function unfinished(finding: string): Verdict {
  const met = { count: 0, of: { write: 0, sync: 0, name: 0, read: 0 }, struck: null }
  return { met, calls: [], findings: [finding] }
}

async function inParallel<Item>(
  items: readonly Item[],
  jobs: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  async function go(): Promise<void> {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: jobs }, go))
}

if (import.meta.main) process.exit(await runEveryNth(process.argv.slice(2)))
