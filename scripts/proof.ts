// Runs the long proofs in full and times them. ./scripts/test runs one scenario of each.
import { parseArgs } from 'node:util'
import { $ } from 'bun'

interface Proof {
  readonly name: string
  readonly what: string
  /** Duration on two cores. */
  readonly usually: string
  /** Arguments of Bun. */
  readonly command: readonly string[]
}

const tests = (...files: readonly string[]): readonly string[] => ['test', '--timeout=180000', ...files]

/** Shortest first. */
const PROOFS: readonly Proof[] = [
  {
    name: 'heap',
    what: 'hostile input leaves nothing in memory',
    usually: '10 s',
    command: tests('test/fuzz/heap.test.ts'),
  },
  {
    name: 'demo',
    what: 'the demo, and every command that it prints',
    usually: '10 s',
    command: tests('test/server/demo.test.ts'),
  },
  {
    name: 'upgrades',
    what: 'a database of each earlier schema is upgraded, and served; its copy is restored',
    usually: '30 s',
    command: tests('test/database/upgrade.test.ts', 'test/cli/backup/restore-command.test.ts'),
  },
  {
    name: 'move',
    what: 'kill -9 of either server at each step of a move',
    usually: '30 s',
    command: tests('test/move/killed.test.ts'),
  },
  {
    name: 'full-disk',
    what: 'a real disk that is full, also inside a transaction and while a push is sent; needs root',
    usually: '30 s',
    command: tests('test/server/faults-on-a-full-disk.test.ts'),
  },
  {
    name: 'kills',
    what: 'kill -9 and SIGTERM in the middle of a broadcast',
    usually: '40 s',
    command: tests('test/delivery/crash.test.ts'),
  },
  {
    name: 'unwritten',
    what: 'sending while nothing can be written down',
    usually: '40 s',
    command: tests('test/delivery/open/unwritten.test.ts'),
  },
  {
    name: 'reproduce',
    what: 'a second build, elsewhere and by somebody else, has the same bytes',
    usually: '40 s',
    command: ['scripts/reproduce.ts'],
  },
  {
    name: 'hpack',
    what: "our header compression beside nghttp2's, 100,000 blocks each way",
    usually: '1 min',
    command: ['run', 'transports', 'hpack'],
  },
  {
    name: 'upgrade',
    what: 'bellhop upgrade is killed at each step, and goes back from versions that do not get ready; best as root',
    usually: '1 min',
    command: tests('test/cli/upgrade/upgrade-command.test.ts'),
  },
  {
    name: 'disaster',
    what: 'a machine that died is restored from what the real Litestream replicated to a bucket, ten times',
    usually: '4 min',
    command: ['scripts/disaster.ts'],
  },
  {
    name: 'damage',
    what: '393 damaged data directories',
    usually: '5 min',
    command: ['run', 'every-nth', '--damage'],
  },
  {
    name: 'release',
    what: 'a release, made twice, has the same bytes, and its signatures fit; needs minisign',
    usually: '5 min',
    command: ['scripts/reproduce-release.ts'],
  },
  {
    name: 'servers',
    what: "each HTTP/2 transport with other projects' servers",
    usually: '10 min',
    command: ['run', 'transports', 'servers'],
  },
  {
    name: 'failover',
    what: 'the machine dies at a random write, 50 times, and another one serves its copy of the volume; needs root',
    usually: '10 min',
    command: ['run', 'failover', '--binary', 'dist/bellhop'],
  },
  {
    name: 'fuzz',
    what: 'hostile input to a service that is watched',
    usually: '20 min',
    command: ['run', 'fuzz', '--minutes', '20'],
  },
  {
    name: 'faults',
    what: 'each fault of gateways, process and machine, with 20 rounds of kill -9',
    usually: '30 min',
    command: ['run', 'faults'],
  },
  {
    name: 'worlds',
    what: '1,000 simulated worlds, with seeds of this run',
    usually: '30 min',
    command: ['run', 'simulate', '--seed', String(Math.floor(Math.random() * 1e6) * 1000), '--seeds', '1000'],
  },
  {
    name: 'planted',
    what: 'each planted defect of system calls is found',
    usually: '30 min',
    command: ['run', 'every-nth', '--planted', ''],
  },
  {
    name: 'wire',
    what: '5,000,000 requests to a gateway that cuts connections',
    usually: '1 h',
    command: ['run', 'transports', 'soak'],
  },
  {
    name: 'soak',
    what: 'mixed load, faults and commands: nothing is lost, and nothing grows',
    usually: '1 h',
    command: ['run', 'soak', '--hours', '1'],
  },
  {
    name: 'every-nth',
    what: 'every system call of six journeys fails in turn, in each way',
    usually: '2 h',
    command: ['run', 'every-nth'],
  },
  {
    name: 'mutations',
    what: 'each defect that is planted in the sources is found by a simulated world',
    usually: '3 h',
    command: ['run', 'simulate', '--mutations'],
  },
]

const HELP = `Usage: ./scripts/proof [NAME]… [--list]

Runs these proofs, or all of them, one after the other. ./scripts/test has one scenario of each in every run. Those that
are a script of package.json take flags of their own: ./scripts/bun run faults --help.

${PROOFS.map(({ name, usually, what }) => `  ${name.padEnd(11)}${usually.padEnd(8)}${what}`).join('\n')}

Exits with 1 when one of them failed.`

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !PROOFS.some((proof) => proof.name === name))
if (values.list || values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`No proof is called ${unknown.join(', ')}.\n`)
  console.log(HELP)
  process.exit(unknown.length === 0 ? 0 : 2)
}

const chosen = PROOFS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
// Tests start the service twice as fast from it, and `reproduce` compares a second build with it.
await $`${process.execPath} scripts/build.ts`
const failed: string[] = []
for (const { name, what, usually, command } of chosen) {
  console.log(`\n${name}: ${what} (usually ${usually})`)
  const startedAt = performance.now()
  const { exitCode } = await $`${process.execPath} ${command}`
    .env({ ...process.env, TEST_BINARY: 'dist/bellhop' })
    .nothrow()
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  if (exitCode !== 0) failed.push(name)
  console.log(`${exitCode === 0 ? '✓' : '✗'} ${name}: ${seconds} s`)
}
console.log(failed.length === 0 ? '\nall held' : `\nfailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
