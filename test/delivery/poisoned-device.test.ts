import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Reply, Script } from '../../src/gateway/simulator/http2/reply.ts'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import { arrivalsAt } from '../support/arrivals.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { passing, within } from '../support/passing.ts'
import { acceptedPush, pausesIn, pushSent, refusal, registerDevices, tokenOf, tokensOf } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { asKilled } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

/* The first devices are always refused. The others must not wait. */
const DEVICES = 200

let clock: ReturnType<typeof createFakeClock>
let simulator: Simulator
let service: Service
let application: Credentials
let gateways: OutsideGateways
let random: () => number

async function start(): Promise<void> {
  clock = createFakeClock()
  random = () => 0.5
  gateways = await startOutsideGateways(clock)
  ;({ simulator } = gateways)
  service = await startService({ clock, random: () => random(), simulated: false, config: gateways.config })
  ;({ application } = service)
  service.equip(application, simulator)
  clock.advance(1000)
}

async function stop(): Promise<void> {
  await unheld(async () => service[Symbol.asyncDispose]())
  await gateways[Symbol.asyncDispose]()
}

/** Moves the clock while a stop waits for a missing answer. */
async function unheld<T>(stopping: () => Promise<T>): Promise<T> {
  const stop = { over: false }
  const next = stopping().finally(() => (stop.over = true))
  while (!stop.over) {
    clock.advance(250)
    await Bun.sleep(5)
  }
  return next
}

type Platform = 0 | 1

const register = (platform: Platform, count = DEVICES) =>
  registerDevices(service, platform, tokensOf(platform, count), { application })
const push = (platform: Platform, served = service) => acceptedPush(served, '/push/all', { platform }, { application })

const fcm = (status: number, name: string, ...details: object[]) => ({
  status,
  headers: {},
  body: JSON.stringify({ error: { code: status, message: name, status: name, details } }),
})

const fcmError = (errorCode: string) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode })

/** Park and Miller's generator: samples must be spread. */
function parkAndMiller(): () => number {
  let seed = 1
  return () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
}

interface Progress {
  readonly state: string
  readonly t: number
  readonly s: number
  readonly failed: number
  readonly waiting: number
}

async function progress(id: string, served = service): Promise<Progress> {
  const response = await fetch(`${served.adminUrl}/pushes/${id}`)
  const [delivery] = ((await response.json()) as { deliveries: Progress[] }).deliveries
  if (delivery === undefined) throw new Error('it is not delivered to any platform')
  return delivery
}

/** Resolves when so many acceptances are stored; no time passes. */
async function reached(id: string, s: number, served = service): Promise<Progress> {
  await until(async () => (await progress(id, served)).s >= s)
  return progress(id, served)
}

const paused = (served = service) => pausesIn(served)
const ready = async (served = service) => (await fetch(`${served.adminUrl}/readyz`)).status

beforeEach(start)
afterEach(stop)

test.each([
  ['has proven nothing', false],
  ['is proven, after a restart,', true],
])('a credential that %s sends to all others at once, where the first nine are answered 403', async (_, isProven) => {
  await register(0)
  if (isProven) {
    await reached(await push(0), DEVICES)
    service = await service.restart()
  }
  const bad = new Set(tokensOf(0, 9))
  const answer = refusal(403, 'InvalidProviderToken')
  simulator.answerWith(({ token }) => (bad.has(token) ? answer : null))
  const found = await reached(await push(0), DEVICES - 9)
  expect(found).toMatchObject({ t: DEVICES, s: DEVICES - 9 })
  expect(found.failed + found.waiting).toBe(9)
  expect(paused()).toEqual([])
  expect(await ready()).toBe(200)
})

describe('a phone whose requests are never answered', () => {
  const silent = (platform: Platform): Script => {
    const dumb = new Set([0, 100].map((n) => tokenOf(platform, n)))
    return ({ token }) => (dumb.has(token) ? { kind: 'silent' } : null)
  }
  const asked = (platform: Platform) =>
    simulator.arrivals().filter(({ token }) => token === tokenOf(platform, 0)).length

  test('holds up nobody, the first of all neither', async () => {
    const platform = 0
    await register(platform)
    simulator.answerWith(silent(platform))
    const first = await push(platform)
    // The silent one's deadline is 15 s.
    await within(service, clock, 6000, () => reached(first, DEVICES - 2))
    await using again = await unheld(() => service.restart())
    const id = await push(platform, again)
    await within(again, clock, 8000, () => reached(id, DEVICES - 2, again))
    simulator.answerWith(null)
    await passing(again, clock, reached(id, DEVICES, again))
    expect(paused()).toEqual([])
    expect(paused(again)).toEqual([])
  })

  test('is asked once at a time when it has many, and others go on', async () => {
    const platform = 0
    await register(platform)
    simulator.answerWith(silent(platform))
    await passing(service, clock, reached(await push(platform), DEVICES - 2))
    const before = asked(platform)
    const one = (n: number, msg: string) =>
      service.post('/push/one', { platform, token: tokenOf(platform, n), msg, sound: '', badge: '' })
    for (let n = 0; n < 80; n++) expect((await one(0, `${n}`)).status).toBe(200)
    for (let round = 0; round < 3; round++) {
      const { id } = (await one(7, `round ${round}`)).body
      await within(service, clock, 4000, () => reached(id, 1))
      // Long enough for retries of the silent one.
      const until = clock.now() + 15_000
      const passed = async () => {
        while (clock.now() < until) await Bun.sleep(1)
      }
      await passing(service, clock, passed(), 1000)
    }
    expect(asked(platform) - before).toBeLessThan(9)
    expect(paused()).toEqual([])
    simulator.answerWith(null)
    const last = (await one(0, 'last')).body.id
    await passing(service, clock, reached(last, 1), 1000)
  })
})

