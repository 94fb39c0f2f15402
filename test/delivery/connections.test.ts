import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Platform } from '../../src/device/device.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { LEASE_MS } from '../../src/delivery/open/batch.ts'
import { apnsAcceptance } from '../../src/gateway/simulator/apns/apns-gateway.ts'
import { fcmAcceptance } from '../../src/gateway/simulator/fcm/fcm-answer.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { DEADLINE_MS } from '../../src/gateway/transport/transport.ts'
import { startFront } from '../faults/gateways/front.ts'
import type { Front } from '../faults/gateways/front.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { pushSent } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { until } from '../support/until.ts'

let clock: ReturnType<typeof createFakeClock>
let simulator: Simulator
let gateways: OutsideGateways
/** Before APNs. */
let front: Front
let service: Service

beforeEach(async () => {
  clock = createFakeClock()
  gateways = await startOutsideGateways(clock)
  ;({ simulator } = gateways)
  // A host name, as the real gateways have.
  front = await startFront({ kind: 'lead', port: Number(new URL(simulator.apnsUrl).port) })
  const named = { apnsUrl: `https://localhost:${front.port}`, fcmUrl: byName(simulator.fcmUrl) }
  const config = { ...gateways.config, ...named }
  service = await startService({ clock, random: () => 0.5, simulated: false, config })
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await front[Symbol.asyncDispose]()
  await gateways[Symbol.asyncDispose]()
})

const byName = (url: string): string => url.replace('127.0.0.1', 'localhost')

function fill({ id }: Credentials, count: number, platform: Platform = 0): void {
  const devices = createDeviceStore({ database: service.database, clock })
  const number = service.database
    .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
    .get(id)?.number
  if (number === undefined) throw new Error('no application')
  service.database.transact(() => {
    for (let n = 0; n < count; n++) {
      devices.register(number, { token: `${id}${n}`.replaceAll(/[^0-9a-f]/g, '').padStart(64, '0'), platform })
    }
  })
}

const BROADCAST = { platform: 0, msg: 'To all', sound: '', badge: '' }

async function pushed(application: Credentials = service.application): Promise<string> {
  const { id } = (await service.post('/push/all', BROADCAST, { application })).body
  await passing(service, [clock], pushSent(service, id))
  return id
}

/** `stepMs`: short where a request follows, or its handshake seems slow. */
async function passed(ms: number, stepMs?: number): Promise<void> {
  const until = clock.now() + ms
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = (): void => {
    if (clock.now() >= until) resolve()
    else clock.after(250, look)
  }
  look()
  await passing(service, [clock], promise, stepMs)
}

const told = (event: string) => service.log.filter((line) => line['event'] === event)

async function onAdminSide(path: string): Promise<string> {
  return await (await fetch(`${service.adminUrl}${path}`)).text()
}

describe('a gateway that takes connections, and for some seconds never says a word', () => {
  test('has who waited in line for it as soon as its deadline is over, not after a lease', async () => {
    service.equip(service.application, simulator)
    fill(service.application, 200)
    // From now on many are in flight, and the connection is lost with some of them.
    await pushed()
    const lead = front.mode
    front.mode = { kind: 'mute' }
    const { total } = front.connections
    simulator.answerWith(() => ({ kind: 'close' }))
    const { id: broken } = (await service.post('/push/all', BROADCAST)).body
    await until(() => front.connections.total > total)
    simulator.answerWith(null)

    const began = clock.now()
    const { id } = (await service.post('/push/all', BROADCAST)).body
    const sent = [broken, id].map((of) => pushSent(service, of))
    await passed(5000)
    front.mode = lead
    // Short steps: a handshake on a busy machine must not miss a deadline.
    await passing(service, [clock], Promise.all(sent), 50)
    expect(clock.now() - began).toBeWithin(DEADLINE_MS, LEASE_MS / 2)
    expect((await service.get('/analytics')).body).toEqual({ t: 600, s: 600, o: 0 })
  })
})

