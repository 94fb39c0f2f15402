// The demo: the service with an application on the built-in simulator, a few devices and a push through real HTTP/2.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplicationStore } from '../src/application/application-store.ts'
import { dataFlagOf } from '../src/cli/open-data.ts'
import { systemClock } from '../src/clock.ts'
import { openDatabase } from '../src/database/database.ts'
import { StartRefused } from '../src/failure.ts'
import { createServer } from '../src/server/server.ts'
import { readFlags } from '../src/settings/flags.ts'
import { parseConfig } from '../src/settings/parse.ts'
import { SETTINGS } from '../src/settings/table.ts'

const USAGE = `Usage: ./scripts/start [--once] [--data PATH]

Starts Bellhop with a demo application on the built-in simulator, registers three devices and pushes to them.

  --once       stop when the first push has arrived; leaves nothing behind
  --data PATH  where the data goes (default ./bellhop-data/demo; with --once a directory that is erased)

Settings are taken from variables, such as BELLHOP_LISTEN=127.0.0.1:9000.
`

const FLAGS = { valued: ['data'], switches: ['once', 'help'] }

const { values: flags, words, problems } = readFlags(process.argv.slice(2), FLAGS)
if (flags.has('help') || process.argv.includes('-h')) {
  console.log(USAGE)
  process.exit(0)
}
if (problems.length > 0 || words.length > 0) {
  fail([...problems, ...words.map((word) => `"${word}" is too much.`), '', USAGE].join('\n'), 2)
}
const once = flags.has('once')

/** How long the first push may take, in ms. On loopback it takes about 100. */
const PATIENCE_MS = 30_000

// Once: beside nothing and nobody, so that it works wherever it runs.
const temporary = once && !flags.has('data') ? mkdtempSync(join(tmpdir(), 'bellhop-demo-')) : null
if (temporary !== null) process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
const data = temporary ?? flags.get('data') ?? './bellhop-data/demo'
const ports = once ? ['--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'] : []
const parsed = parseConfig(['--data', data, '--log-level', 'warn', ...ports], process.env, () => {
  throw new Error('the demo reads no files')
})
if (parsed.kind === 'problems') fail(parsed.problems.join('\n'), 2)

/** Where commands look by themselves. */
const USUAL_ADMIN = SETTINGS.adminListen.default

const demo = demoApplication()
const server = await createServer(parsed.config).catch((error: unknown) =>
  fail(error instanceof StartRefused ? error.message : String(error)),
)
console.log(`Bellhop listens on ${server.url}\n`)

const headers = {
  'accept-version': '1',
  'content-type': 'application/json',
  'x-service-appid': demo.id,
  'x-service-secret': demo.secret,
}

const devices = [
  { token: 'a1'.repeat(32), platform: '0', tag: ['beta'], alias: 'ada' },
  { token: 'b2'.repeat(32), platform: '0', active: ['news'] },
  { token: 'demo-android-registration-id', platform: '1', tag: ['beta'] },
]
for (const device of devices) {
  await call('PUT', '/deviceToken', device)
  const { platform, token, tag } = device
  console.log(`registered  ${platform === '0' ? 'iOS    ' : 'Android'}  ${token.slice(0, 12)}…  ${tag?.join() ?? ''}`)
}

const hello = { title: 'Bellhop', msg: 'Hello, beta testers', sound: 'default', badge: '+1', tags: ['beta'] }
const preview = await call('POST', '/push/preview', hello)
console.log(`previewed   ${preview.t} devices; ${preview.apns.bytes} bytes for APNs, ${preview.fcm.bytes} for FCM\n`)

const simulator = await server.simulator()
let arrived = 0
const all = new Promise<void>((resolve) => {
  simulator.onArrival(({ provider, token, status, body }) => {
    console.log(`arrived     ${provider.padEnd(7)}  ${token.slice(0, 12)}…  ${status}  ${JSON.stringify(body)}`)
    arrived++
    if (arrived === preview.t) resolve()
  })
})

const push = await call('POST', '/push/all', hello)
console.log(`pushed      ${JSON.stringify(push)}\n`)
const late = new Promise<'late'>((resolve) => setTimeout(resolve, PATIENCE_MS, 'late'))
if ((await Promise.race([all, late])) === 'late') fail(`Only ${arrived} of ${preview.t} notifications arrived.`)

console.log(`\nstatus      ${JSON.stringify(await finished(push.id))}`)

if (once) {
  await server[Symbol.asyncDispose]()
  process.exit(0)
}

const admin = new URL(server.adminUrl).host
const besides = `${dataFlagOf(data)}${admin === USUAL_ADMIN ? '' : ` --admin-listen ${admin}`}`
const bellhop = './scripts/bun src/main.ts'
console.log(`
Send the next one, from another terminal:

  ${bellhop} push demo "Once more" --tag beta${besides}

or as a backend does:

  curl ${server.url}/push/all \\
    -H 'Accept-Version: 1' -H 'Content-Type: application/json' \\
    -H 'X-SERVICE-APPID: ${demo.id}' -H 'X-SERVICE-SECRET: ${demo.secret}' \\
    -d '{"tags": ["beta"], "title": "Bellhop", "msg": "Once more"}'

Look at what is there:

  ${bellhop} devices demo${dataFlagOf(data)}
  ${bellhop} pushes demo${besides}
  ${bellhop} tail demo${besides}

API documentation  ${server.url}/docs
Manual             ${server.url}/manual
Admin              ${server.adminUrl}/readyz
Data               ${data}

Ctrl-C stops it.
`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server[Symbol.asyncDispose]().then(() => process.exit(0)))
}

function demoApplication(): { id: string; secret: string } {
  using database = openDatabase(data)
  const applications = createApplicationStore({ database, clock: systemClock })
  const known = applications.find('demo')
  if (known !== null) {
    // Only its hash is stored: a new start shows a new secret.
    const turned = applications.rotateSecret(known.id)
    return turned.kind === 'rotated' ? { id: known.id, secret: turned.secret } : fail('The demo application is gone.')
  }
  const made = applications.create('demo')
  if (made.kind !== 'created') return fail(`The demo application could not be made: ${made.kind}.`)
  applications.setSimulated(made.application.id, true)
  return { id: made.application.id, secret: made.secret }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the shapes are those of the API documentation
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  if (!response.ok) fail(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** The status of a push, once it is over: that is written a moment after the gateway's answer. */
async function finished(id: string): Promise<unknown> {
  for (;;) {
    const status = await call('GET', `/push/${id}`)
    if (status.state === 'finished') return status
    await Bun.sleep(20)
  }
}

function fail(message: string, exitCode = 1): never {
  console.error(message)
  process.exit(exitCode)
}
