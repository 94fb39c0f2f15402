import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Arrival } from '../../src/delivery/simulator/arrivals.ts'
import { arrivalsAt } from '../support/arrivals.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { passing } from '../support/passing.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

/** Tokens that order an answer: see src/delivery/simulator/apns-orders.ts. */
const GOOD = 'a1'.repeat(32)
const SLOW = 'bad00000'.padEnd(64, '0')
const THROTTLED_ONCE = 'bad42901'.padEnd(64, '0')

let clock: ReturnType<typeof createFakeClock>
let service: Service
beforeEach(async () => {
  clock = createFakeClock()
  service = await startService({ clock, random: () => 0.5 })
  // The first one goes alone until it is taken: afterwards several are on their way at a time.
  await register('b2'.repeat(32))
  await sent(await one('b2'.repeat(32), ''))
})
afterEach(() => service[Symbol.asyncDispose]())

async function register(token: string): Promise<void> {
  expect((await service.put('/deviceToken', { token, platform: '0' })).status).toBe(201)
}

async function push(path: string, content: object): Promise<string> {
  const { status, body } = await service.post(path, { platform: '0', msg: 'Hello', sound: '', ...content })
  expect(status).toBe(200)
  return body.id
}

const one = (token: string, badge: string) => push('/push/one', { token, badge })

/** Resolves when a push is over. */
async function sent(id: string): Promise<void> {
  await service.logged(({ event, push, platform }) => event === 'push sent' && push === id && platform === 0)
}

async function stored(token: string): Promise<number> {
  return (await service.get('/deviceToken/one', { headers: { token } })).body.badge
}

async function arrivalsOf(token: string, count: number): Promise<readonly Arrival[]> {
  return arrivalsAt(await service.server.simulator(), count, (arrival) => arrival.token === token)
}

const shown = ({ body }: Arrival) => (body as { aps: { badge?: number } }).aps.badge

describe('the stored badge', () => {
  test('is one more after each "+1", and what each shows', async () => {
    await register(GOOD)
    for (const count of [1, 2, 3]) {
      await sent(await one(GOOD, '+1'))
      expect(await stored(GOOD)).toBe(count)
    }
    expect((await arrivalsOf(GOOD, 3)).map(shown)).toEqual([1, 2, 3])
  })

  test('has every "+1" of those that were on their way at the same time, and each shows another number', async () => {
    await register(SLOW)
    const pushes = await Promise.all(Array.from({ length: 5 }, () => one(SLOW, '+1')))
    // Two may be on their way by now.
    await arrivalsOf(SLOW, 2)
    expect(await stored(SLOW)).toBe(0)
    await passing(service, clock, Promise.all(pushes.map(sent)))
    expect(new Set((await arrivalsOf(SLOW, 5)).map(shown))).toEqual(new Set([1, 2, 3, 4, 5]))
    expect(await stored(SLOW)).toBe(5)
  })

  test('has both of a single push and a broadcast at the same time', async () => {
    await register(SLOW)
    const pushes = await Promise.all([push('/push/all', { badge: '+2' }), one(SLOW, '+1')])
    const arrivals = await arrivalsOf(SLOW, 2)
    await passing(service, clock, Promise.all(pushes.map(sent)))
    expect(Math.max(...arrivals.map((arrival) => shown(arrival) ?? 0))).toBe(3)
    expect(await stored(SLOW)).toBe(3)
  })

  test('counts a push that was tried twice once, and from what others have shown meanwhile', async () => {
    await register(THROTTLED_ONCE)
    const first = await one(THROTTLED_ONCE, '+1')
    await service.logged(({ event }) => event === 'to be sent again')
    expect(await stored(THROTTLED_ONCE)).toBe(0)
    await sent(await one(THROTTLED_ONCE, '+1'))
    expect(await stored(THROTTLED_ONCE)).toBe(1)
    await passing(service, clock, sent(first))
    expect(await stored(THROTTLED_ONCE)).toBe(2)
    expect((await arrivalsOf(THROTTLED_ONCE, 3)).map(shown)).toEqual([1, 1, 2])
  })

  test('does not count what the gateway never took', async () => {
    const refused = 'bad41300'.padEnd(64, '0')
    await register(refused)
    await sent(await one(refused, '+1'))
    await sent(await one(refused, '+1'))
    expect((await arrivalsOf(refused, 2)).map(shown)).toEqual([1, 1])
    expect(await stored(refused)).toBe(0)
  })
})
