// The fault harness: the service as a real process, gateways over real TLS and HTTP/2, one fault after the other.
// judge/judge.ts defines lost, repeated and wrong.
import { drawSeed, runScript, UsageError, wholeNumber } from '../support/proof-script.ts'
import { programOf } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'
import { runScenarios } from './run-scenario.ts'
import type { Row } from './run-scenario.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { SCENARIOS } from './scenarios/scenarios.ts'
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
  only: { type: 'string', multiple: true, default: [] as string[] },
  binary: { type: 'string' },
  jobs: { type: 'string', default: '4' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
} as const

const HEAD = ['fault', 'pushes', 'notifications', 'lost', 'repeated', 'longest delay', 'result'] as const

/** Of all columns except the last. */
const WIDTHS = [19, 8, 15, 6, 10, 15]

await runScript(HELP, OPTIONS, async ({ values }) => {
  const { only, json, markdown } = values
  const unknown = only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name))
  if (unknown.length > 0) throw new UsageError(`No fault is called ${unknown.join(', ')}: see --list.`)
  if (values.list) {
    for (const { name, what } of SCENARIOS) console.log(`${name.padEnd(19)}${what}`)
    return 0
  }
  const seed = wholeNumber('seed', values.seed ?? drawSeed(), 0)
  const rounds = wholeNumber('rounds', values.rounds, 1)
  const jobs = wholeNumber('jobs', values.jobs, 1)

  const chosen = SCENARIOS.filter(({ name }) => only.length === 0 || only.includes(name))
  const asTable = !json && !markdown
  if (asTable) console.log(`seed ${seed}, ${rounds} rounds of kill -9\n\n${textLine(HEAD)}`)
  const onRow = (row: Row) => asTable && console.log(textLine(cells(row, row.scenario.name)))
  const rows = await run(chosen, programOf(values.binary ?? null), { seed, rounds, jobs, onRow })

  if (markdown) console.log(markdownTable(rows))
  if (json) {
    const named = rows.map(({ scenario: { name, what }, result }) => ({ name, what, ...result }))
    console.log(JSON.stringify({ seed, rounds, rows: named }, null, 2))
  }
  const skipped = rows.filter(({ result }) => result.kind === 'skipped').length
  const failed = rows.filter(({ result }) => result.kind === 'ran' && result.judgement.findings.length > 0).length
  if (asTable) console.log(`\n${rows.length - failed - skipped} held, ${failed} failed, ${skipped} skipped`)
  return failed === 0 ? 0 : 1
})

type Order = Pick<Parameters<typeof runScenarios>[1], 'seed' | 'rounds' | 'jobs' | 'onRow'>

async function run(chosen: readonly Scenario[], program: Program, order: Order): Promise<readonly Row[]> {
  const opened = new Set<AsyncDisposable>()
  const closeAll = () => Promise.allSettled(Array.from(opened, (one) => one[Symbol.asyncDispose]()))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Every signal: a second one must not end the process before everything is closed.
    process.on(signal, () => {
      console.error(`${signal}: broken off`)
      void closeAll().then(() => process.exit(1))
    })
  }
  // Also if the harness fails, no process or disk may be left.
  try {
    const template = await makeTemplate(program, { ios: 1500, android: 600 })
    opened.add(template)
    const onOpened = (one: AsyncDisposable) => void opened.add(one)
    return await runScenarios(chosen, { ...order, template, program, quick: false, onOpened })
  } finally {
    await closeAll()
  }
}

function markdownTable(rows: readonly Row[]): string {
  const rule = HEAD.map((name) => (name === 'fault' || name === 'result' ? '---' : '---:'))
  const lines = [HEAD, rule, ...rows.map((row) => cells(row, row.scenario.what))]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells({ result }: Row, title: string): readonly string[] {
  if (result.kind === 'skipped') return [title, '', '', '', '', '', `skipped: ${result.why}`]
  const { pushes, notifications, lost, repeated, longestDelayMs, findings } = result.judgement
  return [
    title,
    String(pushes),
    String(notifications),
    String(lost),
    String(repeated),
    `${(longestDelayMs / 1000).toFixed(1)} s`,
    findings.length === 0 ? 'ok' : `FAILED: ${findings.join('; ')}`,
  ]
}

function textLine(line: readonly string[]): string {
  const padded = line.map((cell, at) => {
    const width = WIDTHS[at]
    if (width === undefined) return `  ${cell}`
    return at === 0 ? cell.padEnd(width) : cell.padStart(width)
  })
  return padded.join('')
}
