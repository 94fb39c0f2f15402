import { describe, expect, test } from 'bun:test'
import { createLedger } from '../../src/delivery/ledger.ts'
import { Delivery } from '../../src/delivery/open/delivery.ts'
import { createDeliveryStore } from '../../src/delivery/store/delivery-store.ts'
import type { AbortReason } from '../../src/delivery/store/open-delivery.ts'
import { EVERYBODY } from '../audience/population.ts'
import { EVENTS, REGISTRY } from '../support/outbox.ts'
import { openRegistry } from '../support/registry.ts'

const TOKEN = 'b2'.repeat(32)
const HOUR_MS = 3_600_000

describe('a push for which 750 devices wait', () => {
  const WAITING = 750
  const NOTIFICATION = '{"msg":"Hello","sound":null,"badge":null,"payload":null}'

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

  /** A loaded delivery, its ledger, and what that reported after how many writes. */
  function open(world: ReturnType<typeof start>) {
    const { store, clock, written } = world
    const [record] = store.open(1, 0, 'many', 0, Number.MAX_SAFE_INTEGER, 1)
    if (record === undefined) throw new Error('the push has no delivery')
    const told: number[] = []
    const persist = <T>(operation: () => T) => Promise.resolve(world.transact(operation))
    const events = { ...EVENTS, pushFinished: () => void told.push(written.length) }
    const context = { application: 1, platform: 0, clock, store, persist, registry: REGISTRY, events } as const
    const ledger = createLedger(context, () => ({ number: 0, isGood: true }))
    const delivery = new Delivery(record, clock, store.recipients(record), store.nextDue(record))
    return {
      delivery,
      told,
      write: async () => {
        const writes = delivery.takeEffects().filter((effect) => effect.kind === 'write')
        await Promise.all(writes.map(({ settlement }) => ledger.write(delivery, settlement)))
      },
    }
  }

  const aborted = (reason: AbortReason, refused: string | null = null) =>
    ({ kind: 'aborted', reason, refused }) as const

  test.each([
    ['expires', aborted('expired'), 'expired', 'ServiceUnavailable'],
    ['is cancelled', aborted('cancelled'), 'expired', 'cancelled'],
    ['is refused', aborted('refused', 'PayloadTooLarge'), 'rejected', 'PayloadTooLarge'],
  ])('ends in steps where it %s, and says so once, with the last', async (_, event, state, reason) => {
    using world = start()
    const { written, clock } = world
    const { delivery, told, write } = open(world)
    delivery.on(event, clock.now())
    await write()
    expect(world.delivery()).toEqual(END)
    expect(world.results()).toEqual([{ state, reason, n: WAITING }])
    // The answers, which are none; then the rows of a step and its delivery.
    expect(written.slice(1, 4)).toEqual([301, 301, 151])
    expect(written[0]).toBe(1)
    expect(written[4]).toBeWithin(1, 3)
    expect([told, written.length]).toEqual([[4], 5])
  })

  test('ends with the answer to one of them, who counts once', async () => {
    using world = start()
    const { store, clock, database, devices } = world
    devices.register(1, { token: TOKEN, platform: 0 })
    database.statement(`UPDATE push_exception SET due_at = 0 WHERE device = ${devices.idOf(1, 0, TOKEN)}`).run()
    const { delivery, told, write } = open(world)
    const now = clock.now()
    delivery.on({ kind: 'tick', isPaused: false }, now)
    expect(delivery.takeEffects()).toEqual([{ kind: 'lease due', limit: 500 }])
    const due = store.takeDue(delivery.record, now, now + HOUR_MS, 500)
    delivery.on({ kind: 'due leased', due, next: store.nextDue(delivery.record) }, now)
    const task = delivery.take(now, null)
    if (task === null) throw new Error('nobody is due')
    delivery.on(aborted('cancelled'), now)
    expect([delivery.phase, delivery.takeEffects()]).toEqual(['aborted', []])
    const verdict = { kind: 'accepted', credential: null } as const
    const outcome = { kind: 'accepted' } as const
    delivery.on({ kind: 'answered', task, outcome, verdict, finding: null }, now)
    await write()
    expect(world.delivery()).toEqual({ accepted: 2, failed: WAITING - 1, removed: 0, over: 1 })
    expect([delivery.phase, told.length]).toEqual(['over', 1])
  })

  test('has failed, at its end, for those whom the count has found just before', async () => {
    using world = start()
    const { delivery, write } = open(world)
    const now = world.clock.now()
    delivery.on({ kind: 'counted', count: WAITING + 4 }, now)
    delivery.on(aborted('cancelled'), now)
    await write()
    expect(world.delivery()).toEqual({ accepted: 1, failed: WAITING + 3, removed: 0, over: 1 })
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
