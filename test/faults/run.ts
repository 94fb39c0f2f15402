// The fault harness: the service as a real process, gateways over real TLS and HTTP/2, one fault after the other, and a
// table of what came of it. What counts as lost, repeated and wrong is in judge/judge.ts.
import { parseArgs } from 'node:util'
import { holds, markdownTable, tableHead, tableLine } from './judge/table.ts'
import { runScenarios } from './run-scenario.ts'
import type { Row } from './run-scenario.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { SCENARIOS } from './scenarios/scenarios.ts'
import { programOf } from './stage/service.ts'
import type { Program } from './stage/service.ts'
import { makeTemplate } from './stage/template.ts'

const HELP = `Usage: bun run faults [--rounds N] [--seed N] [--only NAME]… [--binary PATH] [--jobs N] [--json | --markdown | --list]

  --rounds N     how often the service is killed with -9 (default 20)
  --seed N       repeats a run (default: drawn, and printed)
  --only NAME    only this fault; repeatable
  --binary PATH  the compiled service in place of the sources
  --jobs N       faults at a time (default 4)
  --json         rows with all findings, and the log where something was found
  --markdown     the table for the manual
  --list         the faults

Exits with 1 when anything was lost, repeated without need, or counted wrongly.`

const OPTIONS = {
  rounds: { type: 'string', default: '20' },
  seed: { type: 'string' },
  only: { type: 'string', multiple: true },
  binary: { type: 'string' },
  jobs: { type: 'string', default: '4' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Runs the faults that `argv` names; resolves with the exit code. */
async function runFaults(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS })
  const { only = [] } = values
  const unknown = only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown.length > 0) {
    console.error(`No fault is called ${unknown.join(', ')}: see --list.`)
    return 2
  }
  if (values.help) {
    console.log(HELP)
    return 0
  }
  if (values.list) {
    for (const { name, what } of SCENARIOS) console.log(`${name.padEnd(19)}${what}`)
    return 0
  }
  const drawn = String(Math.floor(Math.random() * 1_000_000))
  const seed = wholeNumber('seed', values.seed ?? drawn, 0)
  const rounds = wholeNumber('rounds', values.rounds, 1)
  const jobs = wholeNumber('jobs', values.jobs, 1)
  if (seed === null || rounds === null || jobs === null) return 2

  const chosen = SCENARIOS.filter(({ name }) => only.length === 0 || only.includes(name))
  const asTable = !values.json && !values.markdown
  if (asTable) console.log(`seed ${seed}, ${rounds} rounds of kill -9\n\n${tableHead()}`)
  const onRow = (row: Row) => asTable && console.log(tableLine(row))
  const rows = await run(chosen, programOf(values.binary ?? null), { seed, rounds, jobs, onRow })

  if (values.markdown) console.log(markdownTable(rows))
  if (values.json) {
    const named = rows.map(({ scenario: { name, what }, result }) => ({ name, what, ...result }))
    console.log(JSON.stringify({ seed, rounds, rows: named }, null, 2))
  }
  const failed = rows.filter((row) => !holds(row)).length
  const skipped = rows.filter(({ result }) => result.kind === 'skipped').length
  if (asTable) console.log(`\n${rows.length - failed - skipped} held, ${failed} failed, ${skipped} skipped`)
  return failed === 0 ? 0 : 1
}

type Order = Pick<Parameters<typeof runScenarios>[1], 'seed' | 'rounds' | 'jobs' | 'onRow'>

async function run(chosen: readonly Scenario[], program: Program, order: Order): Promise<readonly Row[]> {
  const opened = new Set<AsyncDisposable>()
  const closeAll = () => Promise.allSettled(Array.from(opened, (one) => one[Symbol.asyncDispose]()))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Not once: a second one must not end it before everything is closed.
    process.on(signal, () => {
      console.error(`${signal}: broken off`)
      void closeAll().then(() => process.exit(1))
    })
  }
  // Also when the harness itself fails: no process and no disk may stay behind.
  try {
    const template = await makeTemplate(program, { ios: 1500, android: 600 })
    opened.add(template)
    const { compiled } = program
    const onOpened = (one: AsyncDisposable) => void opened.add(one)
    return await runScenarios(chosen, { ...order, template, program, compiled, quick: false, onOpened })
  } finally {
    await closeAll()
  }
}

function wholeNumber(name: string, value: string, min: number): number | null {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= min) return number
  console.error(`--${name} ${value}: a whole number from ${min}.`)
  return null
}

if (import.meta.main) process.exit(await runFaults(process.argv.slice(2)))
