import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { join } from 'node:path'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { startSimulator } from '../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { testInTurn } from '../support/in-turn.ts'
import { command, serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'
import { still } from '../support/still.ts'
import { createWaits } from '../support/waits.ts'

/** Unsettled pages times page size: delivery/open/delivery.ts. */
const PAGE = 500
const MAX_IN_FLIGHT = 16 * PAGE

/** Two pages more. A third plus 4096 requests in flight is less than all. */
const DEVICES = 9000

const FEW = 2500

const test = testInTurn(8)

interface Crowd {
  readonly headers: Record<string, string>
  readonly devices: number
}

let simulator: Simulator
let env: Record<string, string>
let all: Crowd
let few: Crowd
let arrivals: ReceivedPush[] = []
const { changed, until } = createWaits()

beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock, remember: 0 })
  simulator.onArrival((arrival) => {
    arrivals.push(arrival)
    changed()
  })
  const ca = join(data, 'gateway-ca.pem')
  await Bun.write(ca, simulator.ca)
  env = {
    BELLHOP_APNS_URL: simulator.apnsUrl,
    BELLHOP_APNS_SANDBOX_URL: simulator.apnsSandboxUrl,
    BELLHOP_GATEWAY_CA: ca,
  }

  all = await crowd('all', DEVICES)
  few = await crowd('few', FEW)
})
afterAll(() => simulator[Symbol.asyncDispose]())
const data = directoryOfTests('bellhop-crash')

async function crowd(name: string, devices: number): Promise<Crowd> {
  const made = await command(['app', 'create', name, '--json', '--data', data])
  const { id, secret } = JSON.parse(made.stdout)
  const { apnsKey } = simulator.issue(id)
  const key = join(data, `${name}.p8`)
  await Bun.write(key, apnsKey.p8)
  const { exitCode, stderr } = await command([
    'app',
    'apns',
    id,
    `--key=${key}`,
    `--key-id=${apnsKey.keyId}`,
    `--team-id=${apnsKey.teamId}`,
    `--topic=${apnsKey.topic}`,
    `--data=${data}`,
  ])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })

  using database = openDatabase(data)
  const store = createDeviceStore({ database, clock: systemClock })
  const number = database.statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
  const application = number.get(id)?.number ?? 0
  database.transact(() => {
    for (let n = 0; n < devices; n++) store.register(application, { token: tokenOf(n), platform: 0 })
  })
  return {
    headers: {
      'accept-version': '1',
      'content-type': 'application/json',
      'x-service-appid': id,
      'x-service-secret': secret,
    },
    devices,
  }
}

const tokenOf = (n: number) => n.toString(16).padStart(64, '0')

