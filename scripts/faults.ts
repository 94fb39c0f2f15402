// The fault harness: the service as a real process, gateways over real TLS and HTTP/2, one fault after the other, and a
// table of what came of it. What counts as lost, repeated and wrong is in fault-harness/judge.ts.
import { parseArgs } from 'node:util'
import { runScenarios } from './fault-harness/run-scenario.ts'
import type { Row } from './fault-harness/run-scenario.ts'
import { SCENARIOS } from './fault-harness/scenarios.ts'
import { programOf } from './fault-harness/service.ts'
import { holds, markdownTable, tableHead, tableLine } from './fault-harness/table.ts'
import { makeTemplate } from './fault-harness/template.ts'

const HELP = `Usage: scripts/faults [--rounds N] [--seed N] [--only NAME]… [--binary PATH] [--jobs N] [--json | --markdown | --list]

  --rounds N     how often the service is killed with -9 (default 20)
  --seed N       repeats a run (default: drawn, and printed)
  --only NAME    only this fault; repeatable
  --binary PATH  the compiled service in place of the sources
  --jobs N       faults at a time (default 4)
  --json         rows with all findings, and the log where something was found
  --markdown     the table for the README
  --list         the faults

Exits with 1 when anything was lost, repeated without need, or counted wrongly.`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    only: { type: 'string', multiple: true, default: [] },
    binary: { type: 'string' },
    jobs: { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = values.only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
if (unknown.length > 0) {
  console.error(`No fault is called ${unknown.join(', ')}: see --list.`)
  process.exit(2)
}
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
if (values.list) {
  for (const { name, what } of SCENARIOS) console.log(`${name.padEnd(19)}${what}`)
  process.exit(0)
}

const [seed, rounds, jobs] = [number('seed', 0), number('rounds', 1), number('jobs', 1)]
const program = programOf(values.binary ?? null)
const chosen = SCENARIOS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
const asTable = !values.json && !values.markdown
if (asTable) console.log(`seed ${seed}, ${rounds} rounds of kill -9\n\n${tableHead()}`)

const opened = new Set<AsyncDisposable>()
const closeAll = () => Promise.allSettled(Array.from(opened, (one) => one[Symbol.asyncDispose]()))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Not once: a second one must not end it before everything is closed.
  process.on(signal, () => {
    console.error(`${signal}: broken off`)
    void closeAll().then(() => process.exit(1))
  })
}

const rows = await run()

if (values.markdown) console.log(markdownTable(rows))
if (values.json) {
  const named = rows.map(({ scenario: { name, what }, result }) => ({ name, what, ...result }))
  console.log(JSON.stringify({ seed, rounds, rows: named }, null, 2))
}
const failed = rows.filter((row) => !holds(row)).length
const skipped = rows.filter(({ result }) => result.kind === 'skipped').length
if (asTable) console.log(`\n${rows.length - failed - skipped} held, ${failed} failed, ${skipped} skipped`)
process.exit(failed === 0 ? 0 : 1)

async function run(): Promise<readonly Row[]> {
  // Also when the harness itself fails: no process and no disk may stay behind.
  try {
    const template = await makeTemplate(program, { ios: 1500, android: 600 })
    opened.add(template)
    return await runScenarios(chosen, {
      template,
      program,
      seed,
      rounds,
      jobs,
      compiled: program.compiled,
      quick: false,
      onOpened: (one) => void opened.add(one),
      onRow: (row) => asTable && console.log(tableLine(row)),
    })
  } finally {
    await closeAll()
  }
}

function number(name: 'seed' | 'rounds' | 'jobs', least: number): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= least) return value
  console.error(`--${name} ${values[name]}: a whole number from ${least}.`)
  process.exit(2)
}
