import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPushStore } from '../../../src/push/push-store.ts'
import { createScheduleStore } from '../../../src/push/schedule/schedule-store.ts'
import { startSchedule } from '../../../src/push/schedule/schedule.ts'
import type { Schedule } from '../../../src/push/schedule/schedule.ts'
import { startServiceClock } from '../../../src/time/service-clock.ts'
import { arrivalsAt } from '../../support/arrivals.ts'
import { passing } from '../../support/passing.ts'
import { openRegistry } from '../../support/registry.ts'
import { acceptedPush, registerDevices, startSending, tokensOf } from '../../support/sending.ts'
import { startService } from '../../support/service.ts'
import { asKilled } from '../../support/temporary-directory.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

describe('a push that is scheduled', () => {
  let registry: ReturnType<typeof openRegistry>
  let schedule: Schedule
  /** `push.number` of what has gone out. */
  let released: number[]

  beforeEach(() => {
    registry = openRegistry()
    const { database, clock } = registry
    const log = { writes: () => false, debug() {}, info() {}, warn() {}, error() {} }
    released = []
    schedule = startSchedule({
      clock,
      time: startServiceClock({ clock, log, last: null, followsJumps: false }),
      log,
      commit: async (operation) => database.transact(operation),
      store: createScheduleStore({ database }),
      wake: (_, push) => void released.push(push),
    })
  })
  afterEach(() => {
    schedule.stop()
    registry[Symbol.dispose]()
  })

  function pushIn(ms: number, more: { readonly heldUntil?: number } = {}): void {
    const { database, clock } = registry
    const now = clock.now()
    database.transact(() =>
      createPushStore({ database }).accept(1, {
        id: Bun.randomUUIDv7(),
        notification: { msg: 'Hello', sound: null, badge: null, payload: null },
        audience: { device: 1, platform: 0 },
        createdAt: now,
        timeToLiveMs: HOUR_MS,
        sendAt: now + ms,
        waves: [],
        ...more,
      }),
    )
    schedule.wake()
  }

  /** Lets `ms` pass; returns how many have gone out by then. */
  async function releasedAfter(ms: number): Promise<number> {
    for (let left = ms; left > 0; left -= 250) {
      registry.clock.advance(250)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return released.length
  }

  const setClockBy = (ms: number) => registry.clock.set(registry.clock.now() + ms)

  test('for a day in two months does not go out when the clock is a year ahead for some seconds', async () => {
    pushIn(60 * DAY_MS)
    setClockBy(365 * DAY_MS)
    expect(await releasedAfter(12_000)).toBe(0)
    setClockBy(-365 * DAY_MS)
    expect(await releasedAfter(2 * MINUTE_MS)).toBe(0)
  })

  test('goes out a minute after a clock that was wrong is put right, also where that takes two steps', async () => {
    pushIn(10 * DAY_MS)
    setClockBy(10 * DAY_MS - HOUR_MS)
    expect(await releasedAfter(30_000)).toBe(0)
    setClockBy(HOUR_MS)
    expect(await releasedAfter(MINUTE_MS - 1000)).toBe(0)
    expect(await releasedAfter(6000)).toBe(1)
  })

  test('goes out at its moment when a jump ahead that is not believed yet is taken back', async () => {
    pushIn(30_000)
    setClockBy(DAY_MS)
    expect(await releasedAfter(10_000)).toBe(0)
    setClockBy(-DAY_MS)
    expect(await releasedAfter(15_000)).toBe(0)
    expect(await releasedAfter(10_000)).toBe(1)
  })

  test('goes out once, though the clock is put back behind its moment', async () => {
    pushIn(10_000)
    expect(await releasedAfter(11_000)).toBe(1)
    setClockBy(-HOUR_MS)
    expect(await releasedAfter(2 * MINUTE_MS)).toBe(1)
  })

  test.each([HOUR_MS, -HOUR_MS])(
    'goes out when its hold is over, though the clock jumps by %d ms in it',
    async (byMs) => {
      pushIn(30_000, { heldUntil: registry.clock.now() + 30_000 })
      setClockBy(byMs)
      expect(await releasedAfter(20_000)).toBe(0)
      expect(await releasedAfter(15_000)).toBe(1)
    },
  )

  test('waits for its moment by a clock that is put back', async () => {
    pushIn(10_000)
    setClockBy(-MINUTE_MS)
    expect(await releasedAfter(30_000)).toBe(0)
    expect(await releasedAfter(45_000)).toBe(1)
  })
})

test('a push that waits survives a kill, and arrives once; one that was cancelled right before never does', async () => {
  const { clock, service } = await startSending()
  const { application } = service
  await registerDevices(service, 0, tokensOf(0, 1))
  const pushIn = (seconds: number) => acceptedPush(service, '/push/all', { send_at: seconds })
  const [inTime, overdue, cancelled] = [await pushIn(1200), await pushIn(600), await pushIn(600)]
  const dueAt = clock.now() + 1_200_000
  expect((await service.post(`/push/${cancelled}/cancel`, {})).status).toBe(200)
  using killed = asKilled(service.data)
  await service[Symbol.asyncDispose]()

  clock.advance(601_000)
  {
    await using next = await startService({ clock, data: killed.path, application })
    const simulator = await next.server.simulator()
    const arrived = () => simulator.arrivals().map(({ collapse }) => collapse)
    await arrivalsAt(simulator, 1)
    expect(arrived()).toEqual([overdue])
    await passing(next, clock, arrivalsAt(simulator, 2), 5000)
    expect(simulator.arrivals()[1]?.at).toBeGreaterThanOrEqual(dueAt)
    clock.advance(MINUTE_MS)
    expect((await next.get(`/push/${cancelled}`)).body).toMatchObject({ state: 'cancelled', t: 0 })
    expect(arrived()).toEqual([overdue, inTime])
    expect(next.log.filter(({ level }) => level === 'error')).toEqual([])
  }
})
