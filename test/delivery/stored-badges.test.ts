import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ActiveDelivery } from '../../src/delivery/active-delivery.ts'
import type { Task } from '../../src/delivery/page/task.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { OpenDelivery } from '../../src/delivery/store/open-delivery.ts'
import type { StoredBadges } from '../../src/delivery/stored-badges.ts'
import type { BadgeChange } from '../../src/device/badge.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { EVERYBODY } from '../audience/population.ts'
import { openRegistry } from '../support/registry.ts'
import { storedBadges } from '../support/stored-badges.ts'
import { tokenOf } from '../support/sending.ts'

const HOUR_MS = 3_600_000
const MORE: BadgeChange = { add: 1 }

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore
let badges: StoredBadges
beforeEach(() => {
  registry = openRegistry()
  store = createDeliveryStore(registry)
  badges = storedBadges(registry, store)
})
afterEach(() => registry[Symbol.dispose]())

function register(count: number, tag: string[] = []): void {
  const { database, devices } = registry
  const first = devices.list(1, { limit: 2000 }).length
  database.transact(() => {
    for (let n = 0; n < count; n++) devices.register(1, { token: tokenOf(0, first + n), platform: 0, tag })
  })
}

/** A push to everybody, or to those with a tag; its number. */
function accept(badge: BadgeChange | null, tags: string[] | null = null): number {
  const push = {
    id: Bun.randomUUIDv7(),
    notification: { msg: 'Hello', sound: null, badge, payload: null },
    audience: { filter: { ...EVERYBODY, platforms: [0], tags } } as const,
    createdAt: registry.clock.now(),
    timeToLiveMs: HOUR_MS,
    sendAt: null,
    waves: [],
  }
  registry.database.transact(() => createPushStore(registry).accept(1, push))
  return store.lastPush()
}

/** A delivery as a new run of the process has it. */
function begin(push: number): { delivery: ActiveDelivery; open: OpenDelivery } {
  const open = store.find(push, 0)
  if (open === null) throw new Error('the push is over')
  return { delivery: new ActiveDelivery(open, store.recipients(open), null, badges, registry.clock), open }
}

/** Lets what was leased become ready. */
async function leased(delivery: ActiveDelivery): Promise<void> {
  while (delivery.isLeasing) await Promise.resolve()
}

/** Takes up to `count` recipients. */
async function take(delivery: ActiveDelivery, count: number): Promise<Task[]> {
  const tasks: Task[] = []
  while (tasks.length < count) {
    const task = delivery.take(registry.clock.now(), null)
    if (task !== null) tasks.push(task)
    else if (delivery.isLeasing) await leased(delivery)
    else break
  }
  return tasks
}

function answer(tasks: readonly Task[]): void {
  const now = registry.clock.now()
  for (const task of tasks) {
    const { delivery, page } = task
    if (!delivery.answer(task, { kind: 'accepted', credential: null }, null, now) || page === null) continue
    registry.database.transact(() => store.settlePage(delivery.record, delivery.settle(page, now), now))
    delivery.wrotePage(page)
  }
}

const shown = (tasks: readonly Task[]) => tasks.map((task) => task.delivery.badgeOf(task))
const stored = () => registry.devices.list(1, { limit: 2000 }).map(({ badge }) => badge)
const leases = () =>
  registry.database
    .statement<{ push: number; n: number }, []>(
      'SELECT push, sum(json_array_length(devices)) AS n FROM badge_lease GROUP BY push ORDER BY push',
    )
    .all()

