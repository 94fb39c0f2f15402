import { ELSEWHERE } from '../../application/elsewhere.ts'
import { audienceFrom } from '../../audience/stored-audience.ts'
import { storedJson } from '../../database/damage.ts'
import type { Database } from '../../database/database.ts'
import type { StoredRow, delivery, push } from '../../database/schema.ts'
import type { Platform } from '../../device/device.ts'
import type { Notification } from '../../notification/notification.ts'
import { PLATFORM } from '../../platform.ts'
import type { PlatformTable } from '../../platform.ts'
import { createTallyStore } from '../../stats/tally-store.ts'
import type { WallClock } from '../../time/service-clock.ts'
import type { Range } from '../open/progress.ts'
import { createAcceptanceStore } from './acceptance-store.ts'
import { createBadgeLeaseStore } from './badge-lease-store.ts'
import { QUEUE_NUMBER } from './open-delivery.ts'
import type { DeliveryEnd, DeliveryKey, Queue, OpenDelivery, Settlement } from './open-delivery.ts'
import { createRecipientStore } from './recipient-store.ts'
import { createWaitingStore, WAITING } from './waiting-store.ts'

type OpenRow = Omit<OpenDelivery, 'hasManyGateways' | 'queue' | 'notification' | 'audience' | 'ahead'> &
  Pick<StoredRow<typeof push>, 'notification' | 'audience'> &
  Pick<StoredRow<typeof delivery>, 'ahead' | 'lane'> & {
    /** Of a wave: the audience of the whole push. */
    readonly whole: string | null
  }

const OPEN = `SELECT d.push, coalesce((SELECT id FROM push whole WHERE whole.number = p.parent), p.id) AS pushId,
    d.application, d.platform, d.lane, p.notification, p.audience,
    (SELECT audience FROM push whole WHERE whole.number = p.parent) AS whole, p.ceiling, d.progress, d.ahead,
    d.addressed, d.settled, d.accepted, d.expires_at AS expiresAt, d.waits_until AS waitsUntil,
    (SELECT count(*) FROM push_exception e WHERE e.push = d.push AND e.platform = d.platform AND e.${WAITING})
      AS retries
  FROM delivery d JOIN push p ON p.number = d.push
  WHERE d.finished_at IS NULL AND p.cancelled_at IS NULL`

/** Waiting recipients ended in one step: 7 ms. */
const END_STEP = 300

const CANCELLED: DeliveryEnd = { abortReason: 'cancelled', refused: null, unsent: null }

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

interface Dependencies {
  readonly database: Database
  readonly clock: WallClock
  readonly platforms?: PlatformTable
}

/**
 * Future times are service time, here and in the database; past ones are time of day, and so is the end of the time to
 * live once a delivery has ended.
 */
