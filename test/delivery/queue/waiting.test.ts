import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Simulator } from '../../../src/gateway/simulator/simulator.ts'
import { arrivalsAt, arrivalsOf } from '../../support/arrivals.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { passing } from '../../support/passing.ts'
import { acceptedPush, registerDevice, startSending } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'

/** Tokens that choose an answer: src/gateway/simulator/apns/apns-magic-tokens.ts. */
const FAILING = 'bad50000'.padEnd(64, '0')
const THROTTLED = 'bad42900'.padEnd(64, '0')
const THROTTLED_ONCE = 'bad42901'.padEnd(64, '0')
const GOOD = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)

const HOUR_MS = 60 * 60 * 1000

let clock: FakeClock
let service: Service
let simulator: Simulator
beforeEach(async () => {
  ;({ clock, service, simulator } = await startSending())
})
afterEach(() => service[Symbol.asyncDispose]())

async function restart(): Promise<void> {
  service = await service.restart()
  simulator = await service.server.simulator()
}

const register = (token: string, more: object = {}) => registerDevice(service, { token, platform: '0', ...more })
const push = (path: '/push/all' | '/push/one', more: object = {}) => acceptedPush(service, path, more)

async function pushes(count: number, path: '/push/all' | '/push/one', more: object = {}): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const next = Math.min(50, count - ids.length)
    ids.push(...(await Promise.all(Array.from({ length: next }, () => push(path, more)))))
  }
  return ids
}

const to = (token: string) => (arrival: { token: string }) => arrival.token === token

function look(sql: string): Readonly<Record<string, number>> {
  const row = service.database.reading<Record<string, number>, []>(sql).get()
  if (row === null) throw new Error(`nothing found: ${sql}`)
  return row
}

/** Resolves when so many deliveries wait outside memory. */
async function parked(count: number): Promise<void> {
  const sql = 'SELECT count(*) AS n FROM delivery WHERE finished_at IS NULL AND waits_until IS NOT NULL'
  await until(() => (look(sql)['n'] ?? 0) >= count)
}

const statusOf = async (id: string) => (await service.get(`/push/${id}`)).body

describe('one device that keeps failing', () => {
  test('holds up none of 60 broadcasts, nor after a restart', async () => {
    for (const token of [GOOD, FAILING, OTHER]) await register(token)
    await pushes(60, '/push/all')
    expect(await arrivalsAt(simulator, 60, to(GOOD))).toHaveLength(60)
    expect(await arrivalsAt(simulator, 60, to(OTHER))).toHaveLength(60)
    await parked(60)
    await restart()
    await pushes(40, '/push/all')
    expect(await arrivalsAt(simulator, 40, to(GOOD))).toHaveLength(40)
  })

  test('holds up no other user, and no broadcast, with 20 pushes of its own that are throttled', async () => {
    await register(THROTTLED, { alias: 'user-0' })
    await register(GOOD, { alias: 'user-1' })
    await pushes(20, '/push/all', { alias: 'user-0' })
    await arrivalsAt(simulator, 1, to(THROTTLED))
    const other = await push('/push/all', { alias: 'user-1' })
    const all = await push('/push/all')
    const got = await arrivalsAt(simulator, 2, to(GOOD))
    expect(got.map(({ collapse }) => collapse)).toEqual([other, all])
  })

  test('holds up no single push to another, with 600 of its own that are throttled', async () => {
    await register(THROTTLED)
    await register(GOOD)
    await pushes(600, '/push/one', { token: THROTTLED })
    const one = await push('/push/one', { token: GOOD })
    const [got] = await arrivalsAt(simulator, 1, to(GOOD))
    expect(got?.collapse).toBe(one)
    await arrivalsOf(service, one)
    expect(await statusOf(one)).toMatchObject({ t: 1, s: 1 })
  })
})

