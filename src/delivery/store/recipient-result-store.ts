import type { Database } from '../../database/database.ts'
import type { Platform } from '../../device/device.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import type { DeliveryEnd, DeliveryKey, DueRecipient, RecipientResult } from './open-delivery.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly clock: Pick<ServiceClock, 'wallAt'>
}

/** Results waiting for another attempt, as the index `push_exception_due` has it. */
export const WAITING = `state IN ('retry', 'leased')`

/** Leases ended in one step: 10 ms. */
const END_LEASES_LIMIT = 250

/** SQLite's LIMIT for all rows. */
const ALL = -1

/**
 * Recipients that were not simply accepted, and when each is due again. Due times are service time; the row of a
 * recipient that is finished has the time of day.
 */
export function createRecipientResultStore({ database, clock }: Dependencies) {
  type Put = [number, Platform, number, string, attempt: number, dueAt: number, number | null, string, string | null]
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
    `UPDATE push_exception SET state = 'leased', due_at = ? WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push = ? AND platform = ? AND ${WAITING} AND state = 'retry' AND due_at <= ? ORDER BY due_at LIMIT ?)
     RETURNING device, attempt, badge, language, reason`,
  )
  const nextDue = database.statement<{ due_at: number | null }, [number, Platform]>(
    `SELECT min(due_at) AS due_at FROM push_exception WHERE push = ? AND platform = ? AND ${WAITING} AND state = 'retry'`,
  )
  const endLeases = database.statement<never, [now: number, limit: number]>(
    `UPDATE push_exception SET state = 'retry', due_at = ? WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception INDEXED BY push_exception_leased
       WHERE state = 'leased' LIMIT ?)`,
  )
  type End = [state: string, reason: string | null, at: number, number, Platform, limit: number]
  const end = database.statement<never, End>(
    `UPDATE push_exception SET state = ?, reason = coalesce(?, reason), due_at = ?
     WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? AND platform = ? AND ${WAITING} LIMIT ?)`,
  )

  return {
    /** Returns how many of them are finished. */
    write({ push, platform }: DeliveryKey, results: readonly RecipientResult[]): number {
      let failed = 0
      for (const { device, state, attempt, dueAt, badge, reason, language } of results) {
        const isOver = state !== 'retry' && state !== 'leased'
        put.run(push, platform, device, state, attempt, isOver ? clock.wallAt(dueAt) : dueAt, badge, reason, language)
        if (isOver) failed++
      }
      return failed
    },

    /** The recipient was accepted. */
    drop: ({ push, platform }: DeliveryKey, device: number): void => void drop.run(push, platform, device),

    /**
     * Leases recipients that are due until `leaseUntil`: nobody else in this run takes them, the next run makes them
     * due.
     */
    takeDue: ({ push, platform }: DeliveryKey, now: number, leaseUntil: number, limit: number): DueRecipient[] =>
      lease.all(leaseUntil, push, platform, now, limit),

    /** When the next waiting recipient is due; `null` if none waits. */
    nextDue: ({ push, platform }: DeliveryKey): number | null => nextDue.get(push, platform)?.due_at ?? null,

    /**
     * At the start nothing is on its way: makes some of the last run's leases due. Returns whether there may be more.
     */
    endLeases: (now: number): boolean => endLeases.run(now, END_LEASES_LIMIT).changes === END_LEASES_LIMIT,

    /** Ends up to `limit` of the recipients that wait, by default all, as their delivery ends; returns how many. */
    endWaiting(key: DeliveryKey, { refused, abortReason }: DeliveryEnd, now: number, limit = ALL): number {
      const state = refused === null ? 'expired' : 'rejected'
      const reason = refused ?? (abortReason === 'cancelled' ? abortReason : null)
      return end.run(state, reason, clock.wallAt(now), key.push, key.platform, limit).changes
    },
  }
}
