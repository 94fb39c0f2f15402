import { afterEach, describe, expect, test } from 'bun:test'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { passing } from '../../support/passing.ts'
import { acceptedPush, pushSent, refusal, registerDevices, startSending, tokensOf } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'
import { asKilled } from '../../support/temporary-directory.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DOWN = refusal(503, 'ServiceUnavailable')

let clock: FakeClock
let service: Service
let simulator: Simulator

async function start(ttlClock: 'elapsed' | 'wall' = 'elapsed', drainSeconds = 0): Promise<void> {
  ;({ clock, service, simulator } = await startSending({ config: { ttlClock, drainSeconds } }))
}
afterEach(() => service[Symbol.asyncDispose]())

const register = (count: number) => registerDevices(service, 0, tokensOf(0, count))
const push = (more: object = {}) => acceptedPush(service, '/push/all', more)

async function sent(id: string): Promise<void> {
  await pushSent(service, id)
}

async function over(id: string): Promise<any> {
  await passing(
    service,
    clock,
    service.logged((line) => line['push'] === id && ['push sent', 'push expired'].includes(String(line['event']))),
    1000,
  )
  let status = (await service.get(`/push/${id}`)).body
  while (status.finished_at === null) status = (await service.get(`/push/${id}`)).body
  return status
}

const expirationOf = (arrival: ReceivedPush | undefined) => Number(arrival?.headers['apns-expiration']) * 1000

