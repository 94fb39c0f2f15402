import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createCurrentRecipients } from '../../src/delivery/current-recipients.ts'
import type { CurrentRecipients } from '../../src/delivery/current-recipients.ts'
import type { Task } from '../../src/delivery/open/delivery.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { BadgeChange } from '../../src/device/badge.ts'
import { createLog } from '../../src/log.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { EVERYBODY } from '../audience/population.ts'
import { openOutbox } from '../support/outbox.ts'
import { openRegistry } from '../support/registry.ts'
import { tokenOf } from '../support/sending.ts'

const HOUR_MS = 3_600_000

const READ_AGAIN_MS = 10_000

const MORE: BadgeChange = { add: 1 }

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore
let recipients: CurrentRecipients
beforeEach(() => {
  registry = openRegistry()
  store = createDeliveryStore(registry)
  recipients = recipientsOf(store)
})
afterEach(() => registry[Symbol.dispose]())

const recipientsOf = (store: DeliveryStore) => {
  const { devices } = registry
  const log = createLog(
    'debug',
    registry.clock.now,
    () => {},
    ({ event }) => event,
  )
  return createCurrentRecipients({ log, store, registry: { ...devices, apply: () => {} } })
}

function register(count: number, tag: string[] = []): void {
  const { database, devices } = registry
  const first = devices.list(1, { limit: 2000 }).length
  database.transact(() => {
    for (let n = 0; n < count; n++) devices.register(1, { token: tokenOf(0, first + n), platform: 0, tag })
  })
}

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

/** Loads one open push, as a new run of the process does. */
function begin(push: number, overrides: Partial<DeliveryStore> = {}) {
  const { clock } = registry
  const run = openOutbox(registry, {
    store: { ...store, open: (...which) => store.open(...which).filter((open) => open.push === push), ...overrides },
    recipients,
  })
  run.outbox.wake(null)
  const delivery = run.outbox.loaded.find(push)
  if (delivery === null) throw new Error('the push is over')
  return {
    ...run,
    delivery,
    takeOne: (samplePlace: number | null = null) => run.outbox.take(clock.now(), samplePlace),
  }
}

type Run = ReturnType<typeof begin>

async function leased({ delivery }: Run): Promise<void> {
  while (delivery.waitsFor === 'disk') await Promise.resolve()
}

async function finish(run: Run, count: number): Promise<void> {
  run.answer(await run.take(1))
  run.answer(await run.take(count))
  await run.quiet()
}