describe('a delivery that only waits', () => {
  test('is sent again when it is due, in the middle of 800 that are new', async () => {
    await service[Symbol.asyncDispose]()
    service = await startService({ clock, random: () => 0.5, config: { maxInFlight: 16 } })
    simulator = await service.server.simulator()
    await register(THROTTLED_ONCE)
    await register(GOOD)
    await push('/push/one', { token: THROTTLED_ONCE })
    await parked(1)
    const late = { kind: 'answer', answer: { status: 200, headers: {}, body: '' }, afterMs: 100 } as const
    simulator.answerWith(({ token }) => (token === GOOD ? late : null))
    let others = 0
    simulator.onArrival(({ token }) => (others += token === GOOD ? 1 : 0))
    const last = (await pushes(800, '/push/one', { token: GOOD })).at(-1) ?? ''
    await passing(service, clock, arrivalsAt(simulator, 2, to(THROTTLED_ONCE)))
    expect(others).toBeGreaterThan(16)
    expect(others).toBeLessThan(700)
    await passing(service, clock, arrivalsOf(service, last))
  })

  test('is found after a crash, also where it was being sent again, or what it waits for is not there', async () => {
    await register(THROTTLED_ONCE)
    await register(THROTTLED)
    const [leased, lost] = [
      await push('/push/one', { token: THROTTLED_ONCE }),
      await push('/push/one', { token: THROTTLED }),
    ]
    await parked(2)
    const write = (sql: string) => service.database.statement(sql).run()
    write(`UPDATE push_exception SET state = 'leased', due_at = due_at + 60000 WHERE push = 1`)
    write('DELETE FROM push_exception WHERE push = 2')
    await restart()
    await passing(service, clock, arrivalsOf(service, leased))
    expect(
      simulator
        .arrivals()
        .filter(to(THROTTLED_ONCE))
        .map(({ status }) => status),
    ).toEqual([429, 200])
    await passing(service, clock, arrivalsOf(service, lost))
  })

  test('can be cancelled', async () => {
    await register(THROTTLED)
    const cancelled = await push('/push/one', { token: THROTTLED })
    await parked(1)
    expect((await service.post(`/push/${cancelled}/cancel`, {})).status).toBe(200)
    expect(await statusOf(cancelled)).toMatchObject({ state: 'cancelled', t: 1, s: 0, waiting: 0 })
    const counts = 'SELECT count(*) AS open, sum(failed) AS failed FROM delivery'
    expect(look(`${counts} WHERE finished_at IS NOT NULL`)).toEqual({ open: 1, failed: 1 })
  })

  test('has gone out: it cannot be replaced, and goes on', async () => {
    await register(THROTTLED_ONCE)
    const headers = { 'idempotency-key': 'order-17' }
    const content = { platform: 0, token: THROTTLED_ONCE, msg: 'Hello', sound: '', badge: '' }
    const { status, body } = await service.post('/push/one', content, { headers })
    expect(status).toBe(200)
    await parked(1)
    const other = { ...content, msg: 'Changed', replace: true }
    const refused = await service.post('/push/one', other, { headers })
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'ConflictError',
        message: 'The push of Idempotency-Key order-17 was already sent: it cannot be replaced.',
      },
    })
    expect((await service.post('/push/one', { ...content, replace: true }, { headers })).body.id).toBe(body.id)
    await passing(service, clock, arrivalsOf(service, body.id))
    expect(await statusOf(body.id)).toMatchObject({ state: 'finished', t: 1, s: 1, waiting: 0 })
    expect(simulator.arrivals().map(({ status }) => status)).toEqual([429, 200])
    expect(look('SELECT count(*) AS n FROM push')).toEqual({ n: 1 })
  })

  test('is gone with its application, and keeps no other from being sent again', async () => {
    const application = service.addApplication('deleted')
    const as = { application }
    const content = { platform: 0, msg: 'Hello', sound: '', badge: '' }
    expect((await service.put('/deviceToken', { token: THROTTLED, platform: '0' }, as)).status).toBe(201)
    for (let n = 0; n < 20; n++) {
      expect((await service.post('/push/one', { ...content, token: THROTTLED }, as)).status).toBe(200)
    }
    await register(THROTTLED_ONCE)
    const own = await push('/push/one', { token: THROTTLED_ONCE })
    await parked(21)
    const asked = simulator.arrivals().filter(to(THROTTLED)).length
    service.remove(application)
    await passing(service, clock, arrivalsOf(service, own))
    expect(await statusOf(own)).toMatchObject({ state: 'finished', t: 1, s: 1, waiting: 0 })
    for (let at = 0; at < HOUR_MS; at += 60_000) clock.advance(60_000)
    await passing(service, clock, arrivalsOf(service, await push('/push/one', { token: THROTTLED_ONCE })))
    expect(simulator.arrivals().filter(to(THROTTLED))).toHaveLength(asked)
    expect(service.log.filter(({ level }) => level === 'error')).toEqual([])
    expect(look('SELECT count(*) AS n FROM push_exception')).toEqual({ n: 0 })
  })

  test('is counted once, whether it is cancelled before, while or after it is sent again', async () => {
    const ids: string[] = []
    for (let n = 0; n < 30; n++) {
      const token = THROTTLED_ONCE.slice(0, -2) + n.toString(16).padStart(2, '0')
      await register(token)
      ids.push(await push('/push/one', { token }))
    }
    await parked(ids.length)
    // All are due after about two seconds.
    const cancelling: ReturnType<Service['post']>[] = []
    while (cancelling.length < ids.length) {
      clock.advance(100)
      cancelling.push(service.post(`/push/${ids[cancelling.length]}/cancel`, {}))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const answers = await Promise.all(cancelling)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    for (const [nth, id] of ids.entries()) {
      await passing(service, clock, arrivalsOf(service, id))
      const { state, t, s, waiting, failed } = await statusOf(id)
      expect({ nth, t, waiting, sum: s + failed.total }).toEqual({ nth, t: 1, waiting: 0, sum: 1 })
      const tries = simulator.arrivals().filter(({ collapse }) => collapse === id)
      expect(tries.length).toBeWithin(1, 3)
      expect(s).toBe(tries.filter(({ status }) => status === 200).length)
      if (answers[nth]?.status === 200) expect(state).toBe('cancelled')
      else expect({ state, s }).toEqual({ state: 'finished', s: 1 })
    }
    const kinds = new Set(answers.map(({ status }) => status))
    expect(kinds).toContain(200)
    expect(look('SELECT count(*) AS open FROM delivery WHERE finished_at IS NULL')).toEqual({ open: 0 })
    expect(look(`SELECT count(*) AS n FROM push_exception WHERE state IN ('retry', 'leased')`)).toEqual({ n: 0 })
  })

  test('ends with its time to live, and counts as failed', async () => {
    await register(FAILING)
    await register(GOOD)
    const id = await push('/push/all', { ttl: 3 })
    await parked(1)
    await passing(service, clock, arrivalsOf(service, id))
    expect(await statusOf(id)).toMatchObject({ state: 'finished', t: 2, s: 1, waiting: 0 })
    expect(look('SELECT failed FROM delivery')).toEqual({ failed: 1 })
  })

  test.each([24 * HOUR_MS, 0])('waits as long over a start, also where its clock was %d ms ahead', async (aheadMs) => {
    await register(THROTTLED_ONCE)
    await register(GOOD)
    clock.set(clock.now() + aheadMs)
    const ids = [await push('/push/one', { token: THROTTLED_ONCE }), await push('/push/all')]
    await parked(1)
    clock.set(clock.now() - aheadMs)
    const began = clock.now()
    await restart()
    for (const id of ids) await passing(service, clock, arrivalsOf(service, id))
    expect(clock.now() - began).toBeLessThan(60_000)
  })
})