describe('the page of a push that changes badges', () => {
  test('is sent when the change is stored, and not before', async () => {
    register(3)
    const { delivery } = begin(accept(MORE))
    expect(delivery.take(registry.clock.now(), null)).toBe(null)
    expect([delivery.isLeasing, stored()]).toEqual([true, [1, 1, 1]])
    await leased(delivery)
    expect(shown(await take(delivery, 9))).toEqual([1, 1, 1])
  })

  test('is leased while those before it are sent', async () => {
    register(200)
    const { delivery } = begin(accept(MORE))
    await take(delivery, 1)
    expect(stored().filter((badge) => badge === 1)).toHaveLength(200)
    await leased(delivery)
    expect(await take(delivery, 300)).toHaveLength(199)
    expect(delivery.take(registry.clock.now(), null)).toBe(null)
    expect(delivery.isLeasing).toBe(false)
  })

  test('of a push that leaves badges alone is sent at once, and nothing is written for it', () => {
    register(3)
    const { delivery } = begin(accept(null))
    const task = delivery.take(registry.clock.now(), null)
    expect([task?.recipient.device, task?.recipient.badge]).toEqual([1, null])
    expect([stored(), leases()]).toEqual([[0, 0, 0], []])
  })

  test('is sample by sample leased too, each once', async () => {
    register(300)
    const { delivery } = begin(accept(MORE))
    const tasks: Task[] = []
    const shows: (number | null)[] = []
    for (let turn = 0; turn < 1000; turn++) {
      const task = delivery.take(registry.clock.now(), (turn % 10) / 10)
      if (task !== null) {
        tasks.push(task)
        delivery.recordOutcome({ kind: 'accepted' })
        shows.push(...shown([task]))
        answer([task])
      }
      await leased(delivery)
    }
    expect(new Set(tasks.map(({ recipient }) => recipient.device)).size).toBe(300)
    expect(tasks).toHaveLength(300)
    // Behind the first ones there were some from anywhere.
    expect(tasks.slice(0, 20).some(({ recipient }) => recipient.device > 100)).toBe(true)
    expect(new Set(shows)).toEqual(new Set([1]))
    expect(new Set(stored())).toEqual(new Set([1]))
  })

  test('is sent though the one behind it cannot be read, which is told when it is used up', async () => {
    register(1200)
    const open = store.find(accept(MORE), 0)
    if (open === null) throw new Error('the push is over')
    const recipients = store.recipients(open)
    let isDamaged = false
    const delivery = new ActiveDelivery(
      open,
      {
        ...recipients,
        page(after, upTo, limit) {
          if (isDamaged) throw new Error('database disk image is malformed')
          return recipients.page(after, upTo, limit)
        },
      },
      null,
      badges,
      registry.clock,
    )
    delivery.take(registry.clock.now(), null)
    await leased(delivery)
    isDamaged = true
    // The pages that were leased with the first one.
    answer(await take(delivery, 1064))
    expect(() => delivery.take(registry.clock.now(), null)).toThrow('malformed')
    isDamaged = false
    expect(await take(delivery, 1200)).toHaveLength(136)
  })

  test('is not sent once its push is aborted, though it is leased then', async () => {
    register(3)
    const { delivery } = begin(accept(MORE))
    delivery.take(registry.clock.now(), null)
    delivery.abort('cancelled', registry.clock.now())
    await Promise.resolve()
    expect([await take(delivery, 9), delivery.isLeasing]).toEqual([[], false])
  })

  test('changes nothing where the push is over by then', async () => {
    register(3)
    const { delivery, open } = begin(accept(MORE))
    registry.database.transact(() => store.cancel(open, registry.clock.now()))
    delivery.take(registry.clock.now(), null)
    await Promise.resolve()
    expect([stored(), leases()]).toEqual([[0, 0, 0], []])
  })
})

describe('what is shown', () => {
  test('is what is stored by then: by another push, or by a call', async () => {
    register(2)
    const [many, other] = [begin(accept(MORE)).delivery, begin(accept({ add: 2 })).delivery]
    const [first] = await take(many, 1)
    const [last] = await take(other, 1)
    expect(shown([first, last].flatMap((task) => task ?? []))).toEqual([3, 3])
    registry.database.transact(() => {
      registry.devices.setBadge(1, { platform: 0, token: tokenOf(0, 1), badge: 7 })
      badges.changed()
    })
    const [second] = await take(many, 1)
    expect(shown(second === undefined ? [] : [second])).toEqual([7])
  })

  test('is not read for each, where only the push itself has changed anything', async () => {
    register(200)
    const of = badges.of.bind(badges)
    let reads = 0
    badges.of = (device) => {
      reads++
      return of(device)
    }
    const { delivery } = begin(accept(MORE))
    expect(shown(await take(delivery, 200))).toEqual(Array.from({ length: 200 }, () => 1))
    expect(reads).toBe(0)
  })
})

