import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import type { WallClock } from '../../time/service-clock.ts'
import { NO_ANSWER, QUEUE_NUMBER } from './open-delivery.ts'
import type { DeliveryEnd, DeliveryKey, DueRecipient, Queue, RecipientResult } from './open-delivery.ts'
import { someResults } from './some-rows.ts'

/** Results waiting for another attempt, as the index `push_exception_due` has it. */
export const WAITING = `state IN ('retry', 'leased')`

/** Rows in one step, which takes 2 to 10 ms. */
const END_LEASES_LIMIT = 250
const CANCELLED_STEP = 2000
const MAX_CANCELLED = 100
const MAKE_DUE_LIMIT = 1000
const MAKE_DUE_STEP = 250

export interface WaitingCount {
  readonly pushes: number
  readonly recipients: number
}

/** The place of an open delivery in the index `delivery_expiring`; the push tells apart what expires at one time. */
export type ExpiryKey = readonly number[]

const KEY = ['application', 'platform', 'lane', 'expires_at', 'push'].map((column) => `delivery.${column}`).join(', ')
const LAST = Number.MAX_SAFE_INTEGER

const beforeAll = (application = -1, platform = -1): ExpiryKey => [application, platform, -1, -1, -1]
const behindAll = (application = LAST, platform = LAST): ExpiryKey => [application, platform, LAST, LAST, LAST]

/** Rows after one key, up to another. */
const ALONG = `finished_at IS NULL AND (${KEY}) > (?, ?, ?, ?, ?) AND (${KEY}) <= (?, ?, ?, ?, ?)`

/** What a crash leaves leased may have arrived. */
const AGAIN = `state = 'retry', due_at = ?1, reason = '${NO_ANSWER}'`

const BY_END = 'INDEXED BY delivery_expiring'

/**
 * Recipients that were not simply accepted, and open deliveries by when they are due or expire. Due times are service
 * time, until a result is final: then time of day.
 */
