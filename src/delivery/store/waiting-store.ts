import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import { ALONG, beforeAll, behindAll, BY_END, createExpiryScan, KEY } from './expiry-scan.ts'
import type { ExpiryKey } from './expiry-scan.ts'
import { QUEUE_NUMBER } from './open-delivery.ts'
import type { DeliveryKey, Queue } from './open-delivery.ts'
import { MAKE_DUE_LIMIT, WAITING } from './recipient-result-store.ts'

/** Open deliveries read in one step to find cancelled ones, and how many of these a step gives: some ms. */
const CANCELLED_STEP = 2000
const MAX_CANCELLED = 100

/** An open delivery that is to be loaded at a time, and not as the next of its queue. */
export interface DeliveryTime {
  /** `push.number`. */
  readonly push: number
  /** From when on, ms of service time. */
  readonly at: number
}

/** Pushes that are not in memory, and their recipients, that wait for another attempt. */
export interface WaitingCount {
  readonly pushes: number
  readonly recipients: number
}

type QueueQuery = [application: number, platform: Platform, lane: 0 | 1, limit: number]

/**
 * Open deliveries by their times: those of which everybody who is left waits, and all of them by the end of their time
 * to live. Times are service time.
 */
export function createWaitingStore({ database }: { database: Pick<Database, 'statement'> }) {
  // Never past its time to live: then the delivery is to end.
  const park = database.statement<{ waits_until: number }, [number, Platform]>(
    `UPDATE delivery SET waits_until = min(expires_at, coalesce(
       (SELECT min(due_at) FROM push_exception e
        WHERE e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING}), expires_at))
     WHERE push = ? AND platform = ? AND finished_at IS NULL RETURNING waits_until`,
  )
  const byTime = (column: 'waits_until' | 'expires_at') =>
    database.statement<DeliveryTime, QueueQuery>(
      `SELECT d.push, d.${column} AS at FROM delivery d CROSS JOIN push p ON p.number = d.push
       WHERE d.application = ? AND d.platform = ? AND d.lane = ? AND d.finished_at IS NULL
         AND d.${column} IS NOT NULL AND p.cancelled_at IS NULL
       ORDER BY d.${column} LIMIT ?`,
    )
  const due = byTime('waits_until')
  const expiring = byTime('expires_at')
  const count = database.statement<WaitingCount, [number, Platform]>(
    `SELECT count(*) AS pushes, coalesce(sum(settled - accepted - failed), 0) AS recipients FROM delivery
     WHERE application = ? AND platform = ? AND finished_at IS NULL AND waits_until IS NOT NULL`,
  )
  const makeDue = database.statement<never, [now: number, number, Platform, limit: number]>(
    `UPDATE delivery SET waits_until = ?1 WHERE (push, platform) IN (
       SELECT push, platform FROM delivery WHERE application = ?2 AND platform = ?3 AND lane IN (0, 1)
         AND finished_at IS NULL AND waits_until > ?1 LIMIT ?4)`,
  )

  const scan = createExpiryScan(database, CANCELLED_STEP)
  const cancelled = database.statement<DeliveryKey & { place: string }, number[]>(
    `SELECT push, platform, application, json_array(${KEY}) AS place FROM delivery ${BY_END}
     WHERE ${ALONG} AND EXISTS (SELECT 1 FROM push p WHERE p.number = delivery.push AND p.cancelled_at IS NOT NULL)
     ORDER BY ${KEY} LIMIT ${MAX_CANCELLED}`,
  )

  return {
    /**
     * Deliveries of cancelled pushes that have not ended, which only a crash leaves behind: some of them, behind `from`,
     * `null` for the beginning. `next`: behind which there may be more, `null` where there is none.
     */
    cancelled: (from: ExpiryKey | null): { found: DeliveryKey[]; next: ExpiryKey | null } => {
      const [start, end] = [from ?? beforeAll(), behindAll()]
      const next = scan(start, end)
      const rows = cancelled.all(...start, ...(next ?? end))
      const last = rows.at(MAX_CANCELLED - 1)
      const found = rows.map(({ push, platform, application }) => ({ push, platform, application }))
      return { found, next: last === undefined ? next : (JSON.parse(last.place) as ExpiryKey) }
    },

    /** Notes that a delivery leaves memory, and until when; `null` where it is over, or not there any more. */
    park: ({ push, platform }: DeliveryKey): number | null => park.get(push, platform)?.waits_until ?? null,

    /** Up to `limit` of those that wait, the first that is due first. */
    due: (application: number, platform: Platform, queue: Queue, limit: number): DeliveryTime[] =>
      due.all(application, platform, QUEUE_NUMBER[queue], limit),

    /** Up to `limit` of all that are open, the first that expires first. */
    expiring: (application: number, platform: Platform, queue: Queue, limit: number): DeliveryTime[] =>
      expiring.all(application, platform, QUEUE_NUMBER[queue], limit),

    /** Makes some of those that wait due; says whether there may be more. */
    makeDue: (application: number, platform: Platform, now: number): boolean =>
      makeDue.run(now, application, platform, MAKE_DUE_LIMIT).changes === MAKE_DUE_LIMIT,

    /** All that wait: 2 µs each. */
    count: (application: number, platform: Platform): WaitingCount =>
      count.get(application, platform) ?? { pushes: 0, recipients: 0 },
  }
}