describe('a gateway that takes each notification and drops its connection', () => {
  test('gets few connections, is told of once, and all of the push when it is well again', async () => {
    service.equip(service.application, simulator)
    fill(service.application, 200)
    await pushed()
    // An idle connection is tried first. Where one dies during a burst, Bun's fetch opens many.
    await passed(31_000)
    const before = simulator.counts().apns.sessions
    simulator.answerWith(() => ({ kind: 'close' }))
    const { id } = (await service.post('/push/all', BROADCAST)).body
    // On a slow machine too, little time may pass before the free connections open; but some, as all may wait for a
    // retry.
    await passing(
      service,
      [clock],
      service.logged(({ event }) => event === 'trouble with the gateway'),
      1,
    )
    await passed(60_000, 100)
    const opened = simulator.counts().apns.sessions - before
    expect(opened).toBeGreaterThan(13)
    expect(opened).toBeLessThan(22)

    const reason = /^it closes connections without an answer: at most one new connection every \d+ s$/
    expect(told('trouble with the gateway')).toEqual([
      expect.objectContaining({ level: 'warn', platform: 0, reason: expect.stringMatching(reason) }),
    ])
    expect(told('sending paused').filter(({ level }) => level !== 'debug')).toEqual([])
    const ready = JSON.parse(await onAdminSide('/readyz'))
    expect(ready).toMatchObject({ status: 'ready', checks: { gateways: 'warning' } })
    expect(ready.warnings[0]).toMatch(
      /^test: APNs accepts nothing now \(it closes connections without an answer: at most one new connection every \d+ s\); pushes are waiting\.$/,
    )
    expect(ready.paused).toEqual([expect.objectContaining({ state: 'unreachable' })])
    const metrics = await onAdminSide('/metrics')
    const counted = /^bellhop_gateway_connections_total\{application="test",platform="ios"\} (\d+)$/m.exec(metrics)?.[1]
    expect(Number(counted)).toBeWithin(opened, opened + before + 1)
    expect(metrics).toContain('bellhop_sender_paused{application="test",platform="ios",state="unreachable"} 1\n')

    simulator.answerWith(null)
    await passing(service, [clock], pushSent(service, id))
    expect((await service.get('/analytics')).body).toEqual({ t: 400, s: 400, o: 0 })
    for (let n = 0; n < 3; n++) await pushed()
    // A tick of the sender logs this, perhaps after the last answer.
    await passing(
      service,
      [clock],
      service.logged(({ event }) => event === 'the gateway works again'),
    )
    expect(told('the gateway works again')).toHaveLength(1)
  })
})

describe.each(['apns', 'fcm'] as const)('a gateway of %s that ends each connection with its answer', (gateway) => {
  test('gets few connections, and all of the push', async () => {
    service.equip(service.application, simulator, [gateway])
    const platform = gateway === 'apns' ? 0 : 1
    fill(service.application, 100, platform)
    // Let the service read the credential: a new one starts a new count of connections.
    await passed(2000)
    const answer =
      gateway === 'apns' ? apnsAcceptance('', 'production', () => '') : fcmAcceptance('projects/p/messages/m')
    simulator.answerWith((attempt) => (attempt.gateway === gateway ? { kind: 'answer', answer, goaway: true } : null))
    const { id } = (await service.post('/push/all', { ...BROADCAST, platform })).body
    await passed(10_000, 50)
    const { sessions } = simulator.counts()[gateway]
    expect(sessions).toBeLessThanOrEqual(30)

    simulator.answerWith(null)
    await passing(service, [clock], pushSent(service, id))
    expect((await service.get('/analytics')).body).toEqual({ t: 100, s: 100, o: 0 })
  }, 60_000)
})

test('a gateway that answers nothing is told of, though it takes connections', async () => {
  service.equip(service.application, simulator)
  fill(service.application, 10)
  simulator.answerWith(() => ({ kind: 'silent' }))
  await service.post('/push/all', BROADCAST)
  const trouble = service.logged(({ event }) => event === 'trouble with the gateway')
  expect((await passing(service, [clock], trouble, 1000))['reason']).toBe(
    'it answers nothing: on 3 connections in a row no request was answered in time',
  )
  const ready = JSON.parse(await onAdminSide('/readyz'))
  expect(ready.warnings[0]).toStartWith('test: APNs accepts nothing now (it answers nothing: on 3 connections')
  simulator.answerWith(null)
  await passing(
    service,
    [clock],
    service.logged(({ event }) => event === 'push sent'),
  )
  expect((await service.get('/analytics')).body).toEqual({ t: 10, s: 10, o: 0 })
})

test('thirty applications keep a connection each, whichever of them sends', async () => {
  const applications = Array.from({ length: 30 }, (_, n) => service.addApplication(`application ${n}`, {}, false))
  for (const application of applications) {
    service.equip(application, simulator, ['apns'])
    fill(application, 2)
  }
  for (let turn = 0; turn < 3; turn++) {
    const ids = await Promise.all(
      applications.map(async (application) => (await service.post('/push/all', BROADCAST, { application })).body.id),
    )
    const sent = ids.map((id) => pushSent(service, id))
    // Slowly: thirty handshakes at once must not look slow.
    await passing(service, [clock], Promise.all(sent), 10)
  }
  expect(simulator.counts().apns.sessions).toBe(30)
})
