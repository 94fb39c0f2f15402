import type { Database } from '../../database/database.ts'
import type { Value } from '../../database/statement.ts'
import type { Platform } from '../../device/device.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import { ALONG, behindAll, BY_END, createExpiryScan } from './expiry-scan.ts'
import type { ExpiryKey } from './expiry-scan.ts'
import type { DeliveryKey, DueRecipient, RecipientResult, OpenDelivery, WaitingRow } from './open-delivery.ts'
import type { RecipientStore } from './recipient-store.ts'

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly recipients: Pick<RecipientStore, 'find'>
  readonly clock: Pick<ServiceClock, 'wallAt'>
}

/** Results that wait for another attempt, as the index `push_exception_due` has it. */
export const WAITING = `state IN ('retry', 'leased')`

/** Recipients made due in one step: 5 ms. */
export const MAKE_DUE_LIMIT = 1000

/** Leases ended in one step: 10 ms. */
const END_LEASES_LIMIT = 250

/** Deliveries of which recipients are made due in one step, as far as they are no more than that: 2 ms. */
const MAKE_DUE_STEP = 250

/**
 * Recipients that were not simply accepted, and when each is due again. Times are service time; in the rows of those for
 * whom it is over, the time of day.
 */
export function createRecipientResultStore({ database, recipients, clock }: Dependencies) {
  const statements = prepareStatements(database)
  const scan = createExpiryScan(database, MAKE_DUE_STEP)

  /**
   * Takes recipients whose time has come, and leases them until `leaseUntil`; whoever is leased is taken by nobody else
   * in this run, and made due by the next one. A device that was erased or declared gone meanwhile comes as `dead`.
   */
  function takeDue(
    { push, platform, notification }: DeliveryKey & Pick<OpenDelivery, 'notification'>,
    now: number,
    leaseUntil: number,
    limit: number,
  ): { due: DueRecipient[]; dead: WaitingRow[] } {
    const due: DueRecipient[] = []
    const dead: WaitingRow[] = []
    for (const row of statements.lease.all(leaseUntil, push, platform, now, limit)) {
      const recipient = recipients.find(row.device, notification)
      if (recipient === null) dead.push(row)
      else due.push({ ...recipient, attempt: row.attempt, reason: row.reason })
    }
    return { due, dead }
  }

  return {
    /** Says how many of them are over. */
    write({ push, platform }: DeliveryKey, results: readonly RecipientResult[]): number {
      let failed = 0
      for (const { device, state, attempt, dueAt, badge, reason, language } of results) {
        const isOver = state !== 'retry' && state !== 'leased'
        const at = isOver ? clock.wallAt(dueAt) : dueAt
        statements.put.run(push, platform, device, state, attempt, at, badge, reason, language)
        if (isOver) failed++
      }
      return failed
    },

    /** The recipient was accepted: forgets it. */
    drop: ({ push, platform }: DeliveryKey, device: number): void => void statements.drop.run(push, platform, device),

    takeDue,

    /** When the next waiting recipient is due; `null` if none waits. */
    nextDue: ({ push, platform }: DeliveryKey): number | null => statements.nextDue.get(push, platform)?.due_at ?? null,

    /**
     * At the start of the process nothing is on its way: some of what the last one had leased is made due. Says whether
     * there may be more.
     */
    endLeases: (now: number): boolean => statements.endLeases.run(now, END_LEASES_LIMIT).changes === END_LEASES_LIMIT,

    /**
     * Makes some of those due who wait for another attempt of any push of an application to a platform, of deliveries
     * behind `from`; says behind which others may be, `null` where none are.
     */
    makeDue(application: number, platform: Platform, now: number, from: ExpiryKey): ExpiryKey | null {
      const end = behindAll(application, platform)
      const next = scan(from, end)
      const { changes } = statements.makeDue.run(now, ...from, ...(next ?? end), MAKE_DUE_LIMIT)
      return changes === MAKE_DUE_LIMIT ? from : next
    },

    /** It is over for who still waits, up to `limit` of them, `null` for all; says how many. */
    expireWaiting: ({ push, platform }: DeliveryKey, now: number, limit: number | null): number =>
      limit === null
        ? statements.expire.all.run(clock.wallAt(now), push, platform).changes
        : statements.expire.some.run(clock.wallAt(now), push, platform, limit).changes,

    /** The same for who is not sent to because the gateway refuses the push. */
    refuseWaiting: ({ push, platform }: DeliveryKey, reason: string, now: number, limit: number | null): number =>
      limit === null
        ? statements.refuse.all.run(reason, clock.wallAt(now), push, platform).changes
        : statements.refuse.some.run(reason, clock.wallAt(now), push, platform, limit).changes,

    /** The same for who is called off. */
    cancelWaiting: ({ push, platform }: DeliveryKey, now: number, limit: number | null): number =>
      limit === null
        ? statements.cancel.all.run(clock.wallAt(now), push, platform).changes
        : statements.cancel.some.run(clock.wallAt(now), push, platform, limit).changes,
  }
}

