import { describe, expect, test } from 'bun:test'
import { createAudienceCount } from '../../src/audience/audience-count.ts'
import { filterOf } from '../../src/audience/filter-schema.ts'
import { audiencePages } from '../../src/audience/audience.ts'
import { createPushRetention } from '../../src/push/push-retention-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { createResendStore } from '../../src/push/resend/resend-store.ts'
import { createScheduleStore } from '../../src/push/schedule/schedule-store.ts'
import { openRegistry } from '../support/registry.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const NOTIFICATION = { msg: 'Hello', sound: null, badge: null, payload: null }

interface End {
  readonly push: number
  readonly progress: number
  readonly ahead?: readonly (readonly [number, number])[]
  readonly at: number
}

function openStores() {
  const registry = openRegistry()
  const { database, clock, devices } = registry
  const pushes = createPushStore({ database })
  const finish = database.statement<never, [number, string, number, number]>(
    'UPDATE delivery SET progress = ?, ahead = ?, finished_at = ? WHERE push = ? AND platform = 0',
  )
  const fail = database.statement<never, [number, number, string, string]>(
    `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
     VALUES (?, 0, ?, ?, 1, 0, ?)`,
  )
  const store = createResendStore({ database })
  let pushed = 0
  return {
    ...registry,
    pushes,
    store,
    schedule: createScheduleStore({ database }),
    register(n: number, timezone?: string): number {
      const token = n.toString(16).padStart(64, '0')
      devices.register(1, { platform: 0, token, ...(timezone !== undefined && { timezone }) })
      return devices.idOf(1, 0, token) ?? 0
    },
    push(more: Partial<Parameters<typeof pushes.accept>[1]> = {}): number {
      const audience = { filter: filterOf({ platform: [0] }) }
      const id = `push ${++pushed}`
      const life = { createdAt: clock.now(), timeToLiveMs: HOUR_MS, sendAt: null, waves: [] }
      return pushes.accept(1, { id, notification: NOTIFICATION, audience, ...life, ...more })
    },
    end: ({ push, progress, ahead = [], at }: End) => finish.run(progress, JSON.stringify(ahead), at, push),
    fail: (push: number, device: number, state: string, reason = 'Reason') => fail.run(push, device, state, reason),
    missed(id: string): readonly number[] {
      const { filter } = store.find(1, id) ?? {}
      if (filter === undefined) throw new Error(`no ${id}`)
      return audiencePages(database, { filter }, 1, 0)
        .page(0, Number.MAX_SAFE_INTEGER, 100)
        .rows.map((row) => row.id)
    },
  }
}

describe('whom a push has failed for', () => {
  test('are those that were rejected or expired, and none that was reached or is gone', () => {
    using stores = openStores()
    const [, rejected = 0, expired = 0, gone = 0, left = 0] = [1, 2, 3, 4, 5].map((n) => stores.register(n))
    const push = stores.push()
    stores.fail(push, rejected, 'rejected')
    stores.fail(push, expired, 'expired')
    stores.fail(push, gone, 'gone')
    stores.fail(push, left, 'rejected')
    stores.devices.unregister(1, 0, (5).toString(16).padStart(64, '0'))
    stores.end({ push, progress: left, at: stores.clock.now() })
    expect(stores.missed('push 1')).toEqual([rejected, expired])
  })

  test('are found by the key of what failed, and not by going through all devices', async () => {
    using stores = openStores()
    const devices = Array.from({ length: 10 }, (_, n) => stores.register(n + 1))
    const push = stores.push()
    for (const device of devices.slice(-3)) stores.fail(push, device, 'rejected')
    stores.end({ push, progress: devices.at(-1) ?? 0, at: stores.clock.now() })
    const { filter } = stores.store.find(1, 'push 1') ?? {}
    if (filter === undefined) throw new Error('no push')
    const pages = audiencePages(stores.database, { filter }, 1, 0)
    // Of the whole audience two candidates would lead no further than to the second device.
    expect(pages.count(0, Number.MAX_SAFE_INTEGER, 2)).toEqual({ count: 2, last: devices.at(-2) ?? 0 })
    expect(await createAudienceCount(stores)(1, filter)).toBe(3)
  })

  test('are also those that a push did not come to before its time was over', () => {
    using stores = openStores()
    const ids = [1, 2, 3, 4, 5, 6].map((n) => stores.register(n))
    const push = stores.push()
    stores.register(7)
    const [, second = 0, , fourth = 0] = ids
    stores.end({ push, progress: second, ahead: [[fourth, fourth]], at: stores.clock.now() + HOUR_MS })
    expect(stores.missed('push 1')).toEqual([ids[2] ?? 0, ids[4] ?? 0, ids[5] ?? 0])
  })

  test('are, of a push by local time, those of each wave', () => {
    using stores = openStores()
    const { clock, schedule } = stores
    const [berlin, berlinLate, lima] = [
      stores.register(1, 'Europe/Berlin'),
      stores.register(2, 'Europe/Berlin'),
      stores.register(3, 'America/Lima'),
    ]
    const now = clock.now()
    const audience = { filter: filterOf({ platform: [0] }), local: '2026-11-21T09:00' }
    const moments = [Date.UTC(2026, 10, 21, 8), Date.UTC(2026, 10, 21, 14)]
    const waves = moments.map((sendAt, n) => ({ id: `wave ${n}`, sendAt }))
    stores.push({ audience, sendAt: moments[0] ?? 0, waves })
    expect(stores.store.find(1, 'push 1')?.state).toBe('open')
    clock.advance(2 * DAY_MS)
    schedule.release({ wall: now + 2 * DAY_MS, service: 0 }, now + 2 * DAY_MS, 10)
    const [whole, first, second] = [1, 2, 3]
    expect(whole).toBe(1)
    stores.end({ push: first ?? 0, progress: berlin, at: clock.now() + HOUR_MS })
    stores.end({ push: second ?? 0, progress: lima, at: clock.now() })
    stores.fail(second ?? 0, lima, 'rejected')
    expect(stores.store.find(1, 'push 1')).toMatchObject({ state: 'finished', resentAs: null })
    // The end of Lima's wave is after others, which must not matter to Berlin's.
    expect(stores.missed('push 1')).toEqual([berlinLate, lima])
  })

  test('are known as long as they are sent to again', () => {
    using stores = openStores()
    const device = stores.register(1)
    const { clock, pushes, database } = stores
    const first = stores.push()
    stores.fail(first, device, 'rejected')
    stores.end({ push: first, progress: device, at: clock.now() })
    clock.advance(89 * DAY_MS)
    const { filter } = stores.store.find(1, 'push 1') ?? {}
    if (filter === undefined) throw new Error('no push')
    const again = stores.push({ audience: { filter }, resendOf: first })
    expect(pushes.resentAs(first)).toBe('push 2')
    const { sweep } = createPushRetention({ database })
    const numbers = () =>
      database
        .statement<{ number: number }, []>('SELECT number FROM push ORDER BY number')
        .all()
        .map((row) => row.number)
    sweep(clock.now() + 2 * DAY_MS, 0)
    expect(numbers()).toEqual([first, again])
    stores.end({ push: again, progress: device, at: clock.now() })
    sweep(clock.now() + 2 * DAY_MS, 0)
    expect(numbers()).toEqual([again])
  })
})