describe('after a crash', () => {
  test.each([
    ['in the order of the pushes', [0, 1]],
    ['against it', [1, 0]],
  ])('pages of two pushes that were on their way change nothing twice: %s', async (_, order) => {
    register(100)
    const pushes = [accept(MORE), accept({ add: 10 })]
    for (const at of order) await take(begin(pushes[at] ?? 0).delivery, 80)
    expect(new Set(stored())).toEqual(new Set([11]))
    for (let crash = 0; crash < 3; crash++) {
      for (const push of pushes) {
        expect(new Set(shown(await take(begin(push).delivery, 80)))).toEqual(new Set([11]))
      }
    }
    for (const push of pushes) answer(await take(begin(push).delivery, 100))
    expect(new Set(stored())).toEqual(new Set([11]))
    expect(leases()).toEqual([])
  })

  test('a push that was read before a later one, and sent after it, counts all the same', async () => {
    register(3)
    const [early, late] = [accept(MORE), accept(MORE)]
    answer(await take(begin(late).delivery, 3))
    expect(stored()).toEqual([1, 1, 1])
    expect(shown(await take(begin(early).delivery, 3))).toEqual([2, 2, 2])
  })

  test('whoever has come into the audience meanwhile counts, and the others on the page do not again', async () => {
    register(40, ['red'])
    register(40)
    register(40, ['red'])
    const push = accept(MORE, ['red'])
    await take(begin(push).delivery, 70)
    const expected = (blue: number) =>
      [40, 40, 40].flatMap((n, at) => Array.from({ length: n }, () => (at === 1 ? blue : 1)))
    expect(stored()).toEqual(expected(0))
    for (let n = 40; n < 80; n++) registry.devices.addLabels(1, { token: tokenOf(0, n), platform: 0 }, 'tag', ['red'])
    answer(await take(begin(push).delivery, 120))
    expect(stored()).toEqual(expected(1))
  })

  test('what a call has set stays', async () => {
    register(2)
    const push = accept({ set: 5 })
    await take(begin(push).delivery, 2)
    registry.devices.setBadge(1, { platform: 0, token: tokenOf(0, 0), badge: 0 })
    expect(shown(await take(begin(push).delivery, 2))).toEqual([0, 5])
  })
})

test('whose badge was changed is remembered until the page is settled, and no longer', async () => {
  register(1064)
  const push = accept(MORE)
  const { delivery } = begin(push)
  const first = await take(delivery, 64)
  const second = await take(delivery, 500)
  await leased(delivery)
  expect(leases()).toEqual([{ push, n: 1064 }])
  // The first page is settled last: until then it is on none that the next run leaves out.
  answer(second)
  expect(leases()).toEqual([{ push, n: 1064 }])
  answer(first)
  expect(leases()).toEqual([{ push, n: 500 }])
  // Pages that are cut short by a stop are read again from there on.
  const third = await take(delivery, 100)
  const now = registry.clock.now()
  for (const task of third) delivery.answer(task, { kind: 'accepted', credential: null }, null, now)
  for (const page of delivery.sentPages()) {
    registry.database.transact(() => store.settlePage(delivery.record, delivery.settle(page, now), now))
  }
  expect(leases()).toEqual([{ push, n: 500 }])
  answer(await take(begin(push).delivery, 2000))
  expect([leases(), new Set(stored())]).toEqual([[], new Set([1])])
})

test('a push that is cancelled keeps what was counted, and remembers nobody', async () => {
  register(3)
  const push = accept(MORE)
  const { delivery, open } = begin(push)
  await take(delivery, 1)
  registry.database.transact(() => store.cancel(open, registry.clock.now()))
  expect([stored(), leases()]).toEqual([[1, 1, 1], []])
})