function prepareStatements(database: Pick<Database, 'statement'>) {
  const waiting = `push = ? AND platform = ? AND ${WAITING}`
  const over = <Values extends Value[]>(set: string) => ({
    all: database.statement<never, [...Values, number, Platform]>(`UPDATE push_exception SET ${set} WHERE ${waiting}`),
    some: database.statement<never, [...Values, number, Platform, limit: number]>(
      `UPDATE push_exception SET ${set} WHERE (push, platform, device) IN (
         SELECT push, platform, device FROM push_exception WHERE ${waiting} LIMIT ?)`,
    ),
  })
  type Put = [number, Platform, number, string, attempt: number, dueAt: number, number | null, string, string | null]
  return {
    put: database.statement<never, Put>(
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, badge, reason, language)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at,
         reason = excluded.reason, language = excluded.language`,
    ),
    drop: database.statement<never, [number, Platform, device: number]>(
      'DELETE FROM push_exception WHERE push = ? AND platform = ? AND device = ?',
    ),
    lease: database.statement<WaitingRow, [leaseUntil: number, number, Platform, now: number, limit: number]>(
      `UPDATE push_exception SET state = 'leased', due_at = ? WHERE (push, platform, device) IN (
         SELECT push, platform, device FROM push_exception
         WHERE push = ? AND platform = ? AND ${WAITING} AND state = 'retry' AND due_at <= ? ORDER BY due_at LIMIT ?)
       RETURNING device, attempt, badge, language, reason`,
    ),
    nextDue: database.statement<{ due_at: number | null }, [number, Platform]>(
      `SELECT min(due_at) AS due_at FROM push_exception WHERE push = ? AND platform = ? AND ${WAITING} AND state = 'retry'`,
    ),
    endLeases: database.statement<never, [now: number, limit: number]>(
      `UPDATE push_exception SET state = 'retry', due_at = ? WHERE (push, platform, device) IN (
         SELECT push, platform, device FROM push_exception INDEXED BY push_exception_leased
         WHERE state = 'leased' LIMIT ?)`,
    ),
    makeDue: database.statement<never, number[]>(
      `UPDATE push_exception SET due_at = ?1 WHERE (push, platform, device) IN (
         SELECT e.push, e.platform, e.device FROM delivery ${BY_END} CROSS JOIN push_exception e
           ON e.push = delivery.push AND e.platform = delivery.platform AND e.${WAITING} AND e.due_at > ?1
         WHERE ${ALONG} AND e.state = 'retry' LIMIT ?)`,
    ),
    expire: over<[now: number]>(`state = 'expired', due_at = ?`),
    refuse: over<[reason: string, now: number]>(`state = 'rejected', reason = ?, due_at = ?`),
    cancel: over<[now: number]>(`state = 'expired', reason = 'cancelled', due_at = ?`),
  }
}