describe('behind a pause', () => {
  test('what expires is told, however much waits before it', async () => {
    const application = service.addApplication('paused', {}, false)
    const as = { application }
    const content = { platform: 0, msg: 'Hello', sound: '', badge: '' }
    const post = async (path: string, more: object, count: number) => {
      for (let n = 0; n < count; n += 50) {
        const answers = await Promise.all(
          Array.from({ length: Math.min(50, count - n) }, () => service.post(path, { ...content, ...more }, as)),
        )
        for (const { status } of answers) expect(status).toBe(200)
      }
    }
    expect((await service.put('/deviceToken', { token: GOOD, platform: 0 }, as)).status).toBe(201)
    await post('/push/one', { token: GOOD }, 600)
    await post('/push/all', {}, 40)
    await post('/push/one', { token: GOOD, ttl: 60 }, 400)
    await post('/push/all', { ttl: 60 }, 30)
    const over = () =>
      look(
        `SELECT count(*) AS ended, sum(addressed) AS t, sum(accepted) AS s, sum(failed) AS failed FROM delivery
         WHERE finished_at IS NOT NULL`,
      )
    expect(over()).toMatchObject({ ended: 0 })
    clock.advance(60_000)
    const ended = { ended: 430, t: 430, s: 0, failed: 430 }
    await until(() => Bun.deepEquals(over(), ended))
    expect(look('SELECT count(*) AS open FROM delivery WHERE finished_at IS NULL')).toEqual({ open: 640 })
  })
})
