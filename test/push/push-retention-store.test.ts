import { describe, expect, test } from 'bun:test'
import { createPushRetention } from '../../src/push/push-retention-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { createScheduleStore } from '../../src/push/schedule/schedule-store.ts'
import { openRegistry } from '../support/registry.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOTIFICATION = { msg: 'Hello', sound: null, badge: null, payload: null }
const TO_ONE = { device: 1, platform: 0 } as const

function openStores() {
  const registry = openRegistry()
  const { database, clock } = registry
  const pushes = createPushStore({ database })
  const finish = database.statement<never, [number, number]>('UPDATE delivery SET finished_at = ? WHERE push = ?')
  const numbers = database.statement<{ number: number }, []>('SELECT number FROM push ORDER BY number')
  const { sweep } = createPushRetention({ database })
  let pushed = 0
  return {
    ...registry,
    schedule: createScheduleStore({ database }),
    /** `steps` of the sweep of pushes: what the last of them said. */
    sweep(now: number, steps = 1): number | null {
      let next: number | null = 0
      for (let step = 0; step < steps && next !== null; step++) next = sweep(now, next)
      return next
    },
    push(createdAt: number, sendAt: number | null = null, waves: readonly number[] = []): number {
      return pushes.accept(1, {
        id: `push ${++pushed}`,
        notification: NOTIFICATION,
        audience: TO_ONE,
        createdAt,
        timeToLiveMs: DAY_MS,
        sendAt,
        waves: waves.map((at, n) => ({ id: `wave ${pushed}.${n}`, sendAt: at })),
      })
    },
    finish: (push: number) => finish.run(clock.now(), push),
    numbers: () => numbers.all().map(({ number }) => number),
  }
}

describe('pushes are erased 90 days after they went out', () => {
  test('unless something is open of them', () => {
    using store = openStores()
    const now = store.clock.now()
    const [over, open, young] = [store.push(now), store.push(now), store.push(now + DAY_MS)]
    store.finish(over)
    store.finish(young)
    store.sweep(now + 90 * DAY_MS)
    expect(store.numbers()).toEqual([over, open, young])
    store.sweep(now + 90 * DAY_MS + 1)
    expect(store.numbers()).toEqual([open, young])
  })

  test('also those that waited, which are not erased while they wait', () => {
    using store = openStores()
    const now = store.clock.now()
    const late = store.push(now, now + 90 * DAY_MS)
    const cancelled = store.push(now, now + 90 * DAY_MS)
    store.schedule.withdraw(cancelled, now)
    store.sweep(now + 91 * DAY_MS)
    expect(store.numbers()).toEqual([late])
    store.schedule.release({ wall: now + 90 * DAY_MS, service: 0 }, now + 90 * DAY_MS, 10)
    store.finish(late)
    store.sweep(now + 179 * DAY_MS)
    expect(store.numbers()).toEqual([late])
    store.sweep(now + 181 * DAY_MS)
    expect(store.numbers()).toEqual([])
  })

  test('a push by local time after the last of its waves', () => {
    using store = openStores()
    const now = store.clock.now()
    store.push(now, now, [now, now + DAY_MS])
    store.schedule.withdraw(1, now)
    for (let n = 0; n < 2; n++) store.sweep(now + 91 * DAY_MS)
    expect(store.numbers()).toEqual([])
  })

  test('however many are kept before them', () => {
    using store = openStores()
    const now = store.clock.now()
    const some = (length: number) => store.database.transact(() => Array.from({ length }, () => store.push(now)))
    const finish = (pushes: readonly number[]) =>
      store.database.transact(() => {
        for (const push of pushes) store.finish(push)
      })
    const [kept, over] = [some(110), some(15)]
    finish(over)
    expect(store.sweep(now + 91 * DAY_MS, 3)).toBeNull()
    expect(store.numbers()).toEqual(kept)
    finish(kept)
    expect(store.sweep(now + 91 * DAY_MS, 4)).toBeNull()
    expect(store.numbers()).toEqual([])
  })

  test('five hundred rows at a time, and it says whether there is more', () => {
    using store = openStores()
    const now = store.clock.now()
    const push = store.push(now)
    store.finish(push)
    const rows = store.database.statement<never, [number, number]>(
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
       WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?2)
       SELECT ?1, 0, value, 'gone', 1, 0, 'Unregistered' FROM n`,
    )
    rows.run(push, 1250)
    const left = store.database.statement<{ n: number }, []>('SELECT count(*) AS n FROM push_exception')
    const steps = Array.from({ length: 3 }, () => [store.sweep(now + 91 * DAY_MS), left.get()?.n])
    expect(steps).toEqual([
      [0, 750],
      [0, 250],
      [null, 0],
    ])
    expect(store.numbers()).toEqual([])
  })
})