describe('a phone that leaves one request unanswered', () => {
  test('gets what waits for it soon after it answers the next', async () => {
    const platform = 1
    await register(platform, 20)
    const token = tokenOf(platform, 3)
    let left = 1
    simulator.answerWith(({ token: asked }) => (asked === token && left-- > 0 ? { kind: 'silent' } : null))
    const one = async (msg: string): Promise<string> =>
      (await service.post('/push/one', { platform, token, msg, sound: '', badge: '' })).body.id
    const first = await one('first')
    await passing(
      service,
      clock,
      until(() => left === 0),
    )
    const start = clock.now()
    const passed = async (ms: number) => {
      while (clock.now() < start + ms) await Bun.sleep(1)
    }
    await passing(service, clock, passed(5000))
    const others = [await one('second'), await one('third')]
    await passing(service, clock, reached(first, 1))
    await within(service, clock, 5000, () => Promise.all(others.map((id) => reached(id, 1))))
  })
})

describe('one iPhone of many devices for which Firebase lacks the APNs key', () => {
  const MANY = 2000
  const THIRD_PARTY = fcm(401, 'UNAUTHENTICATED', fcmError('THIRD_PARTY_AUTH_ERROR'))

  test('holds open neither its page nor the counts, and a crash sends to nobody again', async () => {
    await register(1, MANY)
    simulator.answerWith(({ token }) => (token === tokenOf(1, 700) ? { kind: 'answer', answer: THIRD_PARTY } : null))
    const id = await push(1)
    expect(await reached(id, MANY - 1)).toMatchObject({
      t: MANY,
      s: MANY - 1,
      failed: 0,
      waiting: 1,
      state: 'sending',
    })
    expect(paused()).toEqual([])
    const { body } = await service.get(`/push/${id}/device`, { headers: { token: tokenOf(1, 700) } })
    expect(body).toMatchObject({ verdict: 'retrying', reason: 'THIRD_PARTY_AUTH_ERROR', attempts: 1 })

    using killed = asKilled(service.data)
    const before = simulator.arrivals().length
    await using after = await startService({ clock, data: killed.path, application, config: gateways.config })
    const next = await push(1, after)
    await reached(next, MANY - 1, after)
    const again = simulator
      .arrivals()
      .slice(before)
      .filter(({ collapse }) => collapse === id)
    expect(again.map(({ token }) => token).filter((token) => token !== tokenOf(1, 700))).toEqual([])
  })
})

describe('a credential that is wrong', () => {
  const WRONG = refusal(403, 'InvalidProviderToken')

  test('and has one phone is told of at once; its phone waits; the right one reaches it at once', async () => {
    await register(0, 1)
    let wrong = true
    simulator.answerWith(() => (wrong ? WRONG : null))
    const id = await push(0)
    const said = await service.logged(({ event }) => event === 'sending paused')
    expect(said).toMatchObject({ state: 'misconfigured', reason: 'InvalidProviderToken for 1 of 1 device' })
    expect(await ready()).toBe(503)
    expect(await progress(id)).toMatchObject({ t: 1, s: 0, failed: 0, waiting: 1, state: 'misconfigured' })
    clock.advance(5000)
    expect(simulator.arrivals()).toHaveLength(1)
    // Another phone is asked now: the first may be at fault.
    expect((await service.put('/deviceToken', { token: tokenOf(0, 1), platform: 0 })).status).toBe(201)
    const one = await service.post('/push/one', {
      platform: 0,
      token: tokenOf(0, 1),
      msg: 'Hi',
      sound: '',
      badge: '',
    })
    expect(one.status).toBe(200)
    await arrivalsAt(simulator, 2)
    expect(paused()).toHaveLength(1)

    wrong = false
    clock.advance(10)
    service.equip(application, simulator, ['apns'])
    clock.advance(300)
    await passing(service, clock, reached(id, 1))
    await passing(service, clock, reached(one.body.id, 1))
    expect(clock.now()).toBeLessThan(Date.UTC(2026, 10, 20, 12, 0, 15))
    expect(await ready()).toBe(200)
  })

  test('is asked for ten devices, then for another one after each pause, each time later', async () => {
    await register(0, 40)
    simulator.answerWith(() => WRONG)
    const id = await push(0)
    const said = await service.logged(({ event }) => event === 'sending paused')
    expect(said).toMatchObject({ state: 'misconfigured', reason: 'InvalidProviderToken for 10 of 10 devices' })
    expect(simulator.arrivals()).toHaveLength(10)
    const arrived = arrivalsAt(simulator, 13)
    await passing(service, clock, arrived, 2000)
    const probes = (await arrived).slice(10)
    expect(new Set(simulator.arrivals().map(({ token }) => token)).size).toBe(simulator.arrivals().length)
    const waits = probes.slice(1).map(({ at }, n) => at - (probes[n]?.at ?? 0))
    expect(waits.every((wait, n) => wait > 1.5 * (waits[n - 1] ?? 0))).toBe(true)
    expect(await progress(id)).toMatchObject({ t: 40, s: 0, failed: 0, state: 'misconfigured' })
    simulator.answerWith(null)
    await passing(service, clock, reached(id, 40), 5000)
    expect(await ready()).toBe(200)
  })
})

