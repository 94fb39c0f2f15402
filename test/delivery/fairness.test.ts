import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { systemClock } from '../../src/clock.ts'
import type { Arrival } from '../../src/delivery/simulator/arrivals.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'

const DEVICES = 3000

let service: Service
let arrivals: Arrival[]
const watchers = new Set<() => void>()

beforeEach(async () => {
  service = await startService({ config: { drainSeconds: 0 } })
  arrivals = []
  const simulator = await service.server.simulator()
  simulator.onArrival((arrival) => {
    arrivals.push(arrival)
    for (const look of watchers) look()
  })
})
afterEach(() => service[Symbol.asyncDispose]())

/** Resolves when what has arrived is as asked. */
function arrived(enough: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!enough()) return
      watchers.delete(look)
      resolve()
    }
    watchers.add(look)
    look()
  })
}

function fill(prefix: string, { id }: Credentials = service.application): void {
  const devices = createDeviceStore({ database: service.database, clock: systemClock })
  const number = service.database
    .statement<{ number: number }, [string]>('SELECT number FROM application WHERE id = ?')
    .get(id)?.number
  if (number === undefined) throw new Error('no application')
  service.database.transact(() => {
    for (let n = 0; n < DEVICES; n++) {
      devices.register(number, { token: prefix + n.toString(16).padStart(64 - prefix.length, '0'), platform: 0 })
    }
  })
}

const BROADCAST = { platform: 0, msg: 'To all', sound: '', badge: '' }

describe('turns', () => {
  test('a single push goes ahead of a broadcast that is under way', async () => {
    fill('a')
    await service.put('/deviceToken', { token: 'b'.repeat(64), platform: 0 })
    await service.post('/push/all', BROADCAST)
    await arrived(() => arrivals.length > 100)
    const alone = await service.post('/push/one', { ...BROADCAST, token: 'b'.repeat(64) })
    await arrived(() => arrivals.length >= DEVICES + 2)
    const place = arrivals.findIndex(({ collapse }) => collapse === alone.body.id)
    expect(place).toBeGreaterThan(0)
    expect(place).toBeLessThan(DEVICES)
  })

  test('two broadcasts of an application take turns by page', async () => {
    fill('a')
    const first = await service.post('/push/all', BROADCAST)
    const second = await service.post('/push/all', { ...BROADCAST, msg: 'Also' })
    await arrived(() => arrivals.length >= 2 * DEVICES)
    const firstOfSecond = arrivals.findIndex(({ collapse }) => collapse === second.body.id)
    const lastOfFirst = arrivals.findLastIndex(({ collapse }) => collapse === first.body.id)
    expect(firstOfSecond).toBeLessThan(lastOfFirst)
  })

  test('an application whose gateway does not answer holds up no other', async () => {
    const hung = service.addApplication('hung')
    // `bad0003`: the stand-in never answers.
    fill('bad00030', hung)
    fill('a')
    await service.post('/push/all', BROADCAST, { application: hung })
    await arrived(() => arrivals.length > 0)
    await service.post('/push/all', BROADCAST)
    await arrived(() => arrivals.filter(({ status }) => status === 200).length === DEVICES)
    expect((await service.get('/analytics', { application: hung })).body).toEqual({ t: DEVICES, s: 0, o: 0 })
  })
})
