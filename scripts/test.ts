// Runs every check and ends with one line: `N passed, N failed`.
import { $ } from 'bun'

interface Step {
  readonly name: string
  readonly command: readonly string[]
}

const CHECKS: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'dead code', command: ['knip'] },
]

/** Tests wait for events, not for time: this is only how soon one that hangs is given up on a machine that stalls. */
const HANGS_MS = 20_000

let passed = 0
let failed = 0

for (const { name, command } of CHECKS) {
  const [tool = '', ...args] = command
  report(name, (await $`${`./node_modules/.bin/${tool}`} ${args}`.nothrow()).exitCode === 0)
}

// The tests count one by one; the counts are read from the report that Bun writes.
const junit = 'dist/test-report.xml'
await $`mkdir -p dist && rm -f ${junit}`
const tests =
  await $`${process.execPath} test --randomize --timeout=${HANGS_MS} --reporter=junit --reporter-outfile=${junit} ${process.argv.slice(2)}`
    .env({ ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' })
    .nothrow()
const totals = /<testsuites[^>]*\btests="(\d+)"[^>]*\bfailures="(\d+)"/.exec(await text(junit))
const ran = Number(totals?.[1] ?? 0)
const broken = Number(totals?.[2] ?? 0)
passed += ran - broken
failed += broken
// A crash, or no test at all, must not pass for want of a failure.
if (ran === 0 || (tests.exitCode !== 0 && broken === 0)) report('tests', false)

report('build', (await $`${process.execPath} scripts/build.ts`.nothrow()).exitCode === 0)
report('smoke', (await $`${process.execPath} scripts/smoke.ts`.nothrow()).exitCode === 0)

console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function report(name: string, ok: boolean): void {
  console.log(`${ok ? '✓' : '✗'} ${name}`)
  if (ok) passed++
  else failed++
}

async function text(path: string): Promise<string> {
  const file = Bun.file(path)
  return (await file.exists()) ? file.text() : ''
}
