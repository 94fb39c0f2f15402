import { describe, expect, test } from 'bun:test'
import { ActiveDelivery } from '../../src/delivery/active-delivery.ts'
import { SettlementWriter } from '../../src/delivery/settlement-writer.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import { EVERYBODY } from '../audience/population.ts'
import { openRegistry } from '../support/registry.ts'
import { storedBadges } from '../support/stored-badges.ts'

const HOUR_MS = 3_600_000

describe('a push for which 750 devices wait', () => {
  const WAITING = 750
  const NOTIFICATION = '{"msg":"Hello","sound":null,"badge":null,"payload":null}'

  /** With one that was accepted, and what has changed in each transaction. */
  function start() {
    const registry = openRegistry()
    const { database, clock } = registry
    const now = clock.now()
    for (const sql of [
      `INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
       VALUES ('p', 1, '${NOTIFICATION}', '${JSON.stringify({ filter: EVERYBODY })}', 0, ${now}, ${now + HOUR_MS})`,
      `INSERT INTO delivery (push, platform, application, lane, addressed, settled, accepted, expires_at)
       VALUES (1, 0, 1, 1, ${WAITING + 1}, ${WAITING + 1}, 1, ${now + HOUR_MS})`,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${WAITING})
       INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason)
       SELECT 1, 0, i, 'retry', 1, ${now + HOUR_MS}, 'ServiceUnavailable' FROM n`,
    ]) {
      database.statement(sql).run()
    }
    const changes = database.statement<{ n: number }, []>('SELECT total_changes() AS n')
    const written: number[] = []
    const store = createDeliveryStore({ database, clock })
    return {
      ...registry,
      store,
      written,
      transact<T>(operation: () => T): T {
        const before = changes.get()?.n ?? 0
        const result = database.transact(operation as () => never) as T
        written.push((changes.get()?.n ?? 0) - before)
        return result
      },
      delivery: () =>
        database
          .statement<Record<string, number>, []>(
            'SELECT accepted, failed, removed, finished_at IS NOT NULL AS over FROM delivery',
          )
          .get(),
      results: () =>
        database
          .statement<object, []>('SELECT state, reason, count(*) AS n FROM push_exception GROUP BY state, reason')
          .all(),
    }
  }

  const END = { accepted: 1, failed: WAITING, removed: 0, over: 1 }

  test.each([
    ['expires', (writer, delivery) => void writer.expire(delivery), 'expired', 'ServiceUnavailable'],
    ['is cancelled', (writer, delivery) => writer.cancel(delivery), 'expired', 'cancelled'],
    ['is refused', (writer, delivery) => writer.refuse(delivery, 'PayloadTooLarge'), 'rejected', 'PayloadTooLarge'],
  ] satisfies [string, (writer: SettlementWriter, delivery: ActiveDelivery) => void, string, string][])(
    'ends in steps where it %s, and says so once, with the last',
    async (_, stop, state, reason) => {
      using world = start()
      const { store, clock, written } = world
      const finished = Promise.withResolvers<void>()
      const told: number[] = []
      const writer = new SettlementWriter({
        clock,
        store,
        persist: (operation) => Promise.resolve(world.transact(operation)),
        registry: { apply: () => {} },
        application: 1,
        platform: 0,
        isGood: () => true,
        events: { pushFinished: () => void told.push(written.length) },
        onRetries: () => {},
        onWritten: () => {},
        onWaiting: () => {},
        onFinished: () => finished.resolve(),
      })
      const [open] = store.open(1, 0, 'many', { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 1)
      if (open === undefined) throw new Error('the push has no delivery')
      const delivery = new ActiveDelivery(open, store.recipients(open), null, storedBadges(world, store), clock)
      stop(writer, delivery)
      await finished.promise
      expect(world.delivery()).toEqual(END)
      expect(world.results()).toEqual([{ state, reason, n: WAITING }])
      // The rows of a step, and its delivery.
      expect(written.slice(0, 3)).toEqual([301, 301, 151])
      expect(written[3]).toBeWithin(1, 3)
      expect(told).toEqual([3])
    },
  )

  test('ends with the answer to one of them, who counts once', async () => {
    using world = start()
    const { store, clock, database, devices } = world
    devices.register(1, { token: 'b2'.repeat(32), platform: 0 })
    database
      .statement(`UPDATE push_exception SET due_at = 0 WHERE device = ${devices.idOf(1, 0, 'b2'.repeat(32))}`)
      .run()
    const finished = Promise.withResolvers<void>()
    const writer = new SettlementWriter({
      clock,
      store,
      persist: (operation) => Promise.resolve(world.transact(operation)),
      registry: { apply: () => {} },
      application: 1,
      platform: 0,
      isGood: () => true,
      events: { pushFinished: () => {} },
      onRetries: () => {},
      onWritten: () => {},
      onWaiting: () => {},
      onFinished: () => finished.resolve(),
    })
    const [open] = store.open(1, 0, 'many', { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 1)
    if (open === undefined) throw new Error('the push has no delivery')
    const delivery = new ActiveDelivery(open, store.recipients(open), 0, storedBadges(world, store), clock)
    const limit = delivery.startLease(1)
    delivery.lease({ ...store.takeDue(open, clock.now(), clock.now() + HOUR_MS, limit), next: null })
    const task = delivery.take(clock.now(), null)
    if (task === null) throw new Error('nobody is due')
    writer.cancel(delivery)
    writer.settleAlone(task, { kind: 'accepted', credential: null }, null, clock.now())
    await finished.promise
    expect(world.delivery()).toEqual({ accepted: 2, failed: WAITING - 1, removed: 0, over: 1 })
  })

  test('ends in steps where it is not in memory, its numbers right after each', () => {
    using world = start()
    const { store, clock } = world
    const step = () => world.transact(() => store.cancel({ push: 1, platform: 0, application: 1 }, clock.now()))
    expect(step()).toBe('more')
    expect(world.delivery()).toEqual({ accepted: 1, failed: 300, removed: 0, over: 0 })
    expect(step()).toBe('more')
    expect(step()).toBe('ended')
    expect(world.delivery()).toEqual(END)
    expect(world.results()).toEqual([{ state: 'expired', reason: 'cancelled', n: WAITING }])
    expect(step()).toBe('over')
    expect(Math.max(...world.written)).toBe(301)
  })
})