async function push(service: ServiceProcess, { headers }: Crowd): Promise<string> {
  const body = JSON.stringify({ platform: '0', msg: 'Hello', sound: '', badge: '+1' })
  const response = await fetch(`${service.url}/push/all`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

const arrived = (count: number) => until(() => arrivals.length >= count)

async function counted(
  service: ServiceProcess,
  { headers }: Crowd,
  s: number,
): Promise<{ t: number; s: number; o: number }> {
  for (;;) {
    const body = (await (await fetch(`${service.url}/analytics`, { headers })).json()) as {
      t: number
      s: number
      o: number
    }
    if (body.s >= s) return body
    await Bun.sleep(20)
  }
}

function sends(): Map<string, string[]> {
  const byToken = new Map<string, string[]>()
  for (const { token, id } of arrivals) byToken.set(token, [...(byToken.get(token) ?? []), String(id)])
  return byToken
}

describe('a broadcast to 9,000 devices', () => {
  test('survives kill -9: everybody is reached, and only pages in flight are repeated, under the same apns-id', async () => {
    arrivals = []
    const first = await serve(data, env)
    const before = await counted(first, all, 0)
    const id = await push(first, all)
    await arrived(DEVICES / 3)
    await first.kill('SIGKILL')

    await using second = await serve(data, env)
    const sum = before.s + DEVICES
    expect(await counted(second, all, sum)).toEqual({ t: sum, s: sum, o: 0 })
    const byToken = sends()
    expect(byToken.size).toBe(DEVICES)
    for (const ids of byToken.values()) expect(new Set(ids).size).toBe(1)
    expect(new Set(arrivals.map(({ collapse }) => collapse))).toEqual(new Set([id]))
    expect(arrivals.length - DEVICES).toBeLessThanOrEqual(MAX_IN_FLIGHT)
    // A repeat shows the badge of the first send.
    expect(new Set(arrivals.map(({ body }) => (body as { aps: { badge: number } }).aps.badge)).size).toBe(1)
  })

  test('and others beside it count each once on every badge, whenever it is killed', async () => {
    arrivals = []
    const PUSHES = 3
    const stored = () => {
      using database = openDatabase(data)
      const badges = database.statement<{ badge: number }, [string]>(
        'SELECT DISTINCT badge FROM device WHERE application = (SELECT number FROM application WHERE id = ?)',
      )
      return badges.all(few.headers['x-service-appid'] ?? '').map(({ badge }) => badge)
    }
    const before = stored()[0] ?? 0
    let service = await serve(data, env)
    const { s } = await counted(service, few, 0)
    for (let n = 0; n < PUSHES; n++) await push(service, few)
    for (const share of [0.2, 1, 2]) {
      await arrived(share * FEW)
      await service.kill('SIGKILL')
      service = await serve(data, env)
    }
    await using last = service
    const sum = s + PUSHES * FEW
    expect(await counted(last, few, sum)).toEqual({ t: sum, s: sum, o: 0 })
    expect(stored()).toEqual([before + PUSHES])
    const shown = new Map(arrivals.map(({ token, body }) => [token, (body as { aps: { badge: number } }).aps.badge]))
    expect(new Set(shown.values())).toEqual(new Set([before + PUSHES]))
  })

  test('survives SIGTERM: it ends with 0, and nobody is sent to twice', async () => {
    arrivals = []
    const first = await serve(data, env)
    const before = await counted(first, all, 0)
    await push(first, all)
    await arrived(DEVICES / 3)
    expect(await first.kill('SIGTERM')).toBe(0)
    expect(arrivals.length).toBeLessThan(DEVICES)

    await using second = await serve(data, env)
    await counted(second, all, before.s + DEVICES)
    expect(sends().size).toBe(DEVICES)
    expect(arrivals.length).toBe(DEVICES)
  })
})

describe('a broadcast of which no more can be written down', () => {
  /** Accepted on disk and at the gateway, once arrivals stop. */
  async function sentInVain(service: ServiceProcess, to: Crowd): Promise<{ stored: number; sent: number }> {
    await push(service, to)
    // So few that what is on disk then comes on top of the 16 pages.
    await arrived(PAGE)
    refuseAnswers()
    const sent = await still(() => arrivals.length, service.url)
    using database = openDatabase(data)
    const newest = 'SELECT accepted FROM delivery ORDER BY push DESC LIMIT 1'
    return { stored: database.statement<{ accepted: number }, []>(newest).get()?.accepted ?? 0, sent }
  }

  /** Only results are refused, as on a full disk. */
  function refuseAnswers(): void {
    using database = openDatabase(data)
    const trouble = 'BEGIN SELECT zeroblob(3000000000); END'
    database.statement(`CREATE TRIGGER refuse BEFORE UPDATE OF accepted ON delivery ${trouble}`).run()
  }

  function allowAnswers(): void {
    using database = openDatabase(data)
    database.statement('DROP TRIGGER refuse').run()
  }

  async function repeatedByNextStart(to: Crowd, s: number): Promise<number> {
    await using service = await serve(data, env)
    expect(await counted(service, to, s)).toEqual({ t: s, s, o: 0 })
    const byToken = sends()
    expect(byToken.size).toBe(to.devices)
    for (const ids of byToken.values()) expect(new Set(ids).size).toBe(1)
    return arrivals.length - to.devices
  }

  test('stops after 16 pages: no more than those are sent again after kill -9, under the same apns-id', async () => {
    arrivals = []
    await using first = await serve(data, env)
    const before = await counted(first, all, 0)
    const { stored, sent } = await sentInVain(first, all)
    expect(sent).toBeLessThan(DEVICES)
    await first.kill('SIGKILL')
    allowAnswers()
    const repeats = await repeatedByNextStart(all, before.s + DEVICES)
    expect(repeats).toBe(sent - stored)
    expect(repeats).toBeLessThanOrEqual(MAX_IN_FLIGHT)
  })

  test('ends a stop with 3 and a sentence that says how many are sent again, and exactly those are', async () => {
    arrivals = []
    await using first = await serve(data, env, ['--drain-seconds=1'])
    const before = await counted(first, few, 0)
    const { stored, sent } = await sentInVain(first, few)
    expect(await first.kill('SIGTERM')).toBe(3)
    expect(first.log()).toContain(
      `\nbellhop: ${sent - stored} notifications that were sent could not be stored, and will be sent again at the next start (1 push).\n`,
    )
    allowAnswers()
    expect(await repeatedByNextStart(few, before.s + FEW)).toBe(sent - stored)
  })

  test('ends a stop with 0 where it can be written down before the drain time is over', async () => {
    arrivals = []
    await using first = await serve(data, env)
    const before = await counted(first, few, 0)
    await sentInVain(first, few)
    const ended = first.kill('SIGTERM')
    while (!first.log().includes('"stopping"')) await Bun.sleep(5)
    allowAnswers()
    expect(await ended).toBe(0)
    expect(await repeatedByNextStart(few, before.s + FEW)).toBe(0)
  })
})

describe('a stop while an answer does not come', () => {
  test('ends with 3 and sends nobody else again: the rest of the page is written down', async () => {
    arrivals = []
    const mute = tokenOf(FEW - 1)
    simulator.answerWith(({ token }) => (token === mute ? { kind: 'silent' } : null))
    await using first = await serve(data, env, ['--drain-seconds=2'])
    const before = await counted(first, few, 0)
    await push(first, few)
    await arrived(FEW)
    expect(await first.kill('SIGTERM')).toBe(3)
    expect(first.log()).toContain(
      '\nbellhop: 1 notification that was sent could not be stored, and will be sent again at the next start (1 push).\n',
    )
    simulator.answerWith(null)
    await using second = await serve(data, env)
    await counted(second, few, before.s + FEW)
    expect(arrivals.slice(FEW).map(({ token }) => token)).toEqual([mute])
    expect(sends().get(mute)).toEqual(Array.from({ length: 2 }, () => String(arrivals.at(-1)?.id)))
  })
})

describe('a stop', () => {
  test('that is asked for twice ends at once', async () => {
    arrivals = []
    await using service = await serve(data, env)
    const before = await counted(service, few, 0)
    simulator.answerWith(() => ({ kind: 'silent' }))
    await push(service, few)
    // With nothing in flight the stop would end by itself.
    await arrived(1)
    const gone = service.kill('SIGTERM')
    // Two pending signals count as one.
    while (!service.log().includes('"stopping"')) await Bun.sleep(5)
    process.kill(service.pid, 'SIGTERM')
    expect(await gone).toBe(143)
    simulator.answerWith(null)
    await using again = await serve(data, env)
    await counted(again, few, before.s + FEW)
  })
})
