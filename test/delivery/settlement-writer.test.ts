import { expect, test } from 'bun:test'
import { ActiveDelivery } from '../../src/delivery/active-delivery.ts'
import { PendingBadges } from '../../src/delivery/pending-badges.ts'
import { SettlementWriter } from '../../src/delivery/settlement-writer.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import { createPushStore } from '../../src/push/push-store.ts'
import { openRegistry } from '../support/registry.ts'

const HOUR_MS = 3_600_000

test('a clock that is put back before an answer is on disk makes nobody wait for that', async () => {
  using registry = openRegistry()
  const { database, clock, devices } = registry
  devices.register(1, { token: 'a1'.repeat(32), platform: 0 })
  const device = devices.idOf(1, 0, 'a1'.repeat(32)) ?? 0
  const push = {
    id: Bun.randomUUIDv7(),
    notification: { msg: 'Hello', sound: null, badge: null, payload: null },
    audience: { device, platform: 0 } as const,
    createdAt: clock.now(),
    timeToLiveMs: HOUR_MS,
    sendAt: null,
    waves: [],
  }
  database.transact(() => createPushStore({ database }).accept(1, push))

  const store = createDeliveryStore({ database, pushes: createPushStore({ database }) })
  const disk = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const badges = new PendingBadges(store.badgeOf)
  const writer = new SettlementWriter({
    clock,
    store,
    async persist(operation) {
      await disk.promise
      return database.transact(operation as () => never)
    },
    registry: { apply: () => {}, storeBadge: () => {} },
    badges,
    events: { pushFinished: () => {} },
    onRetries: () => written.resolve(),
    onWritten: () => {},
    onWaiting: () => {},
    onFinished: () => {},
  })
  const [open] = store.open(1, 0, 'single', 0, 1)
  if (open === undefined) throw new Error('the push has no delivery')
  const delivery = new ActiveDelivery(open, store.recipients(open), null, badges)
  const task = delivery.take(clock.now(), null)
  if (task === null || task.page === null) throw new Error('the delivery has no recipient')
  const dueAt = clock.now() + 2000
  const verdict = { kind: 'retry', dueAt, reason: 'TooManyRequests' } as const
  expect(delivery.answer(task, verdict, null, clock.now())).toBe(true)
  writer.settlePage(delivery, task.page)

  clock.set(clock.now() - HOUR_MS)
  writer.shift(HOUR_MS)
  disk.resolve()
  await written.promise
  expect(store.nextDue(open)).toBe(dueAt - HOUR_MS)
  expect(delivery.nextDueAt).toBe(dueAt - HOUR_MS)
})