describe('a credential that is proven, and has every token refused in one bad hour', () => {
  const BAD = refusal(400, 'BadDeviceToken')

  test('sets nobody aside, tells of it, and sends to all of them when the hour is over', async () => {
    await register(0, 300)
    await reached(await push(0), 300)
    simulator.answerWith(() => BAD)
    const id = await push(0)
    const said = await service.logged(({ event }) => event === 'sending paused')
    expect(said['state']).toBe('misconfigured')
    expect(said['reason']).toBe(
      '300 devices that were sent to before are refused now (BadDeviceToken), and none is taken: is the credential, the topic or the environment wrong?',
    )
    expect(await ready()).toBe(503)
    expect((await service.get('/feedback')).body).toEqual([])
    simulator.answerWith(null)
    await passing(service, clock, reached(id, 300))
    expect(await progress(id)).toMatchObject({ t: 300, s: 300, failed: 0 })
    expect((await service.get('/feedback')).body).toEqual([])
    expect(await ready()).toBe(200)
  })

  test('believes it of tokens that are bad, however many stand in front, once others are taken', async () => {
    await register(0, 900)
    await reached(await push(0), 900)
    // More than a page.
    const bad = new Set(Array.from({ length: 700 }, (_, n) => tokenOf(0, n)))
    simulator.answerWith(({ token }) => (bad.has(token) ? BAD : null))
    random = parkAndMiller()
    await using again = await service.restart()
    const id = await push(0, again)
    const from = clock.now()
    await passing(again, clock, pushSent(again, id))
    expect(clock.now() - from).toBeLessThan(120_000)
    expect(await progress(id, again)).toMatchObject({ t: 900, s: 200, failed: 700 })
    expect((await again.get('/feedback')).body).toHaveLength(700)
  })
})

describe('dead tokens in front of all others', () => {
  /** All fit in flight: `bun test` allows 256 requests, whatever the environment says. */
  const DEAD = 240
  const LIVING = 120
  /** One step of the clock is one round trip. */
  const ROUND_TRIP_MS = 250

  test.each<[string, number, Extract<Reply, { kind: 'answer' }>]>([
    [
      '410',
      1,
      { kind: 'answer', answer: { status: 410, headers: {}, body: '{"reason":"Unregistered","timestamp":4e12}' } },
    ],
    // Both environments are asked.
    ['400', 2, refusal(400, 'BadDeviceToken')],
  ])('(%s) cost a proven credential round trips, not one each', async (_, asked, answer) => {
    await register(0, DEAD + LIVING)
    const body = { platform: 0, token: tokenOf(0, DEAD), msg: 'Hello', sound: '', badge: '' }
    await reached((await service.post('/push/one', body)).body.id, 1)
    random = parkAndMiller()
    await using again = await service.restart()
    const dead = new Set(tokensOf(0, DEAD))
    simulator.answerWith(({ token }) => (dead.has(token) ? { ...answer, afterMs: ROUND_TRIP_MS } : null))
    const from = clock.now()
    await passing(again, clock, reached(await push(0, again), LIVING, again), ROUND_TRIP_MS)
    const roundTrips = (clock.now() - from) / ROUND_TRIP_MS
    // A stop waits for requests in flight.
    simulator.answerWith(null)
    clock.advance(ROUND_TRIP_MS)
    // Part of the 400 case passes in the pause in which an accepted device is sought.
    expect(roundTrips).toBeLessThan((asked * DEAD) / 2)
  })
})
