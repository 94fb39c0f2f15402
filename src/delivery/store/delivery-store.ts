import { audienceFrom } from '../../audience/stored-audience.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, delivery, push } from '../../database/schema.ts'
import type { Platform } from '../../device/device.ts'
import type { Notification } from '../../notification/notification.ts'
import { createTallyStore } from '../../stats/tally-store.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import type { Range } from '../open/progress.ts'
import { createAcceptanceStore } from './acceptance-store.ts'
import { createBadgeLeaseStore } from './badge-lease-store.ts'
import { beforeAll, behindAll } from './expiry-scan.ts'
import type { ExpiryKey } from './expiry-scan.ts'
import { QUEUE_NUMBER } from './open-delivery.ts'
import type { DeliveryEnd, DeliveryKey, Queue, OpenDelivery, StoredSettlement } from './open-delivery.ts'
import { createLanguageCounts } from './language-count-store.ts'
import { createRecipientResultStore, WAITING } from './recipient-result-store.ts'
import { createRecipientStore } from './recipient-store.ts'
import { createWaitingStore } from './waiting-store.ts'
import { storedJson } from '../../database/damage.ts'
import { PLATFORM } from '../../platform.ts'
import type { PlatformTable } from '../../platform.ts'

interface OpenRow
  extends
    Omit<StoredRow<typeof delivery>, 'failed' | 'started_at' | 'finished_at' | 'removed' | 'expires_at' | 'refused'>,
    Pick<StoredRow<typeof push>, 'id' | 'notification' | 'audience' | 'ceiling'> {
  /** The audience of the push of which this one is a wave. */
  readonly whole: string | null
  readonly retries: number
  readonly expires_at: number
}

const OPEN = `SELECT d.push, coalesce((SELECT id FROM push whole WHERE whole.number = p.parent), p.id) AS id, d.application,
    d.platform, d.lane, p.notification, p.audience,
    (SELECT audience FROM push whole WHERE whole.number = p.parent) AS whole, p.ceiling, d.progress, d.ahead,
    d.addressed, d.settled, d.accepted, d.expires_at, d.waits_until,
    (SELECT count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform AND e.${WAITING})
      AS retries
  FROM delivery d JOIN push p ON p.number = d.push
  WHERE d.finished_at IS NULL AND p.cancelled_at IS NULL`

/** Recipients for whom a delivery ends in one step: 7 ms. */
const END_STEP = 300

const CANCELLED: DeliveryEnd = { abortReason: 'cancelled', refused: null, unsent: null }

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

interface Dependencies {
  readonly database: Database
  readonly clock: Pick<ServiceClock, 'wallAt'>
  /** Default: those of this service. */
  readonly platforms?: PlatformTable
}

/**
 * The durable side of the delivery. Reads any time; everything that writes runs inside a transaction of the caller. Times
 * are service time, here and in the database, as long as something is to happen at them. What has happened is written
 * down with its time of day, for callers to be told; with its end, also when a delivery would have expired.
 */
