import type { Database } from '../database/database.ts'
import { unpackToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'
import { audiencePages } from '../push/audience.ts'
import { applyBadge } from '../push/push.ts'
import type { Audience, Notification } from '../push/push.ts'
import type { Environment, Recipient } from './delivery.ts'
import type { Range } from './progress.ts'

/** A push to one platform that is not finished, as the pool loads it. */
export interface OpenDelivery {
  /** `push.number`. */
  readonly push: number
  /** `push.id`, the UUID callers see: for a turn of a push by local time that of the whole. */
  readonly pushId: string
  readonly application: number
  readonly platform: Platform
  readonly lane: Lane
  readonly notification: Notification
  readonly audience: Audience
  readonly ceiling: number
  readonly progress: number
  /** Settled ranges beyond `progress`, in order. */
  readonly ahead: readonly Range[]
  /** Devices in the audience; `null` until counted. */
  readonly addressed: number | null
  readonly settled: number
  /** Recipients that wait for another attempt. */
  readonly retries: number
  /** When it could first be sent; ms since the Unix epoch. */
  readonly releasedAt: number
  readonly expiresAt: number
}

/** Single pushes go ahead of those to many. */
export type Lane = 'single' | 'many'
const LANE_NUMBER: Readonly<Record<Lane, 0 | 1>> = { single: 0, many: 1 }

/** A recipient that was not simply accepted. */
export interface Exception {
  readonly device: number
  /** Leased: on its way, and due again at once if this process ends before the answer comes. */
  readonly state: 'retry' | 'leased' | 'rejected' | 'gone' | 'expired'
  /** Sends so far. */
  readonly attempt: number
  /** Retry: not before; else when it was decided. Milliseconds since the Unix epoch. */
  readonly dueAt: number
  readonly badge: number | null
  readonly reason: string
}

/** What a settled page, or a settled retry, changes besides its own bookkeeping. */
export interface Results {
  readonly accepted: number
  readonly exceptions: readonly Exception[]
}

export interface PageSettlement extends Results {
  readonly progress: number
  readonly ahead: readonly Range[]
  /** Recipients on the page. */
  readonly size: number
  /** How many of them the count of the audience had missed. */
  readonly missed: number
  /** When the first recipient was sent to, ms since the Unix epoch; `null` for nobody. What is stored already stays. */
  readonly startedAt: number | null
  readonly finished: boolean
}

export interface PageRow extends Recipient {
  /** The count stored with the device when it was read. */
  readonly storedBadge: number
}

export interface DueRecipient extends PageRow {
  readonly attempt: number
}

/** Part of an audience, and up to which device id it was looked for. */
export interface RecipientPage {
  readonly recipients: readonly PageRow[]
  readonly last: number
}

type Key = Pick<OpenDelivery, 'push' | 'platform' | 'application'>
type Due = Key & Pick<OpenDelivery, 'notification'>

interface OpenRow {
  push: number
  id: string
  application: number
  platform: Platform
  lane: 0 | 1
  notification: string
  audience: string
  ceiling: number
  progress: number
  ahead: string
  addressed: number | null
  settled: number
  retries: number
  released_at: number
  expires_at: number
}

interface DueRow {
  device: number
  attempt: number
  badge: number | null
}

interface DeviceRow {
  token: string | Uint8Array
  environment: 0 | 1 | null
  badge: number
}

/** As the index `push_exception_due` has it. */
const WAITING = `state IN ('retry', 'leased')`

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox']
const DAY_MS = 24 * 60 * 60 * 1000

/** How far one push to one platform is. */
export interface DeliveryStatus {
  readonly application: number
  readonly platform: Platform
  /** Devices addressed; 0 until they are counted. */
  readonly t: number
  /** Accepted by the gateway. */
  readonly s: number
  readonly failed: number
  /** Waiting for another attempt. */
  readonly waiting: number
  /** Milliseconds since the Unix epoch; `null` while it is open. */
  readonly finishedAt: number | null
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

/** The durable side of the delivery. Reads any time; everything that writes runs inside a transaction of the caller. */
export function createDeliveryStore({ database }: { database: Database }) {
  const senders = database.statement<{ application: number; platform: Platform }, []>(
    // A look into the index for each: DISTINCT would read all that is open, 55 ms for 100,000.
    `SELECT a.number AS application, p.value AS platform FROM application a, json_each('[0, 1]') p
     WHERE EXISTS (SELECT 1 FROM delivery d WHERE d.application = a.number AND d.platform = p.value AND d.finished_at IS NULL)`,
  )
  const open = database.statement<OpenRow, [number, Platform, 0 | 1, number, number]>(
    `SELECT d.push, coalesce((SELECT id FROM push whole WHERE whole.number = p.parent), p.id) AS id, d.application,
       d.platform, d.lane, p.notification, p.audience, p.ceiling, d.progress, d.ahead, d.addressed, d.settled, p.expires_at,
       coalesce(p.released_at, p.created_at) AS released_at,
       (SELECT count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform AND e.${WAITING})
         AS retries
     FROM delivery d JOIN push p ON p.number = d.push
     WHERE d.application = ? AND d.platform = ? AND d.lane = ? AND d.push > ? AND d.finished_at IS NULL
       AND p.cancelled_at IS NULL
     ORDER BY d.push LIMIT ?`,
  )
  const status = database.statement<DeliveryStatus, [string]>(
    `SELECT d.application, d.platform, sum(coalesce(d.addressed, 0)) AS t, sum(d.accepted) AS s, sum(d.failed) AS failed,
       sum((SELECT count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform AND e.${WAITING}))
         AS waiting, iif(count(d.finished_at) = count(*), max(d.finished_at), NULL) AS finishedAt
     FROM push p JOIN push part ON part.number = p.number OR part.parent = p.number JOIN delivery d ON d.push = part.number
     WHERE p.id = ? GROUP BY d.platform ORDER BY d.platform`,
  )
  const device = database.statement<DeviceRow, [number]>(
    'SELECT token, environment, badge FROM device WHERE id = ? AND state = 0',
  )
  const setAddressed = database.statement<never, [number, number, Platform]>(
    'UPDATE delivery SET addressed = coalesce(addressed, 0) + ? WHERE push = ? AND platform = ?',
  )
  const settle = database.statement<
    never,
    [number, string, number, number, number, number, number | null, number | null, number, Platform]
  >(
    `UPDATE delivery SET progress = ?, ahead = ?, settled = settled + ?,
       addressed = CASE WHEN ?4 > 0 THEN coalesce(addressed, 0) + ?4 ELSE addressed END,
       accepted = accepted + ?, failed = failed + ?, finished_at = ?, started_at = coalesce(started_at, ?)
     WHERE push = ? AND platform = ?`,
  )
  const countMore = database.statement<never, [number, number, number | null, number, Platform]>(
    `UPDATE delivery SET accepted = accepted + ?, failed = failed + ?, finished_at = coalesce(?, finished_at)
     WHERE push = ? AND platform = ?`,
  )
  const putException = database.statement<
    never,
    [number, Platform, number, string, number, number, number | null, string]
  >(
    `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, badge, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, attempt = excluded.attempt, due_at = excluded.due_at,
       reason = excluded.reason`,
  )
  const dropException = database.statement<never, [number, Platform, number]>(
    'DELETE FROM push_exception WHERE push = ? AND platform = ? AND device = ?',
  )
  const lease = database.statement<DueRow, [number, number, Platform, number, number]>(
    `UPDATE push_exception SET state = 'leased', due_at = ? WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push = ? AND platform = ? AND ${WAITING} AND due_at <= ? ORDER BY due_at LIMIT ?)
     RETURNING device, attempt, badge`,
  )
  const nextDue = database.statement<{ due_at: number | null }, [number, Platform]>(
    `SELECT min(due_at) AS due_at FROM push_exception WHERE push = ? AND platform = ? AND ${WAITING}`,
  )
  const expireRetries = database.statement<never, [number, number, Platform]>(
    `UPDATE push_exception SET state = 'expired', due_at = ? WHERE push = ? AND platform = ? AND ${WAITING}`,
  )
  const cancelRetries = database.statement<never, [number, number, Platform]>(
    `UPDATE push_exception SET state = 'expired', reason = 'cancelled', due_at = ?
     WHERE push = ? AND platform = ? AND ${WAITING}`,
  )
  const end = database.statement<never, [number, number, number, Platform]>(
    `UPDATE delivery SET failed = failed + ?, finished_at = coalesce(finished_at, ?) WHERE push = ? AND platform = ?`,
  )
  const isOpen = database.statement<object, [number, Platform]>(
    'SELECT 1 FROM delivery WHERE push = ? AND platform = ? AND finished_at IS NULL',
  )
  const cancelled = database.statement<Key, []>(
    `SELECT d.push, d.platform, d.application FROM delivery d JOIN push p ON p.number = d.push
     WHERE d.finished_at IS NULL AND p.cancelled_at IS NOT NULL`,
  )
  const endLeases = database.statement<never, [number]>(
    `UPDATE push_exception SET state = 'retry', due_at = ? WHERE state = 'leased'`,
  )
  const shiftDue = database.statement<never, [number]>(`UPDATE push_exception SET due_at = due_at - ? WHERE ${WAITING}`)
  const tally = database.statement<never, [number, number, Platform, number, number]>(
    `INSERT INTO tally (application, day, platform, t, s) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET t = t + excluded.t, s = s + excluded.s`,
  )

  function count({ application, platform }: Key, now: number, addressed: number, accepted: number): void {
    if (addressed > 0 || accepted > 0) tally.run(application, Math.floor(now / DAY_MS), platform, addressed, accepted)
  }

  function writeExceptions({ push, platform }: Key, exceptions: readonly Exception[]): number {
    let failed = 0
    for (const { device: id, state, attempt, dueAt, badge, reason } of exceptions) {
      putException.run(push, platform, id, state, attempt, dueAt, badge, reason)
      if (state !== 'retry' && state !== 'leased') failed++
    }
    return failed
  }

  return {
    /** Applications and platforms that have something open. */
    senders: () => senders.all(),

    /** One entry for each platform of the push with this UUID; none where there is no such push. */
    status: (pushId: string): DeliveryStatus[] => status.all(pushId),

    /** Up to `limit` open deliveries of one lane, pushes after `afterPush`, oldest first. */
    open(application: number, platform: Platform, lane: Lane, afterPush: number, limit: number): OpenDelivery[] {
      return open.all(application, platform, LANE_NUMBER[lane], afterPush, limit).map(openOf)
    },

    /**
     * The audience of a delivery, read in pages of device ids: `page(after, upTo, limit)` gives those after `after`, in
     * order, `count(after, candidates)` counts them; both do bounded work and say up to which device they came.
     */
    recipients(delivery: OpenDelivery) {
      const { audience, ceiling, application, platform, notification } = delivery
      if ('device' in audience) return single(audience.device)
      const pages = audiencePages(database, audience, application, platform)
      return {
        page(after: number, upTo: number, limit: number): RecipientPage {
          const { rows, last } = pages.page(after, upTo, limit)
          return { recipients: rows.map((row) => recipientOf(row.id, row, notification)), last }
        },
        count: (after: number, candidates: number) => pages.count(after, ceiling, candidates),
      }

      function single(id: number) {
        const page = (after: number, upTo: number): RecipientPage => {
          const row = id > after && id <= upTo ? device.get(id) : null
          return { recipients: row === null ? [] : [recipientOf(id, row, notification)], last: upTo }
        }
        return { page, count: (after: number) => ({ count: page(after, id).recipients.length, last: ceiling }) }
      }
    },

    /** Stores that the audience is counted, and has `more` devices than settled pages had added. */
    address(key: Key, more: number, now: number): void {
      setAddressed.run(more, key.push, key.platform)
      count(key, now, more, 0)
    },

    /** Everything a settled page changes, except what it says of devices. */
    settlePage(key: Key, page: PageSettlement, now: number): void {
      const failed = writeExceptions(key, page.exceptions)
      const finishedAt = page.finished ? now : null
      const { progress, size, missed, accepted, startedAt } = page
      const { push, platform } = key
      const ahead = JSON.stringify(page.ahead)
      settle.run(progress, ahead, size, missed, accepted, failed, finishedAt, startedAt, push, platform)
      count(key, now, missed, accepted)
    },

    /** A recipient that had waited: accepted now, or an exception again. */
    settleRetry(key: Key, id: number, results: Results, finished: boolean, now: number): void {
      if (results.accepted > 0) dropException.run(key.push, key.platform, id)
      const failed = writeExceptions(key, results.exceptions)
      countMore.run(results.accepted, failed, finished ? now : null, key.push, key.platform)
      count(key, now, 0, results.accepted)
    },

    /**
     * Takes recipients whose time has come and leases them until `leaseUntil`: if their answers never arrive (a
     * crash), they are due again then. A device that was erased or declared gone meanwhile comes as `dead`.
     */
    takeDue(key: Due, now: number, leaseUntil: number, limit: number): { due: DueRecipient[]; dead: DueRow[] } {
      const due: DueRecipient[] = []
      const dead: DueRow[] = []
      for (const row of lease.all(leaseUntil, key.push, key.platform, now, limit)) {
        const found = device.get(row.device)
        if (found === null) dead.push(row)
        // Counted anew: while it waited, other pushes may have been.
        else due.push({ ...recipientOf(row.device, found, key.notification), attempt: row.attempt })
      }
      return { due, dead }
    },

    /** When the next waiting recipient is due, ms since the Unix epoch; `null` if none waits. */
    nextDue: (key: Key): number | null => nextDue.get(key.push, key.platform)?.due_at ?? null,

    /** At the start of the process nothing is on its way: what the last one had leased is due. */
    endLeases: (now: number): void => void endLeases.run(now),

    /** The clock was put back by `byMs` milliseconds: who waits is due that much earlier. */
    shiftDue(byMs: number): void {
      shiftDue.run(byMs)
    },

    /** Ends a delivery whose time to live is over: who was not reached counts as failed. */
    expire(key: Key, unreached: number, retries: number, now: number): void {
      expireRetries.run(now, key.push, key.platform)
      countMore.run(0, unreached + retries, now, key.push, key.platform)
    },

    /**
     * Ends a delivery that is called off, or what still waits of it: that counts as failed, and who was not sent to as
     * nothing. `true` if it was open.
     */
    cancel({ push, platform }: Key, now: number): boolean {
      const wasOpen = isOpen.get(push, platform) !== null
      const retries = cancelRetries.run(now, push, platform).changes
      if (wasOpen || retries > 0) end.run(retries, now, push, platform)
      return wasOpen
    },

    /** What was called off and has not ended, which only a crash leaves behind. */
    cancelled: () => cancelled.all(),

    finish(key: Key, now: number): void {
      countMore.run(0, 0, now, key.push, key.platform)
    },
  }
}

function openOf(row: OpenRow): OpenDelivery {
  return {
    push: row.push,
    pushId: row.id,
    application: row.application,
    platform: row.platform,
    lane: row.lane === 0 ? 'single' : 'many',
    notification: JSON.parse(row.notification) as Notification,
    audience: JSON.parse(row.audience) as Audience,
    ceiling: row.ceiling,
    progress: row.progress,
    ahead: JSON.parse(row.ahead) as Range[],
    addressed: row.addressed,
    settled: row.settled,
    retries: row.retries,
    releasedAt: row.released_at,
    expiresAt: row.expires_at,
  }
}

function addressOf(device: number, row: Pick<DeviceRow, 'token' | 'environment'>) {
  return {
    device,
    token: unpackToken(row.token),
    environment: row.environment === null ? null : (ENVIRONMENTS[row.environment] ?? null),
  }
}

function recipientOf(device: number, row: DeviceRow, { badge }: Notification): PageRow {
  return {
    ...addressOf(device, row),
    badge: badge === null ? null : applyBadge(badge, row.badge),
    storedBadge: row.badge,
  }
}
