import { afterEach, beforeEach, describe, expect } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../../src/database/database.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import type { ServerStream } from '../../../src/gateway/simulator/http2/server-stream.ts'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { testInTurn } from '../../support/in-turn.ts'
import { passing } from '../../support/passing.ts'
import { acceptedPush } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'
import { still } from '../../support/still.ts'
import { until } from '../../support/until.ts'

/* Only results of notifications cannot be stored. */

/** Recipients of a push that may be sent to before that is on disk (the manual, "Guarantees"). */
const MAX_OF_A_PUSH = 16 * 500

/** Two pages more. */
const DEVICES = 9000

/** Pushes to one device in flight, per application and platform. */
const MAX_SINGLES = 512

const test = testInTurn(5)

let clock: FakeClock
let service: Service
let arrivals: ReceivedPush[]

beforeEach(async () => {
  clock = createFakeClock()
  service = await startService({ clock, random: () => 0.5 })
  await follow(service)
})
afterEach(() => service[Symbol.asyncDispose]())

async function follow(served: Service): Promise<void> {
  arrivals = []
  const simulator = await served.server.simulator()
  simulator.onArrival((arrival) => arrivals.push(arrival))
}

const token = (n: number) => Bun.SHA256.hash(`${n}`, 'hex')

function register(count: number, served = service): void {
  using database = openDatabase(served.data)
  const devices = createDeviceStore({ database, clock })
  database.transact(() => {
    for (let n = 0; n < count; n++) devices.register(1, { token: token(n), platform: 0 })
  })
}

const push = (path: '/push/all' | '/push/one', body: object, to = service) => acceptedPush(to, path, body)

/** Results cannot be stored until the returned function is called. */
function refuseAnswers(): () => void {
  // Like a full disk. A constraint would mean that the application is gone.
  const trouble = 'BEGIN SELECT zeroblob(3000000000); END'
  service.database.statement(`CREATE TRIGGER refuse BEFORE UPDATE OF accepted ON delivery ${trouble}`).run()
  return () => void service.database.statement('DROP TRIGGER refuse').run()
}

const noMoreArrive = () => still(() => arrivals.length, service.url)

async function ended(of: Service): Promise<void> {
  const open = of.database.statement<{ open: number }, []>(
    'SELECT count(*) AS open FROM delivery WHERE finished_at IS NULL',
  )
  await until(() => open.get()?.open === 0)
}

const over = () => passing(service, clock, ended(service))

function repeated(): string[] {
  const seen = new Set<string>()
  return arrivals.filter(({ id }) => seen.size === seen.add(String(id)).size).map((arrival) => arrival.token)
}

describe('while what was sent cannot be written down', () => {
  test('no more than 512 pushes to one device are sent, and the rest when it can', async () => {
    register(1200)
    const allow = refuseAnswers()
    await Promise.all(Array.from({ length: 1200 }, (_, n) => push('/push/one', { token: token(n) })))
    const sent = await noMoreArrive()
    expect(sent).toBeGreaterThan(MAX_SINGLES / 2)
    expect(sent).toBeLessThanOrEqual(MAX_SINGLES)
    expect(service.server.unwritten()).toEqual({ notifications: sent, pushes: sent })
    allow()
    await over()
    expect(repeated()).toEqual([])
    expect(arrivals).toHaveLength(1200)
  })

  test('nobody who waited for another attempt is sent to again when its lease is over', async () => {
    const [waits, waitsLong] = ['bad42901'.padEnd(64, '0'), 'bad42902'.padEnd(64, '0')]
    for (const each of [waits, waitsLong]) {
      expect(await service.put('/deviceToken', { token: each, platform: '0' })).toMatchObject({ status: 201 })
    }
    await push('/push/all', {})
    await service.logged(({ event, recipients }) => event === 'to be sent again' && recipients === 2)
    const allow = refuseAnswers()
    await passing(
      service,
      clock,
      service.logged(({ event }) => event === 'delivery results could not be stored; trying again'),
    )
    const taken = () => arrivals.filter(({ status }) => status === 200).map((arrival) => arrival.token)
    expect(taken()).toEqual([waits])
    // By its row it is due.
    clock.advance(61_000)
    await noMoreArrive()
    expect(taken()).toEqual([waits])
    allow()
    await over()
    expect(taken()).toEqual([waits, waitsLong])
    expect((await service.get('/analytics')).body).toEqual({ t: 2, s: 2, o: 0 })
  })
})

