// Runs every check and ends with one line: `N passed, N failed`.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { $ } from 'bun'
import { makeRsaKeys } from '../src/gateway/simulator/certificate.ts'
import { migratedDatabase } from '../test/support/new-database.ts'

/** `node_modules/.bin` is on the path. */
const CHECKS = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the dashboard', command: ['tsc', '--noEmit', '-p', 'src/dashboard'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'reproduce', command: [process.execPath, 'scripts/reproduce.ts'] },
]

/** Tests wait for events, not for time: this is only how soon one that hangs is given up on a machine that stalls. */
const HANGS_MS = 180_000

let passed = 0
let failed = 0

// Before the tests: those that run the service as a process of its own run this one, which starts in half the time.
const built = (await $`${process.execPath} scripts/build.ts`.nothrow()).exitCode === 0
report('build', built)

// Beside the tests, which leave a fifth of two cores idle while they wait. At the lowest priority, to slow none of them.
const checked = check()

// The tests count one by one; the counts are read from the report that Bun writes.
const junit = 'dist/test-report.xml'
await $`mkdir -p dist && rm -f ${junit}`
// A few long-lived processes, each with one world for all the files that it is handed: what is loaded and compiled for
// the first is there for the next, which halves the computing. So files leave nothing behind, and run in any order. One
// more at a time than there are cores: of 668 s that files took by two on 2 cores they computed for 574, and waited for
// the disk, a process or a step of their clock for the rest.
const beside = [`--parallel=${Math.min(availableParallelism() + 1, 4)}`, '--no-isolate']
// Of each long proof one scenario, the same whenever this commit is tested (test/support/in-turn.ts).
const commit = (await $`git rev-parse HEAD`.nothrow().quiet()).text().trim()
const turn = process.env['TEST_TURN'] ?? String(Number.parseInt(commit.slice(0, 12) || '0', 16))
// Made once for all files, each of which would take a third of a second to make its own.
const keys = await Promise.all(Array.from({ length: 3 }, makeRsaKeys))
const database = resolve('dist/test-database.db')
await Bun.write(database, migratedDatabase())
// The slowest first, by what they took the last time: none is left that runs on alone.
const timed = ['--timings=dist/test-timings.json', '--update-timings']
const reported = ['--reporter=junit', `--reporter-outfile=${junit}`]
const tests = Bun.spawn(
  [
    process.execPath,
    'test',
    '--randomize',
    ...beside,
    `--timeout=${HANGS_MS}`,
    ...timed,
    ...reported,
    ...process.argv.slice(2),
  ],
  {
    env: {
      ...process.env,
      TEST_RSA_KEYS: JSON.stringify(keys),
      TEST_DATABASE: database,
      TEST_TURN: turn,
      ...(built && { TEST_BINARY: resolve('dist/bellhop') }),
    },
    stdout: 'inherit',
    stderr: 'pipe',
  },
)
const { failures, skipped } = await pass(tests.stderr)
await tests.exited
const totals = /<testsuites[^>]*\btests="(\d+)"[^>]*\bfailures="(\d+)"[^>]*\bskipped="(\d+)"/.exec(await text(junit))
const [all = 0, broken = 0, left = 0] = totals?.slice(1).map(Number) ?? []
// A test that this machine cannot run has not passed.
const ran = all - left
passed += ran - broken
failed += broken
// A crash, or no test at all, must not pass for want of a failure.
if (ran === 0 || (tests.exitCode !== 0 && broken === 0)) report('tests', false)

for (const { name, ok, output } of await checked) {
  process.stdout.write(output)
  report(name, ok)
}
report('smoke', (await $`${process.execPath} scripts/smoke.ts`.nothrow()).exitCode === 0)

// Once more, a few thousand lines after they were printed; what failed last, where a log that is cut still has it.
for (const [group, count] of counted(skipped.map((name) => name.split(' > ', 1)[0] ?? name))) {
  console.log(`${group}: ${count}`)
}
for (const failure of failures) console.log(`\n${failure}`)
const { files = {} }: { files?: Record<string, number> } = JSON.parse((await text('dist/test-timings.json')) || '{}')
const slowest = Object.entries(files).slice(0, 10)
console.log(`the slowest files: ${slowest.map(([file, ms]) => `${file} ${(ms / 1000).toFixed(1)} s`).join(', ')}`)
console.log(`of each long proof the scenario of turn ${turn}; all of them: ./scripts/proof`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function report(name: string, ok: boolean): void {
  console.log(`${ok ? '✓' : '✗'} ${name}`)
  if (ok) passed++
  else failed++
}

async function check() {
  const path = `${resolve('node_modules/.bin')}:${process.env['PATH']}`
  const results = []
  for (const { name, command } of CHECKS) {
    const { exitCode, stdout, stderr } = await $`nice -n 19 ${command}`
      .env({ ...process.env, PATH: path })
      .nothrow()
      .quiet()
    results.push({ name, ok: exitCode === 0, output: Buffer.concat([stdout, stderr]) })
  }
  return results
}

interface Told {
  /** What was said of each test that failed. */
  readonly failures: readonly string[]
  /** Tests that this machine cannot run; their names say why. */
  readonly skipped: readonly string[]
}

/** Passes on what the tests print. */
async function pass(output: ReadableStream<Uint8Array>): Promise<Told> {
  const failures: string[] = []
  const skipped: string[] = []
  let said: string[] = []
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of output) {
    process.stderr.write(chunk)
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const verdict = /^\((pass|fail|skip|todo)\) /.exec(Bun.stripANSI(line))?.[1]
      if (verdict === undefined) said.push(line)
      // Without the list at the end.
      else if (verdict === 'fail' && said.some((before) => before !== '') && !said.some(isSummary))
        failures.push([...said, line].join('\n'))
      if (verdict === 'skip') skipped.push(Bun.stripANSI(line))
      if (verdict !== undefined) said = []
    }
  }
  return { failures, skipped }
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function isSummary(line: string): boolean {
  return /^\d+ tests? failed:$/.test(line)
}

async function text(path: string): Promise<string> {
  const file = Bun.file(path)
  return (await file.exists()) ? file.text() : ''
}
