import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { testInTurn } from '../support/in-turn.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { command, serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { wireTo } from './move-between.ts'
import type { Step } from './move-between.ts'

/** More than one step of rows. */
const DEVICES = 600

const SIDES = ['source', 'target'] as const
type Side = (typeof SIDES)[number]

const KILLS = SIDES.flatMap((whom) =>
  (['offer', 'begin', 'rows', 'complete', 'activate'] as const).flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({ whom, step, when })),
  ),
)
type Kill = (typeof KILLS)[number]

const test = testInTurn(KILLS.length)

/** In separate processes. */
const processes = {} as Record<Side, ServiceProcess>
const tokens = {} as Record<Side, string>
const arrived: { readonly push: string | null; readonly token: string }[] = []
let gateways: OutsideGateways
beforeAll(async () => {
  gateways = await startOutsideGateways(systemClock)
  gateways.simulator.onArrival(({ collapse, token, status }) => {
    if (status === 200) arrived.push({ push: collapse, token })
  })
  for (const side of SIDES) {
    await start(side)
    const made = await command(['admin', 'token', 'mover', '--purpose', 'administer', '--data', dataOf(side)])
    tokens[side] = /bha_[\w-]+/.exec(made.stdout)?.[0] ?? ''
  }
  await Bun.write(join(directory, 'token'), tokens.target)
}, 60_000)
afterAll(async () => {
  for (const side of SIDES) await processes[side][Symbol.asyncDispose]()
  await gateways[Symbol.asyncDispose]()
})
const directory = directoryOfTests('bellhop-killed')

const dataOf = (side: Side): string => join(directory, side)

async function start(side: Side): Promise<void> {
  const { apnsUrl, apnsSandboxUrl, fcmUrl, fcmTokenUrl } = gateways.simulator
  processes[side] = await serve(dataOf(side), {
    BELLHOP_APNS_URL: apnsUrl,
    BELLHOP_APNS_SANDBOX_URL: apnsSandboxUrl,
    BELLHOP_FCM_URL: fcmUrl,
    BELLHOP_FCM_TOKEN_URL: fcmTokenUrl,
    BELLHOP_GATEWAY_CA: gateways.config.gatewayCa,
  })
}