test('a call that sets a badge, and is refused, leaves the badge that was sent as it was', async () => {
  register(1)
  const allow = refuseAnswers()
  await push('/push/all', { badge: '+1' })
  await noMoreArrive()
  // The commit fails, as on a full disk.
  const run = (sql: string) => void service.database.statement(sql).run()
  run('CREATE TABLE nobody (device INTEGER REFERENCES device DEFERRABLE INITIALLY DEFERRED)')
  run('CREATE TRIGGER refuse_badge AFTER UPDATE OF badge ON device BEGIN INSERT INTO nobody VALUES (-1); END')
  const set = () => service.put('/badge', { platform: '0', token: token(0), setbadgecount: 7 })
  expect(await set()).toMatchObject({ status: 500, body: { code: 'InternalError' } })
  run('DROP TRIGGER refuse_badge')
  run('DROP TABLE nobody')
  allow()
  await over()
  const badge = service.database.statement<object, []>('SELECT badge FROM device')
  expect(badge.get()).toEqual({ badge: 1 })
  expect(await set()).toMatchObject({ status: 200 })
  expect(badge.get()).toEqual({ badge: 7 })
})

describe('this machine at fault', () => {
  /** The test ends it. */
  const LOCK_MS = 600_000
  const LOCKER = join(import.meta.dir, '../../faults/stage/lock-database.ts')

  test('a disk that is slow: sending waits after 16 pages, what writes nothing is answered, and /readyz says so', async () => {
    let slow = false
    const held: (() => void)[] = []
    await using real = await startService({
      sync: (own) => ({
        now: () => own.now(),
        async later() {
          await own.later()
          if (slow) await new Promise<void>((resolve) => held.push(resolve))
        },
      }),
    })
    await follow(real)
    register(DEVICES, real)
    await push('/push/all', {}, real)
    slow = true
    const sent = await noMoreArrive()
    const read = await real.get('/feedback')
    const ready = await fetch(`${real.adminUrl}/readyz`)
    slow = false
    for (const resolve of held) resolve()
    expect(sent).toBeGreaterThan(MAX_OF_A_PUSH / 2)
    expect(sent).toBeLessThanOrEqual(MAX_OF_A_PUSH)
    expect(read).toMatchObject({ status: 200 })
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      reasons: ['The database cannot be written: it has not taken a write for 2 seconds.'],
    })
    await ended(real)
    expect(repeated()).toEqual([])
    expect((await real.get('/analytics')).body).toEqual({ t: DEVICES, s: DEVICES, o: 0 })
  })

  test('a database that another process holds, for longer than a write waits: it goes on by itself, nobody twice', async () => {
    await using real = await startService()
    await follow(real)
    register(DEVICES, real)
    const simulator = await real.server.simulator()
    const first = Promise.withResolvers<ServerStream>()
    simulator.answerWith(() => ({ kind: 'custom', perform: first.resolve }))
    await push('/push/all', { badge: '+1' }, real)
    // The first request goes alone: nobody else is sent to before the lock.
    const stream = await first.promise
    const lock = Bun.spawn([process.execPath, LOCKER, join(real.data, 'bellhop.db'), String(LOCK_MS)])
    for await (const said of lock.stdout) if (Buffer.from(said).toString() === 'locked\n') break
    simulator.answerWith(null)
    stream.respond(200)
    await real.logged(({ error }) => String(error).includes('database is locked'))
    lock.kill()
    await ended(real)
    expect(repeated()).toEqual([])
    expect((await real.get('/analytics')).body).toEqual({ t: DEVICES, s: DEVICES, o: 0 })
    const badges = 'SELECT min(badge) AS least, max(badge) AS most FROM device'
    expect(real.database.statement<object, []>(badges).get()).toEqual({ least: 1, most: 1 })
  })
})
