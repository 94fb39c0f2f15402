import { Database as Sqlite } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import { sharedKeys } from '../support/rsa-keys.ts'
import { command, serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { wireTo } from './move-between.ts'
import type { Step } from './move-between.ts'

type Side = 'source' | 'target'

/** When which of the two is killed: beside a step, before it or after it, or some time after the beginning. */
export type Kill =
  | { readonly whom: Side; readonly step: Step; readonly when: 'before' | 'after' }
  | { readonly whom: Side; readonly afterMs: number }

export interface KilledMove {
  /** Where the application is in the end; `[]` or both would be the fault. */
  readonly servedBy: readonly Side[]
  /** Registrations that were acknowledged, and those of them that are not where the application is. */
  readonly acknowledged: number
  readonly lost: number
  /** Devices that got the push, and how many got it again, in all. */
  readonly reached: number
  readonly repeated: number
  /** From the kill on, until one of them served it. */
  readonly settledMs: number
}

interface Pair extends AsyncDisposable {
  run(kill: Kill): Promise<KilledMove>
}

interface Side_ {
  readonly data: string
  process: ServiceProcess
}

/** Two servers in processes of their own, between which applications move that are killed in the middle. */
export async function startPair(devices: number): Promise<Pair> {
  const directory = await mkdtemp(join(tmpdir(), 'bellhop-killed-'))
  const simulator = await startSimulator({ clock: systemClock, rsaKeys: sharedKeys, remember: 0 })
  const arrived: { readonly collapse: string | null; readonly token: string }[] = []
  simulator.onArrival(({ collapse, token, status }) => {
    if (status === 200) arrived.push({ collapse, token })
  })
  const ca = join(directory, 'ca.pem')
  await Bun.write(ca, simulator.ca)
  const env = {
    BELLHOP_APNS_URL: simulator.apnsUrl,
    BELLHOP_APNS_SANDBOX_URL: simulator.apnsSandboxUrl,
    BELLHOP_FCM_URL: simulator.fcmUrl,
    BELLHOP_FCM_TOKEN_URL: simulator.fcmTokenUrl,
    BELLHOP_GATEWAY_CA: ca,
  }
  const start = async (name: string): Promise<Side_> => {
    const data = join(directory, name)
    return { data, process: await serve(data, env) }
  }
  const sides = { source: await start('source'), target: await start('target') }
  const made = await command(['admin', 'token', 'mover', '--purpose', 'administer', '--data', sides.target.data])
  const token = join(directory, 'token')
  await Bun.write(token, /bha_[\w-]+/.exec(made.stdout)?.[0] ?? '')
  const front = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => fetch(sides.target.process.url + new URL(request.url).pathname),
  })
  let rounds = 0

  async function restart(whom: Side): Promise<void> {
    await sides[whom].process.kill('SIGKILL')
    sides[whom].process = await serve(sides[whom].data, env)
  }

  function openFile(side: Side): Sqlite {
    const file = new Sqlite(join(sides[side].data, 'bellhop.db'), { readonly: true })
    file.run('PRAGMA busy_timeout = 5000')
    return file
  }

  /** The phase of a move on each side, and who serves the application. */
  function look(id: string) {
    const found = (Object.keys(sides) as Side[]).map((side) => {
      using file = openFile(side)
      const phase = file
        .query<{ phase: string }, [string]>('SELECT phase FROM application_move WHERE id = ?')
        .get(id)?.phase
      const isThere = file.query('SELECT 1 FROM application WHERE id = ?').get(id) !== null
      return {
        side,
        phase: phase ?? 'none',
        serves: isThere && (phase === undefined || phase === 'here' || phase === 'leaving'),
      }
    })
    const [source, target] = found.map(({ phase }) => phase)
    const isOver = (phase = '') => ['none', 'gone', 'here'].includes(phase)
    // The source knows nothing of an offer that it has not heard: its copy, of nothing, is dropped when it stands still.
    const isSettled = isOver(source) && (isOver(target) || (source === 'none' && target === 'arriving'))
    return { isSettled, servedBy: found.filter(({ serves }) => serves).map(({ side }) => side) }
  }

  async function run(kill: Kill): Promise<KilledMove> {
    const created = await command(['app', 'create', `round ${++rounds}`, '--json', '--data', sides.source.data])
    const { id, secret } = JSON.parse(created.stdout) as { id: string; secret: string }
    const issued = simulator.issue(id)
    const account = join(directory, `account-${rounds}.json`)
    await Bun.write(account, issued.serviceAccount)
    await command(['app', 'fcm', id, '--service-account', account, '--data', sides.source.data])
    await command(['app', 'limits', id, '--rate', '0', '--backend-rate', '0', '--data', sides.source.data])
    const headers = {
      'accept-version': '1',
      'content-type': 'application/json',
      'x-service-appid': id,
      'x-service-secret': secret,
    }
    const call = async (side: Side, method: string, path: string, body?: unknown) =>
      fetch(sides[side].process.url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const acknowledged: string[] = []
    for (let from = 0; from < devices; from += 500) {
      const tokens = Array.from({ length: Math.min(500, devices - from) }, (_, n) => `r${rounds}:${from + n}`)
      const answer = await call('source', 'PUT', '/deviceToken/batch', { platform: '1', tokens })
      if (answer.status === 201) acknowledged.push(...tokens)
    }
    const pushed = await call('source', 'POST', '/push/all', { platform: 1, msg: 'Hello', sound: '', badge: '' })
    const { id: push } = (await pushed.json()) as { id: string }

    const killed = Promise.withResolvers<number>()
    let isKilled = false
    async function strike(): Promise<void> {
      if (isKilled) return
      isKilled = true
      await restart(kill.whom)
      killed.resolve(performance.now())
    }
    const isAt = (step: Step, when: 'before' | 'after') => 'step' in kill && kill.step === step && kill.when === when
    await using wire = wireTo(
      () => sides.target.process.adminUrl,
      async (step): Promise<'passes'> => {
        if (isAt(step, 'before')) await strike()
        return 'passes'
      },
      async (step) => {
        if (isAt(step, 'after')) await strike()
      },
    )
    const state = { ended: false }
    const registering = (async () => {
      for (let n = 0; !state.ended; n++) {
        const one = `r${rounds}:late-${n}`
        const answer = await call('source', 'PUT', '/deviceToken', { token: one, platform: '1' }).catch(() => null)
        if (answer?.status === 201) acknowledged.push(one)
        else await Bun.sleep(20)
      }
    })()
    const argv = [
      'app',
      'move',
      id,
      '--to',
      wire.adminUrl,
      '--to-token-file',
      token,
      '--url',
      `http://127.0.0.1:${front.port}`,
    ]
    const moving = command([...argv, '--data', sides.source.data])
    if ('afterMs' in kill) {
      await Bun.sleep(kill.afterMs)
      await strike()
    }
    await moving
    // The move may have ended before its time.
    if (!isKilled) await strike()
    const at = await killed.promise
    await until(() => look(id).isSettled)
    const settledMs = Math.round(performance.now() - at)
    state.ended = true
    await registering
    const { servedBy } = look(id)
    const side = servedBy[0] ?? 'source'
    await until(
      async () => ((await (await call(side, 'GET', `/push/${push}`)).json()) as { state: string }).state === 'finished',
    )
    using file = openFile(side)
    const there = new Set(
      file
        .query<{ token: string }, [string]>(
          'SELECT token FROM device WHERE application = (SELECT number FROM application WHERE id = ?)',
        )
        .all(id)
        .map((row) => row.token),
    )
    const got = arrived.filter(({ collapse }) => collapse === push)
    const reached = new Set(got.map((one) => one.token)).size
    const lost = acknowledged.filter((one) => !there.has(one)).length
    return { servedBy, acknowledged: acknowledged.length, lost, reached, repeated: got.length - reached, settledMs }
  }

  return {
    run,
    async [Symbol.asyncDispose]() {
      await front.stop(true)
      for (const { process } of Object.values(sides)) await process[Symbol.asyncDispose]()
      await simulator[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
