import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../src/clock.ts'
import type { Clock } from '../../src/clock.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { createWaits } from '../support/waits.ts'

const DEVICES = 3000

let service: Service
let arrivals: ReceivedPush[]
const { changed, until: arrived } = createWaits()

beforeEach(() => start())
afterEach(() => service[Symbol.asyncDispose]())

async function start(clock: Clock = systemClock, maxInFlight = 4096): Promise<void> {
  service = await startService({ clock, config: { drainSeconds: 0, maxInFlight } })
  arrivals = []
  const simulator = await service.server.simulator()
  simulator.onArrival((arrival) => {
    arrivals.push(arrival)
    changed()
  })
}

function fill(prefix: string, { id }: Credentials = service.application, count = DEVICES): void {
  const devices = createDeviceStore({ database: service.database, clock: systemClock })
  const number = service.database
    .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
    .get(id)?.number
  if (number === undefined) throw new Error('no application')
  service.database.transact(() => {
    for (let n = 0; n < count; n++) {
      devices.register(number, { token: prefix + n.toString(16).padStart(64 - prefix.length, '0'), platform: 0 })
    }
  })
}

const BROADCAST = { platform: 0, msg: 'To all', sound: '', badge: '' }

describe('a stop in the middle of the last page', () => {
  test('leaves the rest of it to the next start, and sends to nobody twice', async () => {
    await service[Symbol.asyncDispose]()
    service = await startService({ config: { drainSeconds: 30, maxInFlight: 16 } })
    fill('a')
    const first = await service.server.simulator()
    const tokens: string[] = []
    const seen = new Promise<void>((resolve) => {
      first.onArrival(({ token }) => {
        tokens.push(token)
        // Only the last page is open then, and more is left than may be in flight.
        if (tokens.length === DEVICES - 100) resolve()
      })
    })
    await service.post('/push/all', BROADCAST)
    await seen
    const next = await service.restart()
    try {
      const second = await next.server.simulator()
      // It has been sending since it started.
      tokens.push(...second.arrivals().map(({ token }) => token))
      second.onArrival(({ token }) => void tokens.push(token))
      while ((await next.get('/analytics')).body.s < DEVICES) await Bun.sleep(5)
      expect(new Set(tokens).size).toBe(DEVICES)
      expect(tokens).toHaveLength(DEVICES)
    } finally {
      await next[Symbol.asyncDispose]()
    }
  })
})

describe('turns', () => {
  test('a single push goes ahead of a broadcast that is under way', async () => {
    await service[Symbol.asyncDispose]()
    const clock = createFakeClock()
    // The test's calls share Bun's 256 requests in flight.
    await start(clock, 64)
    fill('a')
    await service.put('/deviceToken', { token: 'b'.repeat(64), platform: 0 })
    const simulator = await service.server.simulator()
    // The broadcast is under way, and stays so until the other push is accepted.
    const late = { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 1 } as const
    simulator.answerWith(() => (arrivals.length < 100 ? null : late))
    await service.post('/push/all', BROADCAST)
    await arrived(() => arrivals.length > 100)
    const alone = await service.post('/push/one', { ...BROADCAST, token: 'b'.repeat(64) })
    simulator.answerWith(null)
    clock.advance(1)
    await arrived(() => arrivals.length >= DEVICES + 2)
    const place = arrivals.findIndex(({ collapse }) => collapse === alone.body.id)
    expect(place).toBeGreaterThan(0)
    expect(place).toBeLessThan(DEVICES)
  })

  test('a broadcast over a cold connection opens a handful of connections, and keeps to their streams', async () => {
    // The simulator allows one stream until the first success and then 1000, as Apple does.
    fill('a')
    await service.post('/push/all', BROADCAST)
    await arrived(() => arrivals.length >= DEVICES)
    const { apns } = (await service.server.simulator()).counts()
    expect(apns.sessions).toBeLessThanOrEqual(3)
    expect(apns.peakStreams).toBeLessThanOrEqual(1000)
  })

  test('two broadcasts of an application take turns by page', async () => {
    const application = service.addApplication('two', {}, false)
    fill('a', application)
    const first = await service.post('/push/all', BROADCAST, { application })
    const second = await service.post('/push/all', { ...BROADCAST, msg: 'Also' }, { application })
    // Both are accepted before either begins.
    service.simulate(application)
    await arrived(() => arrivals.length >= 2 * DEVICES)
    const firstOfSecond = arrivals.findIndex(({ collapse }) => collapse === second.body.id)
    const lastOfFirst = arrivals.findLastIndex(({ collapse }) => collapse === first.body.id)
    expect(firstOfSecond).toBeLessThan(lastOfFirst)
  })

  test('an application whose gateway does not answer holds up no other', async () => {
    const hung = service.addApplication('hung')
    // `bad0003`: never answered.
    fill('bad00030', hung)
    fill('a')
    await service.post('/push/all', BROADCAST, { application: hung })
    await arrived(() => arrivals.length > 0)
    await service.post('/push/all', BROADCAST)
    await arrived(() => arrivals.filter(({ status }) => status === 200).length === DEVICES)
    expect((await service.get('/analytics', { application: hung })).body).toEqual({ t: DEVICES, s: 0, o: 0 })
  })

  test('ten applications share by turns: none is through before all are under way', async () => {
    const applications = Array.from({ length: 10 }, (_, n) => service.addApplication(`app-${n}`, {}, false))
    const count = DEVICES / 2
    for (const application of applications) fill('a', application, count)
    const ids = await Promise.all(
      applications.map(async (application) => (await service.post('/push/all', BROADCAST, { application })).body.id),
    )
    // All are accepted before any begins.
    for (const application of applications) service.simulate(application)
    await arrived(() => arrivals.length >= 10 * count)
    const firstThrough = Math.min(...ids.map((id) => arrivals.findLastIndex(({ collapse }) => collapse === id)))
    for (const id of ids) {
      const before = arrivals.slice(0, firstThrough).filter(({ collapse }) => collapse === id).length
      expect(before).toBeGreaterThan(count / 4)
    }
  })

  test('a backlog of single pushes waits in the database, not in memory', async () => {
    const application = service.addApplication('waiting', { backendRate: 0 }, false)
    await service.put('/deviceToken', { token: 'c'.repeat(64), platform: 0 }, { application })
    const one = { ...BROADCAST, token: 'c'.repeat(64) }
    for (let n = 0; n < 20; n++) {
      await Promise.all(Array.from({ length: 50 }, () => service.post('/push/one', one, { application })))
    }
    const { paused } = (await (await fetch(`${service.adminUrl}/readyz`)).json()) as { paused: { open: number }[] }
    expect(paused).toMatchObject([{ state: 'no-credential' }])
    expect(paused[0]?.open).toBeLessThanOrEqual(512)
    service.simulate(application)
    await arrived(() => arrivals.filter(({ token }) => token === 'c'.repeat(64)).length === 1000)
  })
})
