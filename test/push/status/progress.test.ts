import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createCancelStore } from '../../../src/push/cancel-store.ts'
import { createFinishedStore } from '../../../src/push/finished-store.ts'
import { createPushStore } from '../../../src/push/push-store.ts'
import { createProgressStore } from '../../../src/push/status/progress-store.ts'
import { pushStatusOf } from '../../../src/push/status/status-answer.ts'
import { createStatusStore } from '../../../src/push/status/status-store.ts'
import { totalOf } from '../../../src/push/status/status.ts'
import type { FinishedPush } from '../../../src/webhook/event-store.ts'
import { openRegistry } from '../../support/registry.ts'

interface Delivery {
  /** 0: the push itself; 1 and 2: its waves. */
  readonly wave: 0 | 1 | 2
  readonly platform: 0 | 1
  readonly addressed: number | null
  readonly settled: number
  readonly accepted: number
  readonly failed: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

const few = fc.nat({ max: 9 })
const DELIVERIES = fc.uniqueArray(
  fc.record<Delivery>({
    wave: fc.constantFrom(0, 1, 2),
    platform: fc.constantFrom(0, 1),
    addressed: fc.option(few),
    settled: few,
    accepted: few,
    failed: few,
    startedAt: fc.option(fc.nat()),
    finishedAt: fc.option(fc.nat()),
  }),
  { selector: ({ wave, platform }) => `${wave} ${platform}` },
)

const sum = (deliveries: readonly Delivery[], count: (one: Delivery) => number) =>
  deliveries.reduce((all, one) => all + count(one), 0)
const leftOf = (one: Delivery, done: number) =>
  one.finishedAt === null ? Math.max(done - one.accepted - one.failed, 0) : 0

/** How far deliveries are, written a second time: without a database. */
function expected(deliveries: readonly Delivery[]) {
  return {
    t: sum(deliveries, ({ addressed }) => addressed ?? 0),
    s: sum(deliveries, ({ accepted }) => accepted),
    failed: sum(deliveries, ({ failed }) => failed),
    waiting: sum(deliveries, (one) => leftOf(one, one.addressed ?? 0)),
  }
}

test('status, list, webhook, cancellation and admin API agree on how far a push is, whatever its deliveries', () => {
  using registry = openRegistry()
  const { database } = registry
  // Nothing here need survive a power cut.
  database.syncByHand()
  const pushes = createPushStore({ database })
  const told: FinishedPush[] = []
  const events = {
    isWanted: () => true,
    pushFinished: (_application: number, push: FinishedPush) => void told.push(push),
  }
  const statuses = createStatusStore({ database })
  const finished = createFinishedStore({ database, events })
  const cancellations = createCancelStore({ database })
  const progress = createProgressStore((sql) => database.reading(sql))
  const release = database.statement<never, [number]>('UPDATE push SET released_at = 5 WHERE number >= ?')
  const clear = database.statement<never, []>('DELETE FROM delivery')
  const insert = database.statement<never, (number | null)[]>(
    `INSERT INTO delivery (push, platform, application, lane, addressed, settled, accepted, failed, started_at, finished_at)
     VALUES (?, ?, 1, 1, ?, ?, ?, ?, ?, ?)`,
  )
  let made = 0

  fc.assert(
    fc.property(DELIVERIES, (deliveries) => {
      const id = `push ${++made}`
      const number = pushes.accept(1, {
        id,
        notification: { msg: 'Hello', sound: null, badge: null, payload: null },
        audience: { device: 1, platform: 0 },
        createdAt: 1,
        timeToLiveMs: 1000,
        sendAt: 2,
        waves: [3, 4].map((sendAt) => ({ id: `${id}, wave ${sendAt}`, sendAt })),
      })
      release.run(number)
      clear.run()
      for (const { wave, platform, addressed, settled, accepted, failed, startedAt, finishedAt } of deliveries) {
        insert.run(number + wave, platform, addressed, settled, accepted, failed, startedAt, finishedAt)
      }
      const right = expected(deliveries)
      const { t, s, failed, waiting } = right
      const starts = deliveries.flatMap(({ startedAt }) => startedAt ?? [])
      const ends = deliveries.flatMap(({ finishedAt }) => finishedAt ?? [])
      const isOpen = ends.length < deliveries.length

      const reach = statuses.reach(number)
      for (const one of reach) {
        const part = deliveries.filter(({ platform }) => platform === one.platform)
        const retrying = sum(part, (each) => leftOf(each, each.settled))
        expect(one).toMatchObject({ ...expected(part), retrying, open: part.some((each) => each.finishedAt === null) })
      }
      expect(totalOf(reach)).toEqual(right)
      expect(progress.named(id)).toEqual({ application: 1, platforms: reach })

      const push = statuses.find(1, id)
      expect(push && pushStatusOf(statuses.factsOf(push), () => null, 9)).toMatchObject({
        t,
        s,
        failed: { total: failed },
        waiting,
      })

      finished.tell({ push: number + 2, application: 1 }, 9)
      const over = { id, t, s, failed, started: starts.length === 0 ? 5 : Math.min(...starts) }
      const event = { ...over, cancelled: false, refused: null, finished: ends.length === 0 ? 9 : Math.max(...ends) }
      expect(told.splice(0)).toEqual(isOpen ? [] : [event])

      expect(cancellations.cancel(1, id, 9)).toMatchObject({ kind: isOpen ? 'cancelled' : 'finished', t, s })
    }),
    { numRuns: 100 },
  )
})