const shown = (tasks: readonly Task[]) =>
  tasks.map((task) => {
    const current = recipients.asItIs(task, registry.clock.now())
    if ('kind' in current) throw new Error(`the device is not there: ${current.kind}`)
    return current.recipient.badge
  })
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
    const run = begin(accept(MORE))
    expect(run.takeOne()).toBe(null)
    expect([run.delivery.waitsFor, stored()]).toEqual(['disk', [1, 1, 1]])
    await leased(run)
    expect(shown(await run.take(9))).toEqual([1, 1, 1])
  })

  test('is leased while those before it are sent', async () => {
    register(200)
    const run = begin(accept(MORE))
    run.answer(await run.take(1))
    expect(stored().filter((badge) => badge === 1)).toHaveLength(200)
    await leased(run)
    expect(await run.take(300)).toHaveLength(199)
    expect(run.takeOne()).toBe(null)
    expect(run.delivery.waitsFor).toBe(null)
  })

  test('of a push that leaves badges alone is sent at once, and nothing is written for it', async () => {
    register(3)
    const run = begin(accept(null))
    const task = run.takeOne()
    expect([task?.recipient.device, task?.recipient.badge]).toEqual([1, null])
    await run.quiet()
    expect([stored(), leases()]).toEqual([[0, 0, 0], []])
  })

  test('is sample by sample leased too, each once', async () => {
    register(300)
    const run = begin(accept(MORE))
    const tasks: Task[] = []
    const shows: (number | null)[] = []
    for (let turn = 0; turn < 1000 && run.delivery.phase === 'open'; turn++) {
      const task = run.takeOne((turn % 10) / 10)
      if (task !== null) {
        tasks.push(task)
        shows.push(...shown([task]))
        run.answer([task])
      }
      await leased(run)
    }
    await run.quiet()
    expect(new Set(tasks.map(({ recipient }) => recipient.device)).size).toBe(300)
    expect(tasks).toHaveLength(300)
    // Behind the first ones, some from anywhere.
    expect(tasks.slice(0, 20).some(({ recipient }) => recipient.device > 100)).toBe(true)
    expect(new Set(shows)).toEqual(new Set([1]))
    expect(new Set(stored())).toEqual(new Set([1]))
    expect(run.delivery.phase).toBe('over')
  })

  test('is sent though the one behind it cannot be read, which is told when it is used up', async () => {
    register(1200)
    let isDamaged = false
    const run = begin(accept(MORE), {
      recipients(open) {
        const recipients = store.recipients(open)
        return {
          ...recipients,
          page(after: number, upTo: number, limit: number) {
            if (isDamaged) throw new Error('database disk image is malformed')
            return recipients.page(after, upTo, limit)
          },
        }
      },
    })
    run.answer(await run.take(1))
    isDamaged = true
    // The pages leased with the first one.
    const ready = await run.take(1063)
    expect(ready).toHaveLength(1063)
    run.answer(ready)
    expect(run.events).not.toContain('a delivery cannot be read; trying again')
    expect([run.takeOne(), run.takeOne()]).toEqual([null, null])
    expect(run.events.filter((event) => event === 'a delivery cannot be read; trying again')).toHaveLength(1)
    await run.quiet()
    isDamaged = false
    registry.clock.advance(READ_AGAIN_MS)
    run.outbox.tick(false)
    expect(await run.take(1200)).toHaveLength(136)
  })

  test('is not sent once its push is aborted, though it is leased then', async () => {
    register(3)
    const run = begin(accept(MORE))
    run.takeOne()
    run.outbox.pass(run.delivery, { kind: 'aborted', reason: 'cancelled', refused: null })
    await Promise.resolve()
    expect([await run.take(9), run.delivery.waitsFor, stored()]).toEqual([[], null, [1, 1, 1]])
    await run.quiet()
    expect(leases()).toEqual([])
  })

  test('changes nothing where the push is over by then', async () => {
    register(3)
    const push = accept(MORE)
    const run = begin(push)
    registry.database.transact(() => store.cancel({ push, platform: 0, application: 1 }, registry.clock.now()))
    expect(run.takeOne()).toBe(null)
    await run.quiet()
    expect([run.takeOne(), stored(), leases()]).toEqual([null, [0, 0, 0], []])
  })
})

describe('what is shown', () => {
  test('is what is stored by then: by another push, or by a call', async () => {
    register(2)
    const [many, other] = [begin(accept(MORE)), begin(accept({ add: 2 }))]
    const [first] = await many.take(1)
    const [last] = await other.take(1)
    expect(shown([first, last].flatMap((task) => task ?? []))).toEqual([3, 3])
    registry.database.transact(() => {
      registry.devices.setBadge(1, { platform: 0, token: tokenOf(0, 1), badge: 7 })
      recipients.badgeSet()
    })
    expect(shown(await many.take(1))).toEqual([7])
  })

  test('is not read for each, where only the push itself has changed anything', async () => {
    register(200)
    let reads = 0
    recipients = recipientsOf({
      ...store,
      badgeOf(device) {
        reads++
        return store.badgeOf(device)
      },
    })
    const run = begin(accept(MORE))
    const [first = expect.unreachable()] = await run.take(1)
    run.answer([first])
    expect(shown([first, ...(await run.take(199))])).toEqual(Array.from({ length: 200 }, () => 1))
    expect(reads).toBe(0)
  })

  test('is read again for who waited for another attempt, and is sent to after another push', async () => {
    register(2)
    const run = begin(accept(MORE))
    const now = registry.clock.now()
    run.answer(await run.take(2), { kind: 'retry', dueAt: now, reason: 'TooManyRequests' })
    await run.quiet()
    run.outbox.tick(false)
    const again = await run.take(2)
    expect([again.map(({ attempt }) => attempt), shown(again)]).toEqual([
      [2, 2],
      [1, 1],
    ])
    await begin(accept({ add: 2 })).take(1)
    expect(shown(again)).toEqual([3, 3])
  })
})