async function call(url: string, method: string, headers: Readonly<Record<string, string>>, body?: unknown) {
  const answer = await fetch(url, {
    method,
    headers: { 'accept-version': '1', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Readonly<Record<string, any>> }
}

/** Sends through the gateways, without limits. */
async function newApplication(name: string) {
  const authorization = `Bearer ${tokens.source}`
  const asAdmin = (method: string, path: string, body: unknown) =>
    call(`${processes.source.adminUrl}/api/applications${path}`, method, { authorization }, body)
  const { id, secret } = (await asAdmin('POST', '', { name })).body as { id: string; secret: string }
  await asAdmin('PUT', `/${id}/credentials/fcm`, { serviceAccount: gateways.simulator.issue(id).serviceAccount })
  await asAdmin('PATCH', `/${id}`, { rate: 0, backendRate: 0 })
  return { id, secret }
}

function openFile(side: Side): Sqlite {
  const file = new Sqlite(join(dataOf(side), 'bellhop.db'), { readonly: true })
  file.run('PRAGMA busy_timeout = 5000')
  return file
}

/** The phase of a move on each side, and where the application is served. */
function look(id: string) {
  const found = SIDES.map((side) => {
    using file = openFile(side)
    const sql = 'SELECT phase FROM application_move WHERE id = ?'
    const { phase } = file.query<{ phase: string }, [string]>(sql).get(id) ?? { phase: 'none' }
    const isThere = file.query('SELECT 1 FROM application WHERE id = ?').get(id) !== null
    return { side, phase, serves: isThere && ['none', 'here', 'leaving'].includes(phase) }
  })
  const [source = '', target = ''] = found.map(({ phase }) => phase)
  const isOver = (phase: string) => ['none', 'gone', 'here'].includes(phase)
  // If the source never heard an offer, the target drops its empty copy later.
  const isSettled = isOver(source) && (isOver(target) || (source === 'none' && target === 'arriving'))
  return { isSettled, servedBy: found.filter(({ serves }) => serves).map(({ side }) => side) }
}

/** Kills one server during the move of an application with devices and a push. */
async function moveKilled({ whom, step, when }: Kill) {
  const { id, secret } = await newApplication(`${whom} ${when} ${step}`)
  const as = { 'x-service-appid': id, 'x-service-secret': secret }
  const source = (method: string, path: string, body: unknown) => call(processes.source.url + path, method, as, body)
  const acknowledged = Array.from({ length: DEVICES }, (_, n) => `${id}:${n}`)
  for (let from = 0; from < DEVICES; from += 500) {
    const batch = { platform: '1', tokens: acknowledged.slice(from, from + 500) }
    expect((await source('PUT', '/deviceToken/batch', batch)).status).toBe(201)
  }
  const { id: push } = (await source('POST', '/push/all', { platform: 1, msg: 'Hello', sound: '', badge: '' })).body

  const strikes: Promise<void>[] = []
  async function strike(): Promise<void> {
    await processes[whom].kill('SIGKILL')
    await start(whom)
  }
  const strikeAt = (at: Step, now: Kill['when']) => (at === step && now === when ? (strikes[0] ??= strike()) : null)
  await using wire = wireTo(
    () => processes.target.adminUrl,
    async (at) => {
      await strikeAt(at, 'before')
      return 'passes' as const
    },
    (at) => strikeAt(at, 'after'),
  )
  // A restarted target listens at another port.
  using front = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => fetch(processes.target.url + new URL(request.url).pathname),
  })
  const state = { isOver: false }
  const registering = (async () => {
    for (let n = 0; !state.isOver; n++) {
      const token = `${id}:late-${n}`
      const answer = await source('PUT', '/deviceToken', { token, platform: '1' }).catch(() => null)
      if (answer?.status === 201) acknowledged.push(token)
      else await Bun.sleep(20)
    }
  })()
  const to = ['--to', wire.adminUrl, '--to-token-file', join(directory, 'token')]
  const url = ['--url', `http://127.0.0.1:${front.port}`]
  await command(['app', 'move', id, ...to, ...url, '--data', dataOf('source')])
  expect(strikes).toHaveLength(1)
  await strikes[0]
  await until(() => look(id).isSettled)
  state.isOver = true
  await registering
  const { servedBy } = look(id)
  const [side = 'source'] = servedBy
  await until(async () => (await call(`${processes[side].url}/push/${push}`, 'GET', as)).body['state'] === 'finished')
  using file = openFile(side)
  const sql = 'SELECT token FROM device WHERE application = (SELECT number FROM application WHERE id = ?)'
  const kept = new Set(
    file
      .query<{ token: string }, [string]>(sql)
      .all(id)
      .map(({ token }) => token),
  )
  return {
    servedBy,
    lost: acknowledged.filter((token) => !kept.has(token)),
    reached: new Set(arrived.filter((one) => one.push === push).map(({ token }) => token)).size,
  }
}

for (const kill of KILLS) {
  test(`a kill of the ${kill.whom} ${kill.when} ${kill.step} leaves the application whole, on one of them`, async () => {
    // A target killed before the offer is asked again later; after `complete`, its last answer was heard.
    const isMoved = ['offer before', 'complete after'].includes(`${kill.step} ${kill.when}`)
    const isThere = kill.step === 'activate' || (kill.whom === 'target' && isMoved)
    const servedBy = [isThere ? 'target' : 'source']
    expect(await moveKilled(kill)).toEqual({ servedBy, lost: [], reached: DEVICES } as never)
  }, 120_000)
}