export function createWaitingStore(database: Pick<Database, 'statement'>, clock: WallClock) {
  type Put = [number, Platform, number, string, attempt: number, dueAt: number, number | null, string, string | null]
  const waiting = `push = ? AND platform = ? AND ${WAITING}`
  const put = database.statement<never, Put>(
    `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, badge, reason, language)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at,
       reason = excluded.reason, language = excluded.language`,
  )
  const drop = database.statement<never, [number, Platform, device: number]>(
    'DELETE FROM push_exception WHERE push = ? AND platform = ? AND device = ?',
  )
  const lease = database.statement<DueRecipient, [leaseUntil: number, number, Platform, now: number, limit: number]>(
    `UPDATE push_exception SET state = 'leased', due_at = ?
     ${someResults(`${waiting} AND state = 'retry' AND due_at <= ? ORDER BY due_at`)}
     RETURNING device, attempt, badge, language, reason`,
  )
  const nextDue = database.statement<{ due_at: number | null }, [number, Platform]>(
    `SELECT min(due_at) AS due_at FROM push_exception WHERE ${waiting} AND state = 'retry'`,
  )
  const endLeases = database.statement<never, [now: number, limit: number]>(
    `UPDATE push_exception SET ${AGAIN}
     ${someResults("state = 'leased'", 'INDEXED BY push_exception_leased')}`,
  )
  const endLeasesOf = database.statement<never, [now: number, application: number]>(
    `UPDATE push_exception SET ${AGAIN} WHERE (push, platform, device) IN (
       SELECT e.push, e.platform, e.device FROM push_exception e INDEXED BY push_exception_leased
         CROSS JOIN push p ON p.number = e.push AND p.application = ?2
       WHERE e.state = 'leased' LIMIT ${END_LEASES_LIMIT})`,
  )
  type End = [state: string, reason: string | null, at: number, number, Platform, limit: number]
  const end = database.statement<never, End>(
    `UPDATE push_exception SET state = ?,
       reason = iif(reason = '${NO_ANSWER}', reason, coalesce(?, reason)), due_at = ? ${someResults(waiting)}`,
  )

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

  /** Where a step of `size` deliveries ends; `null` if it reaches `end`. */
  function stepOf(size: number) {
    const next = database.statement<Record<string, number>, number[]>(
      `SELECT ${KEY} FROM delivery ${BY_END} WHERE ${ALONG} ORDER BY ${KEY} LIMIT 1 OFFSET ${size - 1}`,
    )
    return (from: ExpiryKey, end: ExpiryKey): ExpiryKey | null => {
      const row = next.get(...from, ...end)
      return row === null ? null : Object.values(row)
    }
  }

  function byTime(column: 'waits_until' | 'expires_at') {
    const statement = database.statement<{ push: number; at: number }, [number, Platform, lane: 0 | 1, limit: number]>(
      `SELECT d.push, d.${column} AS at FROM delivery d CROSS JOIN push p ON p.number = d.push
       WHERE d.application = ? AND d.platform = ? AND d.lane = ? AND d.finished_at IS NULL
         AND d.${column} IS NOT NULL AND p.cancelled_at IS NULL
       ORDER BY d.${column} LIMIT ?`,
    )
    return (application: number, platform: Platform, queue: Queue, limit: number) =>
      statement.all(application, platform, QUEUE_NUMBER[queue], limit)
  }

  return {
    /** Returns the number of final results. */
    write({ push, platform }: DeliveryKey, results: readonly RecipientResult[]): number {
      let failed = 0
      for (const { device, state, attempt, dueAt, badge, reason, language } of results) {
        const isOver = state !== 'retry' && state !== 'leased'
        put.run(push, platform, device, state, attempt, isOver ? clock.wallAt(dueAt) : dueAt, badge, reason, language)
        if (isOver) failed++
      }
      return failed
    },

    drop: ({ push, platform }: DeliveryKey, device: number): void => void drop.run(push, platform, device),

    /** Leases due recipients: this run takes them once, the next run makes them due again. */
    takeDue: ({ push, platform }: DeliveryKey, now: number, leaseUntil: number, limit: number): DueRecipient[] =>
      lease.all(leaseUntil, push, platform, now, limit),

    nextDue: ({ push, platform }: DeliveryKey): number | null => nextDue.get(push, platform)?.due_at ?? null,

    /** Makes some of the last run's leases due; returns whether there may be more. */
    endLeases: (now: number): boolean => endLeases.run(now, END_LEASES_LIMIT).changes === END_LEASES_LIMIT,

    endLeasesOf: (application: number, now: number): boolean =>
      endLeasesOf.run(now, application).changes === END_LEASES_LIMIT,

    /** Ends up to `limit` waiting recipients, as their delivery ends; returns how many. */
    endWaiting(key: DeliveryKey, { refused, abortReason }: DeliveryEnd, now: number, limit = -1): number {
      const state = refused === null ? 'expired' : 'rejected'
      const reason = refused ?? (abortReason === 'cancelled' ? abortReason : null)
      return end.run(state, reason, clock.wallAt(now), key.push, key.platform, limit).changes
    },

    due: byTime('waits_until'),
    expiring: byTime('expires_at'),

    /** Until when it waits; `null` if it has ended. */
    wait: ({ push, platform }: DeliveryKey): number | null => wait.get(push, platform)?.waits_until ?? null,

    waiting: (application: number, platform: Platform): WaitingCount =>
      count.get(application, platform) ?? { pushes: 0, recipients: 0 },

    /** Makes some waiting recipients due, with their deliveries. Returns after which delivery there may be more. */
    makeDue(application: number, platform: Platform, now: number, from: ExpiryKey | null): ExpiryKey | null {
      const [start, end] = [from ?? beforeAll(application, platform), behindAll(application, platform)]
      const next = makeDueStep(start, end)
      const { changes } = makeRecipientsDue.run(now, ...start, ...(next ?? end))
      const hasMore = makeDue.run(now, application, platform).changes === MAKE_DUE_LIMIT
      if (changes === MAKE_DUE_LIMIT) return start
      return next ?? (hasMore ? end : null)
    },

    /**
     * Some unfinished deliveries of cancelled pushes, which only a crash leaves behind. `next`: after which there may
     * be more; `from`: to read the same again.
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