describe('after a crash', () => {
  test.each([
    ['in the order of the pushes', [0, 1]],
    ['against it', [1, 0]],
  ])('pages of two pushes that were on their way change nothing twice: %s', async (_, order) => {
    register(100)
    const pushes = [accept(MORE), accept({ add: 10 })]
    for (const at of order) await begin(pushes[at] ?? 0).take(80)
    expect(new Set(stored())).toEqual(new Set([11]))
    for (let crash = 0; crash < 3; crash++) {
      for (const push of pushes) {
        expect(new Set(shown(await begin(push).take(80)))).toEqual(new Set([11]))
      }
    }
    for (const push of pushes) await finish(begin(push), 100)
    expect(new Set(stored())).toEqual(new Set([11]))
    expect(leases()).toEqual([])
  })

  test('a push that was read before a later one, and sent after it, counts all the same', async () => {
    register(3)
    const [early, late] = [accept(MORE), accept(MORE)]
    await finish(begin(late), 3)
    expect(stored()).toEqual([1, 1, 1])
    expect(shown(await begin(early).take(3))).toEqual([2, 2, 2])
  })

  test('whoever has come into the audience meanwhile counts, and the others on the page do not again', async () => {
    register(40, ['red'])
    register(40)
    register(40, ['red'])
    const push = accept(MORE, ['red'])
    await begin(push).take(70)
    const expected = (blue: number) =>
      [40, 40, 40].flatMap((n, at) => Array.from({ length: n }, () => (at === 1 ? blue : 1)))
    expect(stored()).toEqual(expected(0))
    for (let n = 40; n < 80; n++) registry.devices.addLabels(1, { token: tokenOf(0, n), platform: 0 }, 'tag', ['red'])
    await finish(begin(push), 120)
    expect(stored()).toEqual(expected(1))
  })

  test('what a call has set stays', async () => {
    register(2)
    const push = accept({ set: 5 })
    await begin(push).take(2)
    registry.devices.setBadge(1, { platform: 0, token: tokenOf(0, 0), badge: 0 })
    expect(shown(await begin(push).take(2))).toEqual([0, 5])
  })
})

test('whose badge was changed is remembered until the page is settled, and no longer', async () => {
  register(1064)
  const push = accept(MORE)
  const run = begin(push)
  const first = await run.take(64)
  run.answer(first.splice(0, 1))
  const second = await run.take(500)
  expect(second).toHaveLength(500)
  await leased(run)
  expect(leases()).toEqual([{ push, n: 1064 }])
  // The first page is settled last: until then the next run skips none of it.
  run.answer(second)
  await run.quiet()
  expect(leases()).toEqual([{ push, n: 1064 }])
  run.answer(first)
  await run.quiet()
  expect(leases()).toEqual([{ push, n: 500 }])
  // The next run reads pages that a stop truncated from there on.
  run.answer(await run.take(100))
  run.outbox.stop()
  await run.quiet()
  expect(leases()).toEqual([{ push, n: 500 }])
  await finish(begin(push), 2000)
  expect([leases(), new Set(stored())]).toEqual([[], new Set([1])])
})

test('a push that is cancelled keeps what was counted, and remembers nobody', async () => {
  register(3)
  const push = accept(MORE)
  await begin(push).take(1)
  registry.database.transact(() => store.cancel({ push, platform: 0, application: 1 }, registry.clock.now()))
  expect([stored(), leases()]).toEqual([[1, 1, 1], []])
})
