import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import { QUEUE_NUMBER } from './open-delivery.ts'
import type { DeliveryKey, Queue } from './open-delivery.ts'
import { WAITING } from './recipient-result-store.ts'

/** Open deliveries read in one step to find cancelled ones, and how many of these a step returns: a few ms. */
const CANCELLED_STEP = 2000
const MAX_CANCELLED = 100

/** Recipients, or deliveries, made due in one step: 5 ms. */
const MAKE_DUE_LIMIT = 1000

/** Deliveries whose recipients are made due in one step, unless these are too many: 2 ms. */
const MAKE_DUE_STEP = 250

/** An open delivery that is loaded at a time and not as the next of its queue. */
export interface DeliveryTime {
  /** `push.number`. */
  readonly push: number
  /** Ms of service time. */
  readonly at: number
}

/** Pushes that are not in memory, and their recipients, that wait for another attempt. */
export interface WaitingCount {
  readonly pushes: number
  readonly recipients: number
}

/** The place of an open delivery in the index `delivery_expiring`; the push tells apart what expires at one time. */
export type ExpiryKey = readonly number[]

const KEY = ['application', 'platform', 'lane', 'expires_at', 'push'].map((column) => `delivery.${column}`).join(', ')
const LAST = Number.MAX_SAFE_INTEGER

/** The keys before and behind an application's platform. */
const beforeAll = (application = -1, platform = -1): ExpiryKey => [application, platform, -1, -1, -1]
const behindAll = (application = LAST, platform = LAST): ExpiryKey => [application, platform, LAST, LAST, LAST]

/** Rows of `delivery` behind one key, up to another, both bound in this order. */
const ALONG = `finished_at IS NULL AND (${KEY}) > (?, ?, ?, ?, ?) AND (${KEY}) <= (?, ?, ?, ?, ?)`

/** Open deliveries may be few among many finished ones. */
const BY_END = 'INDEXED BY delivery_expiring'

/** Open deliveries by time: when the first of their waiting recipients is due, and when they expire. Service time. */
export function createWaitingStore({ database }: { database: Pick<Database, 'statement'> }) {
  // Not later than its time to live: then the delivery ends.
  const wait = database.statement<{ waits_until: number }, [number, Platform]>(
    `UPDATE delivery SET waits_until = min(expires_at, coalesce(
       (SELECT min(due_at) FROM push_exception e
        WHERE e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING}), expires_at))
     WHERE push = ? AND platform = ? AND finished_at IS NULL RETURNING waits_until`,
  )
  const count = database.statement<WaitingCount, [number, Platform]>(
    `SELECT count(*) AS pushes, coalesce(sum(settled - accepted - failed), 0) AS recipients FROM delivery
     WHERE application = ? AND platform = ? AND finished_at IS NULL AND waits_until IS NOT NULL`,
  )
  const makeDue = database.statement<never, [now: number, number, Platform]>(
    `UPDATE delivery SET waits_until = ?1 WHERE (push, platform) IN (
       SELECT push, platform FROM delivery WHERE application = ?2 AND platform = ?3 AND lane IN (0, 1)
         AND finished_at IS NULL AND waits_until > ?1 LIMIT ${MAKE_DUE_LIMIT})`,
  )
  const makeRecipientsDue = database.statement<never, number[]>(
    `UPDATE push_exception SET due_at = ?1 WHERE (push, platform, device) IN (
       SELECT e.push, e.platform, e.device FROM delivery ${BY_END} CROSS JOIN push_exception e
         ON e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING} AND e.due_at > ?1
       WHERE ${ALONG} AND e.state = 'retry' LIMIT ${MAKE_DUE_LIMIT})`,
  )
  const cancelled = database.statement<DeliveryKey & { place: string }, number[]>(
    `SELECT push, platform, application, json_array(${KEY}) AS place FROM delivery ${BY_END}
     WHERE ${ALONG} AND EXISTS (SELECT 1 FROM push p WHERE p.number = delivery.push AND p.cancelled_at IS NOT NULL)
     ORDER BY ${KEY} LIMIT ${MAX_CANCELLED}`,
  )
  const makeDueStep = stepOf(MAKE_DUE_STEP)
  const cancelledStep = stepOf(CANCELLED_STEP)

  /** Where a step of `size` open deliveries behind `from` ends; `null` if all up to `end` are in it. */
  function stepOf(size: number) {
    const next = database.statement<Record<string, number>, number[]>(
      `SELECT ${KEY} FROM delivery ${BY_END} WHERE ${ALONG} ORDER BY ${KEY} LIMIT 1 OFFSET ${size - 1}`,
    )
    return (from: ExpiryKey, end: ExpiryKey): ExpiryKey | null => {
      const row = next.get(...from, ...end)
      return row === null ? null : Object.values(row)
    }
  }

  /** Up to `limit` open deliveries of a queue, the one with the earliest time first. */
  function byTime(column: 'waits_until' | 'expires_at') {
    const statement = database.statement<DeliveryTime, [number, Platform, lane: 0 | 1, limit: number]>(
      `SELECT d.push, d.${column} AS at FROM delivery d CROSS JOIN push p ON p.number = d.push
       WHERE d.application = ? AND d.platform = ? AND d.lane = ? AND d.finished_at IS NULL
         AND d.${column} IS NOT NULL AND p.cancelled_at IS NULL
       ORDER BY d.${column} LIMIT ?`,
    )
    return (application: number, platform: Platform, queue: Queue, limit: number): DeliveryTime[] =>
      statement.all(application, platform, QUEUE_NUMBER[queue], limit)
  }

  return {
    due: byTime('waits_until'),
    expiring: byTime('expires_at'),

    /** A delivery leaves memory and waits on disk; returns until when, `null` if it has ended. */
    wait: ({ push, platform }: DeliveryKey): number | null => wait.get(push, platform)?.waits_until ?? null,

    /** Deliveries that wait on disk: 2 µs each. */
    waiting: (application: number, platform: Platform): WaitingCount =>
      count.get(application, platform) ?? { pushes: 0, recipients: 0 },

    /**
     * Makes some of an application's waiting recipients on one platform due, with their deliveries. `from`, and the
     * result: behind which delivery there may be more; `null`: at the beginning, and at the end.
     */
    makeDue(application: number, platform: Platform, now: number, from: ExpiryKey | null): ExpiryKey | null {
      const [start, end] = [from ?? beforeAll(application, platform), behindAll(application, platform)]
      const next = makeDueStep(start, end)
      const { changes } = makeRecipientsDue.run(now, ...start, ...(next ?? end))
      const hasMore = makeDue.run(now, application, platform).changes === MAKE_DUE_LIMIT
      if (changes === MAKE_DUE_LIMIT) return start
      return next ?? (hasMore ? end : null)
    },

    /**
     * Some unfinished deliveries of cancelled pushes behind `from`, which only a crash leaves behind; `null`: from the
     * beginning. `next`: behind which there may be more, `null` if there are none; `from`: to read the same again.
     */
    cancelled(from: ExpiryKey | null): { found: DeliveryKey[]; from: ExpiryKey; next: ExpiryKey | null } {
      const [start, end] = [from ?? beforeAll(), behindAll()]
      const next = cancelledStep(start, end)
      const rows = cancelled.all(...start, ...(next ?? end))
      const last = rows.at(MAX_CANCELLED - 1)
      const found = rows.map(({ push, platform, application }) => ({ push, platform, application }))
      return { found, from: start, next: last === undefined ? next : (JSON.parse(last.place) as ExpiryKey) }
    },
  }
}
