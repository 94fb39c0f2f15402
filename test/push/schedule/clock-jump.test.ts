import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { passing } from '../../support/passing.ts'
import { acceptedPush, registerDevices, startSending, tokensOf } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let clock: FakeClock
let service: Service
let simulator: Simulator

beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
  await registerDevices(service, 0, tokensOf(0, 1))
})
afterEach(() => service[Symbol.asyncDispose]())

const pushIn = (ms: number) => acceptedPush(service, '/push/all', { send_at: new Date(clock.now() + ms).toISOString() })

/** Lets `ms` pass in steps, each of which the service answers; gives how many notifications had arrived by then. */
async function arrivedAfter(ms: number): Promise<number> {
  const until = clock.monotonic() + ms
  const over = (async () => {
    while (clock.monotonic() < until) await Bun.sleep(1)
  })()
  await passing(service, clock, over)
  return simulator.arrivals().length
}

describe('a push that is scheduled', () => {
  test('for a day in two months does not go out when the clock is a year ahead for some seconds', async () => {
    const id = await pushIn(60 * DAY_MS)
    clock.set(clock.now() + 365 * DAY_MS)
    expect(await arrivedAfter(12_000)).toBe(0)
    clock.set(clock.now() - 365 * DAY_MS)
    expect(await arrivedAfter(2 * MINUTE_MS)).toBe(0)
    expect((await service.get(`/push/${id}`)).body).toMatchObject({ state: 'scheduled' })
  })

  test('goes out a minute after a clock that was wrong is put right, also where that takes two steps', async () => {
    await pushIn(10 * DAY_MS)
    clock.set(clock.now() + 10 * DAY_MS - HOUR_MS)
    expect(await arrivedAfter(30_000)).toBe(0)
    clock.set(clock.now() + HOUR_MS)
    const began = clock.monotonic()
    await passing(service, clock, arrivalsAt(simulator, 1))
    expect(clock.monotonic() - began).toBeWithin(MINUTE_MS, MINUTE_MS + 5000)
  })

  test('goes out at its moment when a jump ahead that is not believed yet is taken back', async () => {
    await pushIn(30_000)
    clock.set(clock.now() + DAY_MS)
    expect(await arrivedAfter(10_000)).toBe(0)
    clock.set(clock.now() - DAY_MS)
    expect(await arrivedAfter(15_000)).toBe(0)
    expect(await arrivedAfter(10_000)).toBe(1)
  })

  test('goes out once, though the clock is put back behind its moment', async () => {
    await pushIn(10_000)
    await passing(service, clock, arrivalsAt(simulator, 1))
    clock.set(clock.now() - HOUR_MS)
    expect(await arrivedAfter(2 * MINUTE_MS)).toBe(1)
  })

  test.each([HOUR_MS, -HOUR_MS])(
    'goes out when its hold is over, though the clock jumps by %d ms in it',
    async (byMs) => {
      service.limit(service.application, { holdSeconds: 30 })
      clock.advance(1000)
      const id = await acceptedPush(service, '/push/all')
      clock.set(clock.now() + byMs)
      expect(await arrivedAfter(20_000)).toBe(0)
      expect((await service.get(`/push/${id}`)).body).toMatchObject({ state: 'scheduled' })
      expect(await arrivedAfter(15_000)).toBe(1)
    },
  )

  test('waits for its moment by a clock that is put back', async () => {
    await pushIn(10_000)
    clock.set(clock.now() - MINUTE_MS)
    expect(await arrivedAfter(30_000)).toBe(0)
    expect(await arrivedAfter(45_000)).toBe(1)
  })
})