describe('a clock that is put a day ahead', () => {
  test('does not make a gateway seem slow, which would then be sent one at a time', async () => {
    await start()
    await register(200)
    let asked = 0
    simulator.answerWith(() => {
      if (++asked === 100) clock.set(clock.now() + DAY_MS)
      return null
    })
    await over(await push())
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    const sum = /^bellhop_gateway_request_duration_seconds_sum\{platform="ios"\} (\S+)$/m.exec(metrics)?.[1]
    expect(Number(sum)).toBeWithin(0, 200 * 15)
  })

  test.each([
    ['a day', undefined, DAY_MS],
    ['an hour', 3600, HOUR_MS],
  ])('in a broadcast with a time to live of %s ends nothing of it', async (_, ttl, ttlMs) => {
    await start()
    await register(2000)
    const began = clock.now()
    let asked = 0
    simulator.answerWith(() => {
      if (++asked === 300) clock.set(clock.now() + DAY_MS)
      // The rest comes after the jump is noticed.
      return asked > 600 && asked < 605 ? DOWN : null
    })
    const status = await over(await push({ ttl }))
    expect(status).toMatchObject({ t: 2000, s: 2000, failed: { total: 0 }, waiting: 0 })
    expect(expirationOf(simulator.arrivals().at(-1))).toBe(began + DAY_MS + ttlMs)
    expect(await service.logged(({ event }) => event === 'the clock was set forward')).toMatchObject({ level: 'warn' })
  })

  test('ends nobody who waits for another attempt, nor what is not in memory, also after a restart', async () => {
    await start()
    await register(1)
    simulator.answerWith(() => DOWN)
    // More than are held in memory.
    const ids: string[] = []
    for (let n = 0; n < 40; n++) ids.push(await push({ ttl: 7200 }))
    await service.logged(({ event }) => event === 'not accepted yet')
    clock.set(clock.now() + DAY_MS)
    clock.advance(1000)
    await service.logged(({ event }) => event === 'the clock was set forward')
    service = await service.restart()
    clock.advance(1000)
    for (const id of ids) expect(await over(id)).toMatchObject({ t: 1, s: 1, failed: { total: 0 } })
    const [first] = (await service.server.simulator()).arrivals()
    expect(expirationOf(first)).toBeGreaterThan(clock.now() + HOUR_MS)
  })

  test.each([
    ['ahead', DAY_MS],
    ['back', -DAY_MS],
  ])('or %s, ends nobody and delays nobody where the process is killed then', async (_, byMs) => {
    await start()
    await register(1)
    simulator.answerWith(() => DOWN)
    const id = await push({ ttl: 7200 })
    await service.logged(({ event }) => event === 'not accepted yet')
    clock.set(clock.now() + byMs)
    clock.advance(250)
    const jumped = service.database.reading<{ is: 0 | 1 }, [number]>(
      'SELECT abs(wall_ms - service_ms) >= ? AS "is" FROM service_time',
    )
    while (jumped.get(Math.abs(byMs))?.is !== 1) await new Promise((resolve) => setImmediate(resolve))
    using killed = asKilled(service.data)
    await service[Symbol.asyncDispose]()
    const { application } = service
    clock.advance(HOUR_MS)
    service = await startService({ clock, data: killed.path, application, config: { drainSeconds: 0 } })
    simulator = await service.server.simulator()
    const began = clock.now()
    expect(await over(id)).toMatchObject({ t: 1, s: 1, failed: { total: 0 } })
    expect(clock.now() - began).toBeLessThan(60_000)
    expect(expirationOf(simulator.arrivals().at(-1)) - began).toBeWithin(HOUR_MS - 10_000, HOUR_MS)
    await service[Symbol.asyncDispose]()
  })

  test('in a push that goes on to its end lets nothing of it pass for cut short', async () => {
    await start()
    const [token = ''] = await register(2)
    let asked = 0
    simulator.answerWith(() => {
      if (++asked === 1) clock.set(clock.now() + DAY_MS)
      return null
    })
    const id = await push({ ttl: 3600 })
    expect(await over(id)).toMatchObject({ t: 2, s: 2 })
    const { body } = await service.get(`/push/${id}/device`, { headers: { token } })
    expect(body.verdict).toBe('accepted')
    const parts = service.database.reading<{ leftMs: number }, []>(
      'SELECT expires_at - finished_at AS leftMs FROM delivery',
    )
    expect(parts.get()?.leftMs).toBeWithin(HOUR_MS - 60_000, HOUR_MS + 1)
  })

  test('and put right again leaves a push the time to live that it had', async () => {
    await start()
    await register(1)
    simulator.answerWith(() => DOWN)
    const began = clock.now()
    const id = await push({ ttl: 60 })
    await service.logged(({ event }) => event === 'not accepted yet')
    clock.set(clock.now() + DAY_MS)
    clock.advance(250)
    clock.set(clock.now() - DAY_MS)
    clock.advance(250)
    expect(await over(id)).toMatchObject({ t: 1, s: 0, failed: { total: 1 } })
    expect(clock.now() - began).toBeWithin(60_000, 70_000)
  })

  test('leaves a push that is accepted after it, and before it is noticed, no more than its own time to live', async () => {
    await start()
    await register(1)
    simulator.answerWith(() => DOWN)
    await push()
    await service.logged(({ event }) => event === 'not accepted yet')
    clock.set(clock.now() + DAY_MS)
    const began = clock.now()
    const id = await push({ ttl: 60 })
    expect(await over(id)).toMatchObject({ t: 1, s: 0, failed: { total: 1 } })
    expect(clock.now() - began).toBeWithin(60_000, 70_000)
  })

  test('has a push go out that is the first to notice it, where nothing else is open', async () => {
    await start()
    await register(1)
    const before = await push()
    await sent(before)
    // The clock is watched until the next tick.
    clock.set(clock.now() + DAY_MS)
    const began = clock.now()
    const id = await push({ ttl: 60 })
    await service.logged(({ event }) => event === 'the clock was set forward')
    await sent(id)
    expect(clock.now()).toBe(began)
    expect(expirationOf(simulator.arrivals().at(-1))).toBe(began + 60_000)
  })

  test('has a push go out whose moment it passes over', async () => {
    await start()
    await register(1)
    const id = await push({ send_at: new Date(clock.now() + HOUR_MS).toISOString(), ttl: 60 })
    clock.set(clock.now() + DAY_MS)
    expect(await over(id)).toMatchObject({ t: 1, s: 1 })
  })

  test('ends what is open where times to live go by the time of day', async () => {
    await start('wall')
    await register(1)
    simulator.answerWith(() => DOWN)
    const id = await push()
    await service.logged(({ event }) => event === 'not accepted yet')
    clock.set(clock.now() + DAY_MS)
    expect(await over(id)).toMatchObject({ t: 1, s: 0, failed: { total: 1 } })
  })
})