export function createDeliveryStore({ database, clock, platforms = PLATFORM }: Dependencies) {
  const senders = database.statement<{ application: number; platform: Platform }, []>(
    // One step in the index for each: DISTINCT would read all that is open, 55 ms for 100,000.
    `WITH RECURSIVE sender (application, platform) AS (
       SELECT number, (SELECT min(platform) FROM delivery WHERE application = number AND finished_at IS NULL)
       FROM application
       UNION ALL
       SELECT application, (SELECT min(d.platform) FROM delivery d
         WHERE d.application = sender.application AND d.platform > sender.platform AND d.finished_at IS NULL)
       FROM sender WHERE platform IS NOT NULL)
     SELECT application, platform FROM sender WHERE platform IS NOT NULL`,
  )
  const open = database.statement<OpenRow, [number, Platform, 0 | 1, after: number, upTo: number, limit: number]>(
    `${OPEN} AND d.waits_until IS NULL AND d.application = ? AND d.platform = ? AND d.lane = ?
       AND d.push > ? AND d.push <= ?
     ORDER BY d.push LIMIT ?`,
  )
  const last = database.statement<{ number: number }, []>('SELECT coalesce(max(number), 0) AS number FROM push')
  const one = database.statement<OpenRow, [number, Platform]>(`${OPEN} AND d.push = ? AND d.platform = ?`)
  const settle = database.statement<
    never,
    [number, string, number, number | null, number, number, number | null, number, Platform]
  >(
    `UPDATE delivery SET progress = ?, ahead = ?, settled = settled + ?,
       addressed = CASE WHEN ?4 IS NULL THEN addressed ELSE coalesce(addressed, 0) + ?4 END,
       accepted = accepted + ?, failed = failed + ?, started_at = coalesce(started_at, ?)
     WHERE push = ? AND platform = ?`,
  )
  const countFailed = database.statement<never, [number, number, Platform]>(
    'UPDATE delivery SET failed = failed + ? WHERE push = ? AND platform = ?',
  )
  // `max` of several with NULL is NULL: nobody is known to be removed.
  const finish = database.statement<never, [number, number | null, number, Platform, aheadMs: number]>(
    `UPDATE delivery SET finished_at = coalesce(finished_at, ?1), failed = max(coalesce(addressed, 0) - accepted, failed),
       removed = removed + coalesce(max(coalesce(addressed, 0) - accepted - failed - ?2, 0), 0),
       expires_at = expires_at + iif(finished_at IS NULL, ?5, 0)
     WHERE push = ?3 AND platform = ?4`,
  )
  const refuse = database.statement<never, [string, number, Platform]>(
    'UPDATE delivery SET refused = ? WHERE push = ? AND platform = ?',
  )
  const isOpen = database.statement<object, [number, Platform]>(
    'SELECT 1 FROM delivery WHERE push = ? AND platform = ? AND finished_at IS NULL',
  )

  const tally = createTallyStore({ database })
  const languages = createLanguageCounts({ database })
  const recipients = createRecipientStore({ database, platforms })
  const recipientResults = createRecipientResultStore({ database, recipients, clock })
  const waiting = createWaitingStore({ database })
  const badgeLeases = createBadgeLeaseStore({ database })

  /**
   * Ends a delivery: nobody of it waits any more, and whoever it addressed and did not reach counts as failed, so that
   * its numbers are the last ones. Also who was never sent to: removed meanwhile, where everybody else was looked at.
   */
  function end(key: DeliveryKey, how: DeliveryEnd, now: number): void {
    const { refused, unsent } = how
    if (refused !== null) refuse.run(refused, key.push, key.platform)
    const waited = endWaiting(key, how, now, null)
    const at = clock.wallAt(now)
    finish.run(at, unsent === null ? null : unsent + waited, key.push, key.platform, at - now)
    // Else its last page has settled them.
    if (how.abortReason !== null) badgeLeases.settled(key, Number.MAX_SAFE_INTEGER)
  }

  /**
   * Before its end: ends it for some of those who wait, and says whether there may be more. The last step of a long list
   * is the end itself.
   */
  function endSome(key: DeliveryKey, how: DeliveryEnd, now: number): boolean {
    const ended = endWaiting(key, how, now, END_STEP)
    if (ended > 0) countFailed.run(ended, key.push, key.platform)
    return ended === END_STEP
  }

  function endWaiting(key: DeliveryKey, how: DeliveryEnd, now: number, limit: number | null): number {
    if (how.refused !== null) return recipientResults.refuseWaiting(key, how.refused, now, limit)
    if (how.abortReason === 'cancelled') return recipientResults.cancelWaiting(key, now, limit)
    return recipientResults.expireWaiting(key, now, limit)
  }

  const acceptance = createAcceptanceStore({ database })
  const { takeDue, nextDue, endLeases } = recipientResults

  return {
    takeDue,
    nextDue,
    endLeases,
    park: waiting.park,
    due: waiting.due,
    expiring: waiting.expiring,
    waiting: waiting.count,
    acceptance,

    /**
     * Makes some of those due who wait for another attempt of any push of an application to a platform, behind `from`,
     * `null` for the beginning; says behind which there may be more, `null` where there is none.
     */
    makeDue(application: number, platform: Platform, now: number, from: ExpiryKey | null): ExpiryKey | null {
      const next = recipientResults.makeDue(application, platform, now, from ?? beforeAll(application, platform))
      const more = waiting.makeDue(application, platform, now)
      return next ?? (more ? behindAll(application, platform) : null)
    },

    recipients: recipients.recipientsOf,
    recipient: recipients.find,
    badgeOf: recipients.badgeOf,
    badgesOf: recipients.badgesOf,

    /** Of the devices of a page, those whose badge a push is to change; `null` where it is over. */
    leaseBadges: (key: DeliveryKey, devices: readonly number[]): readonly number[] | null =>
      isOpen.get(key.push, key.platform) === null ? null : badgeLeases.lease(key, devices),

    hasMoved: recipients.hasMoved,

    /** Applications and platforms that have something open. */
    senders: () => senders.all(),

    /** `push.number` of the last push; 0 without any. */
    lastPush: () => last.get()?.number ?? 0,

    /**
     * Up to `limit` open deliveries of one queue of which somebody may be sent to, oldest first: of pushes behind `after`,
     * and no further than `upTo`.
     */
    open(
      application: number,
      platform: Platform,
      queue: Queue,
      { after, upTo }: { readonly after: number; readonly upTo: number },
      limit: number,
    ): OpenDelivery[] {
      return open
        .all(application, platform, QUEUE_NUMBER[queue], after, upTo, limit)
        .map((row) => openOf(row, platforms))
    },

    /** One that is open, whether it waits or not; `null` where it is over or cancelled. */
    find(push: number, platform: Platform): OpenDelivery | null {
      const row = one.get(push, platform)
      return row === null ? null : openOf(row, platforms)
    },

    /** Everything that a settlement changes, except what it says of devices, and the end. */
    settle(key: DeliveryKey & Pick<OpenDelivery, 'notification'>, settlement: StoredSettlement): void {
      const { progress, size, addressed, accepted, settledAt: now } = settlement
      const { push, platform } = key
      for (const device of settlement.dropped) recipientResults.drop(key, device)
      const failed = recipientResults.write(key, settlement.results)
      const startedAt = settlement.startedAt && clock.wallAt(settlement.startedAt)
      const ahead = JSON.stringify(settlement.ahead)
      settle.run(progress, ahead, size, addressed, accepted, failed, startedAt, push, platform)
      if (key.notification.badge !== null) badgeLeases.settled(key, progress)
      languages.add(key, settlement.acceptedIn)
      tally.addSent(key, clock.wallAt(now), addressed ?? 0, accepted)
    },

    end,

    endSome,

    /**
     * Ends a delivery that is cancelled and not in memory. `more`: it was too long for one step, and is to be ended
     * again; `over`: it had ended before.
     */
    cancel(key: DeliveryKey, now: number): 'ended' | 'more' | 'over' {
      if (isOpen.get(key.push, key.platform) === null) return 'over'
      if (endSome(key, CANCELLED, now)) return 'more'
      end(key, CANCELLED, now)
      return 'ended'
    },

    cancelled: waiting.cancelled,
  }
}

function openOf(row: OpenRow, platforms: PlatformTable): OpenDelivery {
  return {
    push: row.push,
    pushId: row.id,
    application: row.application,
    platform: row.platform,
    hasManyGateways: platforms[row.platform].tokens === 'endpoint',
    queue: row.lane === 0 ? 'single' : 'many',
    notification: storedJson(row.notification) as Notification,
    audience: audienceFrom(row.audience, row.whole),
    ceiling: row.ceiling,
    progress: row.progress,
    ahead: storedJson(row.ahead) as Range[],
    addressed: row.addressed,
    settled: row.settled,
    accepted: row.accepted,
    retries: row.retries,
    expiresAt: row.expires_at,
    waitsUntil: row.waits_until,
  }
}
