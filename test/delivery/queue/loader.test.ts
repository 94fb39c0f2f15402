import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createLoader } from '../../../src/delivery/queue/loader.ts'
import { createReadGuard } from '../../../src/delivery/queue/read-guard.ts'
import { createDeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { DeliveryStore } from '../../../src/delivery/store/delivery-store.ts'
import type { OpenDelivery } from '../../../src/delivery/store/open-delivery.ts'
import { REMOVED } from '../../../src/delivery/verdict.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { openOutbox } from '../../support/outbox.ts'
import { openRegistry } from '../../support/registry.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const READ_AGAIN_MS = 10_000

const EVERYTHING = { mayLoad: () => true, lastOnDisk: () => Number.MAX_SAFE_INTEGER }

const TOKEN = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)

let registry: ReturnType<typeof openRegistry>
let store: DeliveryStore

beforeEach(() => {
  registry = openRegistry()
  registry.devices.register(1, { token: TOKEN, platform: 0 })
  store = createDeliveryStore(registry)
})
afterEach(() => registry[Symbol.dispose]())

const device = () => registry.devices.idOf(1, 0, TOKEN) ?? 0

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

/** Their devices are due again in a minute; nothing is in memory. */
function acceptWaiting(devices: readonly number[] = [device()]): OpenDelivery {
  const open = accept()
  const { clock, database } = registry
  const [now, dueAt] = [clock.now(), clock.now() + MINUTE_MS]
  const waits = { state: 'retry', attempt: 1, dueAt, badge: null, reason: 'TooManyRequests', language: null } as const
  const size = devices.length
  database.transact(() =>
    store.settle(open, {
      progress: open.ceiling,
      ahead: [],
      addressed: size,
      size,
      accepted: 0,
      acceptedIn: new Map(),
      results: devices.map((device) => ({ device, ...waits })),
      dropped: [],
      startedAt: now,
      settledAt: now,
      finished: false,
      recipients: size,
      findings: [],
      acceptedWith: new Map(),
    }),
  )
  const waiting = store.find(open.push, 0)
  if (waiting === null) throw new Error('the push has no open delivery')
  return waiting
}

function acceptCounted(count: number): void {
  const counted = registry.database.statement('UPDATE delivery SET addressed = 1')
  registry.database.transact(() => {
    for (let n = 0; n < count; n++) accept()
    counted.run()
  })
}

function loaderOf(overrides: Partial<DeliveryStore> = {}) {
  const told: string[] = []
  const { clock } = registry
  const guard = createReadGuard(clock, { error: (_, fields) => void told.push(String(fields?.['error'])) })
  const context = { application: 1, platform: 0, clock, store: { ...store, ...overrides }, ...EVERYTHING } as const
  return { loader: createLoader(context, guard), told }
}

test('a delivery that could not be read is not begun again from what was read of it, once it has ended', () => {
  const open = acceptWaiting()
  let isDamaged = true
  const { loader, told } = loaderOf({
    nextDue(key) {
      if (isDamaged) throw new Error('disk I/O error')
      return store.nextDue(key)
    },
  })
  expect(loader.load()).toEqual([])
  expect([loader.size, told, loader.expects]).toEqual([0, [expect.stringContaining('disk I/O error')], true])
  registry.database.transact(() => store.cancel(open, registry.clock.now()))
  isDamaged = false
  registry.clock.advance(READ_AGAIN_MS)
  expect(loader.load()).toEqual([])
  expect([loader.size, told.length, loader.expects]).toEqual([0, 1, false])
})

test('a delivery that could not be read is begun when it can be, and told of once in ten seconds', () => {
  const open = acceptWaiting()
  let isDamaged = true
  const { loader, told } = loaderOf({
    nextDue(key) {
      if (isDamaged) throw new Error('disk I/O error')
      return store.nextDue(key)
    },
  })
  for (let tick = 0; tick < 10; tick++) loader.load()
  expect([loader.size, told.length]).toEqual([0, 1])
  registry.clock.advance(READ_AGAIN_MS)
  loader.load()
  expect([loader.size, told.length]).toEqual([0, 2])
  isDamaged = false
  registry.clock.advance(READ_AGAIN_MS)
  expect(loader.load().map(({ record }) => record.push)).toEqual([open.push])
  expect(loader.load()).toEqual([])
})

test('a delivery that waits is put away once, though it stood in line', async () => {
  const open = acceptWaiting()
  const { clock } = registry
  let waits = 0
  const { outbox, quiet } = openOutbox(registry, {
    store: {
      ...store,
      wait(key) {
        waits++
        return store.wait(key)
      },
    },
  })
  outbox.wake(null)
  for (let n = 0; n < 3; n++) {
    expect(outbox.take(clock.now(), null)).toBe(null)
    outbox.tick(false)
    await quiet()
  }
  expect(waits).toBe(1)
  expect([outbox.loaded.size, outbox.loaded.waiting(clock.now())]).toEqual([0, { pushes: 1, recipients: 1 }])
  expect(store.find(open.push, 0)?.waitsUntil).toBe(clock.now() + MINUTE_MS)
})

