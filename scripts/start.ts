// The demo: the service with an application on the built-in simulator, a few devices and a push through real HTTP/2.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createApplicationStore } from '../src/application/application-store.ts'
import { systemClock } from '../src/clock.ts'
import { parseConfig } from '../src/config.ts'
import { openDatabase } from '../src/database/database.ts'
import { createServer } from '../src/server.ts'
import { StartRefused } from '../src/start-refused.ts'

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } })

/** How long the first push may take, in ms. On loopback it takes about 100. */
const PATIENCE_MS = 30_000

// Once: beside nothing and nobody, so that it works wherever it runs.
const data = values.once ? mkdtempSync(join(tmpdir(), 'bellhop-demo-')) : './bellhop-data/demo'
const ports = values.once ? ['--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'] : []
const parsed = parseConfig(['--data', data, '--log-level', 'warn', ...ports], process.env, () => {
  throw new Error('the demo reads no files')
})
if (parsed.kind === 'problems') fail(parsed.problems.join('\n'))

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

if (values.once) {
  await server[Symbol.asyncDispose]()
  process.exit(0)
}

console.log(`
Send the next one:

  curl ${server.url}/push/all \\
    -H 'Accept-Version: 1' -H 'Content-Type: application/json' \\
    -H 'X-SERVICE-APPID: ${demo.id}' -H 'X-SERVICE-SECRET: ${demo.secret}' \\
    -d '{"tags": ["beta"], "title": "Bellhop", "msg": "Once more"}'

API documentation  ${server.url}/docs
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

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
