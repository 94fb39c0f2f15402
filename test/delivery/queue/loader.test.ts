import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ActiveDelivery } from '../../../src/delivery/active-delivery.ts'
import { Backlog } from '../../../src/delivery/queue/backlog.ts'
import { Loader } from '../../../src/delivery/queue/loader.ts'
import { SettlementWriter } from '../../../src/delivery/settlement-writer.ts'
import { createDeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { StoredBadges } from '../../../src/delivery/stored-badges.ts'
import type { DeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { OpenDelivery } from '../../../src/delivery/store/open-delivery.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { openRegistry } from '../../support/registry.ts'
import { storedBadges } from '../../support/stored-badges.ts'

const HOUR_MS = 3_600_000
const TOKEN = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore
let badges: StoredBadges

beforeEach(() => {
  registry = openRegistry()
  registry.devices.register(1, { token: TOKEN, platform: 0 })
  store = createDeliveryStore(registry)
  badges = storedBadges(registry, store)
})
afterEach(() => registry[Symbol.dispose]())

const device = () => registry.devices.idOf(1, 0, TOKEN) ?? 0

/** A push to the one device that there is. */
function accept(): OpenDelivery {
  const push = {
    id: Bun.randomUUIDv7(),
    notification: { msg: 'Hello', sound: null, badge: null, payload: null },
    audience: { device: device(), platform: 0 } as const,
    createdAt: registry.clock.now(),
    timeToLiveMs: HOUR_MS,
    sendAt: null,
    waves: [],
  }
  registry.database.transact(() => createPushStore(registry).accept(1, push))
  const last = registry.database.statement<{ push: number }, []>('SELECT max(number) AS push FROM push').get()
  const open = store.find(last?.push ?? 0, 0)
  if (open === null) throw new Error('the push has no delivery')
  return open
}

/** Its device is to be sent to again, in a minute; nothing of it is in memory. */
function acceptWaiting(): OpenDelivery {
  const open = accept()
  const delivery = new ActiveDelivery(open, store.recipients(open), null, badges, registry.clock)
  const task = delivery.take(registry.clock.now(), null)
  const page = task?.page ?? null
  if (task === null || page === null) throw new Error('the delivery has no recipient')
  const dueAt = registry.clock.now() + 60_000
  delivery.answer(task, { kind: 'retry', dueAt, reason: 'TooManyRequests' }, null, registry.clock.now())
  registry.database.transact(() => {
    store.address(open, 1, registry.clock.now())
    store.settlePage(open, delivery.settle(page, registry.clock.now()), registry.clock.now())
  })
  const waiting = store.find(open.push, 0)
  if (waiting === null) throw new Error('the push has no open delivery')
  return waiting
}

function loaderOf(more: Partial<DeliveryStore> = {}) {
  const again: (() => void)[] = []
  const loader = new Loader({
    application: 1,
    platform: 0,
    clock: registry.clock,
    store: { ...store, ...more },
    badges,
    mayLoad: () => true,
    lastOnDisk: () => Number.MAX_SAFE_INTEGER,
    onLoaded: () => {},
    onCounted: () => {},
    onUnreadable: (_, retry) => void again.push(retry),
  })
  return { loader, again }
}

test('a delivery that could not be read is not begun again from what was read of it, once it has ended', () => {
  const open = acceptWaiting()
  const { loader, again } = loaderOf({
    nextDue() {
      throw new Error('disk I/O error')
    },
  })
  loader.load()
  expect([loader.size, again.length, loader.expects]).toEqual([0, 1, true])
  registry.database.transact(() => store.cancel(open, registry.clock.now()))
  for (const retry of again.splice(0)) retry()
  expect([loader.size, again.length]).toEqual([0, 0])
})

test('a delivery that waits is put away once, though it stood in line', async () => {
  const open = acceptWaiting()
  const { clock, database } = registry
  let waits = 0
  const writer = new SettlementWriter({
    clock,
    store,
    persist: async (operation) => database.transact(operation as () => never),
    registry: { apply: () => {} },
    application: 1,
    platform: 0,
    isGood: () => true,
    events: { pushFinished: () => {} },
    onRetries: () => {},
    onWritten: () => {},
    onWaiting: () => waits++,
    onFinished: () => {},
  })
  const delivery = new ActiveDelivery(open, store.recipients(open), store.nextDue(open), badges, registry.clock)
  expect(delivery.take(clock.now(), null)).toBe(null)
  for (let n = 0; n < 3; n++) {
    writer.finishOrPark(delivery)
    await writer.written()
    await Promise.resolve()
  }
  expect(waits).toBe(1)
})

test('a push of which nobody is sent to, though they are taken and put back, is not given up', () => {
  const delivery = new ActiveDelivery(accept(), store.recipients(accept()), null, badges, registry.clock)
  for (let n = 0; n < 200; n++) {
    const task = delivery.take(registry.clock.now(), null)
    expect([n, task?.recipient.device]).toEqual([n, device()])
    if (task !== null) delivery.requeue(task)
  }
})

test('what is accepted while more waits than there are places for has the ends looked for no oftener than each tick', () => {
  registry.database.transact(() => {
    for (let n = 0; n < 600; n++) store.address(accept(), 1, registry.clock.now())
  })
  let looks = 0
  const { loader } = loaderOf({
    expiring(...which) {
      looks++
      return store.expiring(...which)
    },
  })
  loader.load()
  for (let n = 0; n < 100; n++) loader.wake(null)
  expect(looks).toBe(1)
  registry.clock.advance(250)
  for (let n = 0; n < 100; n++) loader.wake(null)
  expect(looks).toBe(2)
})

test('a delivery is not put away while it is written down that the device is gone for which it was loaded', async () => {
  const { clock, database } = registry
  registry.devices.register(1, { token: OTHER, platform: 0 })
  const open = acceptWaiting()
  const later = clock.now() + HOUR_MS / 2
  database
    .statement<never, [number, number, number]>(
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
       VALUES (?, 0, ?, 'retry', 1, ?, 'TooManyRequests')`,
    )
    .run(open.push, registry.devices.idOf(1, 0, OTHER) ?? 0, later)
  database.transact(() =>
    registry.devices.quarantine(device(), { since: clock.now(), now: clock.now(), reason: 'BadDeviceToken' }),
  )
  clock.advance(60_000)
  const now = clock.now()
  const waiting = store.find(open.push, 0)
  if (waiting === null) throw new Error('it is over')
  const delivery = new ActiveDelivery(
    waiting,
    store.recipients(waiting),
    store.nextDue(waiting),
    badges,
    registry.clock,
  )
  expect(delivery.take(now, null)).toBe(null)
  const waits: boolean[] = []
  const backlog = new Backlog({
    application: 1,
    platform: 0,
    clock,
    log: { error: () => {} },
    random: () => 0.5,
    store,
    badges,
    mayLoad: () => false,
    lastOnDisk: () => Number.MAX_SAFE_INTEGER,
    persist: async (operation) => database.transact(operation as () => never),
    onMore: () => waits.push(delivery.onlyWaits(now)),
    onCounted: () => {},
    onTime: () => {},
  })
  expect(await backlog.leaseDue(delivery, now)).toHaveLength(1)
  expect(waits).toEqual([false])
  expect(delivery.retries).toBe(2)
})

test('an index that cannot be read is tried again once at a time, and holds up no other lane', () => {
  registry.database.transact(() => store.address(accept(), 1, registry.clock.now()))
  let looks = 0
  const { loader, again } = loaderOf({
    open(application, platform, lane, after, limit) {
      if (lane === 'single') return store.open(application, platform, lane, after, limit)
      looks++
      throw new Error('database disk image is malformed')
    },
  })
  for (let tick = 0; tick < 10; tick++) loader.load()
  expect([looks, again.length, loader.size]).toEqual([1, 1, 1])
  for (const retry of again.splice(0)) retry()
  expect([looks, again.length]).toEqual([2, 1])
})