test('a push of which nobody is sent to, though they are taken and put back, is not given up', async () => {
  accept()
  const { outbox, quiet } = openOutbox(registry)
  outbox.wake(null)
  await quiet()
  for (let n = 0; n < 200; n++) {
    const task = outbox.take(registry.clock.now(), null)
    expect([n, task?.recipient.device]).toEqual([n, device()])
    if (task !== null) outbox.pass(task.delivery, { kind: 'put back', task, wasSent: false, reason: null })
  }
})

test('what is accepted while more waits than there are places for has the ends looked for no oftener than each tick', () => {
  acceptCounted(600)
  let looks = 0
  const { loader } = loaderOf({
    expiring(...which) {
      looks++
      return store.expiring(...which)
    },
  })
  const wake = () => {
    loader.wake(null)
    loader.load()
  }
  loader.load()
  for (let n = 0; n < 100; n++) wake()
  expect(looks).toBe(1)
  registry.clock.advance(250)
  for (let n = 0; n < 100; n++) wake()
  expect(looks).toBe(2)
})

test('a delivery is not put away while it is written down that the device is gone for which it was loaded', async () => {
  const { clock, database } = registry
  registry.devices.register(1, { token: OTHER, platform: 0 })
  const [gone, other] = [device(), registry.devices.idOf(1, 0, OTHER) ?? 0]
  const open = acceptWaiting([gone, other])
  const later = clock.now() + HOUR_MS / 2
  database.statement<never, [number, number]>('UPDATE push_exception SET due_at = ? WHERE device = ?').run(later, other)
  database.transact(() =>
    registry.devices.quarantine(gone, { since: clock.now(), now: clock.now(), reason: 'BadDeviceToken' }),
  )
  clock.advance(MINUTE_MS)
  const done: string[] = []
  const asked = Promise.withResolvers<void>()
  const disk: (() => void)[] = []
  const { outbox, quiet } = openOutbox(registry, {
    store: {
      ...store,
      settle(...which) {
        done.push('settle')
        store.settle(...which)
      },
      wait(key) {
        done.push('wait')
        return store.wait(key)
      },
    },
    async persist(operation) {
      if (done.includes('leased')) {
        asked.resolve()
        await new Promise<void>((resolve) => disk.push(resolve))
      } else done.push('leased')
      return database.transact(operation as () => never)
    },
  })
  outbox.wake(null)
  outbox.tick(false)
  let task = outbox.take(clock.now(), null)
  for (; task === null; task = outbox.take(clock.now(), null)) await Promise.resolve()
  outbox.pass(task.delivery, { kind: 'answered', task, outcome: null, verdict: REMOVED, finding: null })
  await asked.promise
  const delivery = outbox.loaded.find(open.push)
  const summary = () => delivery?.summary(clock.now())
  expect([done, delivery?.phase, summary()?.retries]).toEqual([['leased'], 'open', 1])
  disk.shift()?.()
  await outbox.written()
  expect([done, delivery?.phase]).toEqual([['leased', 'settle'], 'waiting'])
  disk.shift()?.()
  await quiet()
  expect([done, outbox.loaded.size]).toEqual([['leased', 'settle', 'wait'], 0])
  expect(store.find(open.push, 0)).toMatchObject({ waitsUntil: later, retries: 1 })
})

test('an index that cannot be read is tried again once at a time, and holds up no other queue', () => {
  acceptCounted(1)
  let looks = 0
  const { loader, told } = loaderOf({
    open(application, platform, queue, ...which) {
      if (queue === 'single') return store.open(application, platform, queue, ...which)
      looks++
      throw new Error('database disk image is malformed')
    },
  })
  for (let tick = 0; tick < 10; tick++) loader.load()
  expect([looks, told.length, loader.size]).toEqual([1, 1, 1])
  registry.clock.advance(READ_AGAIN_MS)
  for (let tick = 0; tick < 10; tick++) loader.load()
  expect([looks, told.length, loader.size]).toEqual([2, 2, 1])
})

test('a push that could not be read is still expected, so that somebody looks again', () => {
  let isDamaged = false
  const { loader } = loaderOf({
    open(...which) {
      if (isDamaged) throw new Error('database disk image is malformed')
      return store.open(...which)
    },
  })
  loader.load()
  expect([loader.size, loader.expects]).toEqual([0, false])
  const { push } = accept()
  isDamaged = true
  loader.wake(push)
  loader.load()
  expect([loader.size, loader.expects]).toEqual([0, true])
  isDamaged = false
  registry.clock.advance(READ_AGAIN_MS)
  loader.load()
  expect([loader.size, loader.expects]).toEqual([1, false])
})