export function createDeliveryStore({ database, clock, platforms = PLATFORM }: Dependencies) {
  const senders = database.statement<{ application: number; platform: Platform }, []>(
    // One index lookup each: DISTINCT would read all open deliveries, 55 ms for 100,000.
    `WITH RECURSIVE sender (application, platform) AS (
       SELECT number, (SELECT min(platform) FROM delivery WHERE application = number AND finished_at IS NULL)
       FROM application WHERE number NOT IN ${ELSEWHERE}
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
  // Without a number of the unsent, `max` gives NULL: nobody is known to be removed.
  const finish = database.statement<never, [number, number | null, number, Platform, aheadMs: number, string | null]>(
    `UPDATE delivery SET finished_at = coalesce(finished_at, ?1), failed = max(coalesce(addressed, 0) - accepted, failed),
       removed = removed + coalesce(max(coalesce(addressed, 0) - accepted - failed - ?2, 0), 0),
       expires_at = expires_at + iif(finished_at IS NULL, ?5, 0), refused = coalesce(?6, refused)
     WHERE push = ?3 AND platform = ?4`,
  )
  const isOpen = database.statement<object, [number, Platform]>(
    'SELECT 1 FROM delivery WHERE push = ? AND platform = ? AND finished_at IS NULL',
  )
  const addLanguage = database.statement<never, [push: number, Platform, language: string, accepted: number]>(
    `INSERT INTO delivery_language (push, platform, language, accepted) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted`,
  )

  const tally = createTallyStore({ database })
  const results = createWaitingStore(database, clock)
  const badgeLeases = createBadgeLeaseStore({ database })

  /**
   * No recipient waits any more, and every addressed device that was not reached counts as failed: as removed if the
   * audience was read to its end and it was never sent to.
   */
  function end(key: DeliveryKey, how: DeliveryEnd, now: number): void {
    const { refused, unsent, abortReason } = how
    const waited = results.endWaiting(key, how, now)
    const at = clock.wallAt(now)
    finish.run(at, unsent === null ? null : unsent + waited, key.push, key.platform, at - now, refused)
    // Otherwise its last page has settled them.
    if (abortReason !== null) badgeLeases.settled(key, Number.MAX_SAFE_INTEGER)
  }

  /** Ends some of those that wait, before `end`; returns whether there may be more. */
  function endSome(key: DeliveryKey, how: DeliveryEnd, now: number): boolean {
    const ended = results.endWaiting(key, how, now, END_STEP)
    if (ended > 0) countFailed.run(ended, key.push, key.platform)
    return ended === END_STEP
  }

  return {
    ...results,
    ...createRecipientStore({ database, platforms }),
    acceptance: createAcceptanceStore({ database }),
    end,
    endSome,

    /** Devices whose badge is still to be changed; `null` if the delivery has ended. */
    leaseBadges: (key: DeliveryKey, devices: readonly number[]): readonly number[] | null =>
      isOpen.get(key.push, key.platform) === null ? null : badgeLeases.lease(key, devices),

    senders: () => senders.all(),

    lastPush: () => last.get()?.number ?? 0,

    /** Open deliveries that do not wait, oldest first: of pushes over `after`, up to `upTo`. */
    open: (application: number, platform: Platform, queue: Queue, after: number, upTo: number, limit: number) =>
      open.all(application, platform, QUEUE_NUMBER[queue], after, upTo, limit).map((row) => openOf(row, platforms)),

    /** Waiting or not; `null` if it has ended or is cancelled. */
    find(push: number, platform: Platform): OpenDelivery | null {
      const row = one.get(push, platform)
      return row && openOf(row, platforms)
    },

    settle(key: DeliveryKey & Pick<OpenDelivery, 'notification'>, settlement: Settlement): void {
      const { progress, size, addressed, accepted, settledAt: now } = settlement
      const { push, platform } = key
      for (const device of settlement.dropped) results.drop(key, device)
      const failed = results.write(key, settlement.results)
      const startedAt = settlement.startedAt && clock.wallAt(settlement.startedAt)
      const ahead = JSON.stringify(settlement.ahead)
      settle.run(progress, ahead, size, addressed, accepted, failed, startedAt, push, platform)
      if (key.notification.badge !== null) badgeLeases.settled(key, progress)
      for (const [language, count] of settlement.acceptedIn) addLanguage.run(push, platform, language, count)
      tally.addSent(key, clock.wallAt(now), addressed ?? 0, accepted)
    },

    /** Ends a cancelled delivery that is not in memory. `more`: call it again; `over`: it had ended before. */
    cancel(key: DeliveryKey, now: number): 'ended' | 'more' | 'over' {
      if (isOpen.get(key.push, key.platform) === null) return 'over'
      if (endSome(key, CANCELLED, now)) return 'more'
      end(key, CANCELLED, now)
      return 'ended'
    },
  }
}

function openOf({ lane, whole, ...row }: OpenRow, platforms: PlatformTable): OpenDelivery {
  return {
    ...row,
    hasManyGateways: platforms[row.platform].tokens === 'endpoint',
    queue: lane === 0 ? 'single' : 'many',
    notification: storedJson(row.notification) as Notification,
    audience: audienceFrom(row.audience, whole),
    ahead: storedJson(row.ahead) as Range[],
  }
}