test('a process that is stopped for two days gives every open push what was left of its time to live', async () => {
  await start()
  await register(2)
  let down = true
  simulator.answerWith(() => (down ? DOWN : null))
  const id = await push({ ttl: 30 })
  await service.logged(({ event }) => event === 'not accepted yet')
  clock.advance(250)
  down = false
  clock.standStill(2 * DAY_MS)
  expect(await over(id)).toMatchObject({ t: 2, s: 2, failed: { total: 0 } })
  const said = await service.logged(({ event }) => event === 'the process stood still')
  expect(said['stoodStillMs']).toBeWithin(2 * DAY_MS - 1000, 2 * DAY_MS + 1000)
  expect(service.log.filter(({ event }) => event === 'the clock was set forward')).toEqual([])
  expect((await arrivalsAt(simulator, 3)).length).toBeGreaterThanOrEqual(3)
})

describe('a clock that is put back by a day, and not looked at since', () => {
  test('ends no push that is accepted then, and delays none', async () => {
    await start()
    await register(1)
    let answer = Promise.withResolvers<void>()
    simulator.onArrival(() => answer.resolve())
    simulator.answerWith(() => DOWN)
    // A waiting push keeps the clock watched.
    await push()
    await answer.promise
    await service.logged(({ event }) => event === 'to be sent again')
    simulator.answerWith(() => null)
    answer = Promise.withResolvers()
    clock.set(clock.now() - DAY_MS)
    const id = await push({ ttl: 3600 })
    expect(await over(id)).toMatchObject({ t: 1, s: 1, failed: { total: 0 } })
  })
})

test.each([
  ['ahead', DAY_MS],
  ['back', -DAY_MS],
])(
  'a clock that is put %s changes when somebody is said to be sent to again, and when the push is over',
  async (_, byMs) => {
    await start()
    const [token = ''] = await register(1)
    simulator.answerWith(() => refusal(429, 'TooManyRequests'))
    const id = await push({ ttl: 60 })
    await service.logged(({ event }) => event === 'to be sent again')
    const told = async () => {
      const { body } = await service.get(`/push/${id}/device`, { headers: { token } })
      expect(body.verdict).toBe('retrying')
      return Date.parse(body.next_attempt_at) - clock.now()
    }
    const before = await told()
    expect(before).toBeWithin(1, 60_000)
    clock.set(clock.now() + byMs)
    clock.advance(250)
    // Its stored time is now that of the new clock.
    await service.put('/stats', { platform: '0' })
    expect(await told()).toBe(before - 250)
    const { finished_at: finishedAt } = await over(id)
    expect(Math.abs(Date.parse(finishedAt) - clock.now())).toBeLessThan(10_000)
  },
)

test('a process that stood still, and then hears first that it is to wait, waits', async () => {
  await start()
  await register(1)
  let asked = 0
  simulator.answerWith(() => {
    if (++asked > 1) return null
    clock.standStill(10 * 60_000)
    return refusal(503, 'ServiceUnavailable', { 'retry-after': '60' })
  })
  const id = await push()
  await service.logged(({ event }) => event === 'to be sent again')
  await passing(
    service,
    clock,
    (async () => {
      const until = clock.now() + 50_000
      while (clock.now() < until) await Bun.sleep(1)
    })(),
    1000,
  )
  expect(asked).toBe(1)
  await passing(service, clock, sent(id), 1000)
  expect(asked).toBe(2)
})

describe('a stop that waits for answers', () => {
  test('is no time in which the process stood still, however late they are', async () => {
    await start('elapsed', 60)
    await register(1)
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    simulator.answerWith(() => (resolve(), { kind: 'silent' }))
    await push()
    await passing(service, clock, asked)
    const stopping = clock.now()
    const restarting = service.restart()
    // The stop waits for time, which only this loop moves.
    while ((await Promise.race([restarting, Bun.sleep(5)])) === undefined) clock.advance(250)
    await using _ = await restarting
    expect(clock.now() - stopping).toBeGreaterThan(10_000)
    expect(service.log.filter(({ level }) => level === 'warn').map(({ event }) => event)).not.toContain(
      'the process stood still',
    )
  })
})
