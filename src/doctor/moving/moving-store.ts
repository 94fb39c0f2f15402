import { DAY_MS } from '../../clock.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Platform } from '../../device/device.ts'

/** Devices of one platform. "Imported": added by an import. */
export interface MovingCount {
  readonly platform: Platform
  /** In any state. */
  readonly imported: number
  /** Imported, and registered by themselves since. */
  readonly moved: number
  /** Imported, not registered since; of these, without a user. */
  readonly waiting: number
  readonly nameless: number
  readonly registered: number
}

export interface RefusalCount {
  readonly reason: string
  readonly devices: number
}

interface SentCount {
  /** Accepted by gateways, and reported opens, on the last 7 and 30 days (UTC). */
  readonly sent7: number
  readonly opened7: number
  readonly sent30: number
  readonly opened30: number
}

/** Needs the newest schema. 1,000,000 devices take 2 to 3 s on 2 busy cores: a table pass and an index pass. */
export function createMovingStore({ statement }: Pick<ReadOnlyDatabase, 'statement'>) {
  return {
    devices: (application: number) =>
      statement<MovingCount, [number]>(
        `SELECT platform, sum(imported IS NOT NULL) AS imported, sum(imported IS 0 AND state = 0) AS moved,
           sum(imported IS 1 AND state = 0) AS waiting, sum(imported IS 1 AND state = 0 AND user IS NULL) AS nameless,
           sum(state = 0) AS registered
         FROM device NOT INDEXED WHERE application = ? GROUP BY platform`,
      ).all(application),

    /** Users with an imported, unregistered device and a newly registered one on the same platform. */
    twins: (application: number): number =>
      // The grouping uses the index alone; few users have two devices of a platform.
      statement<{ users: number }, [number]>(
        `SELECT count(DISTINCT user) AS users FROM (
           SELECT user, platform FROM device INDEXED BY device_by_user
           WHERE application = ?1 AND user IS NOT NULL AND state = 0 GROUP BY user, platform HAVING count(*) > 1) AS t
         WHERE EXISTS (SELECT 1 FROM device d INDEXED BY device_to_adopt
             WHERE d.application = ?1 AND d.user = t.user AND d.platform = t.platform AND d.imported = 1 AND d.state = 0)
           AND EXISTS (SELECT 1 FROM device d INDEXED BY device_by_user
             WHERE d.application = ?1 AND d.user = t.user AND d.platform = t.platform AND d.state = 0
               AND d.imported IS NULL)`,
      ).get(application)?.users ?? 0,

    /**
     * Why imported devices were set aside, and why tokens are refused by a credential that no gateway has accepted yet.
     * Most frequent first.
     */
    refusals: (application: number) =>
      statement<RefusalCount, [number]>(
        `SELECT reason, count(*) AS devices FROM (
           SELECT r.reason FROM refused_token r JOIN device d ON d.id = r.device
           WHERE r.application = ?1 AND d.imported IS NOT NULL AND d.state = 0
           UNION ALL
           SELECT f.reason FROM device d INDEXED BY device_left CROSS JOIN feedback f
             ON f.application = d.application AND f.platform = d.platform AND f.token = d.token
           WHERE d.application = ?1 AND d.state <> 0 AND d.imported = 1)
         GROUP BY reason ORDER BY devices DESC, reason`,
      ).all(application),

    /** Whether registrations replace imported devices; `null`: unset. */
    adopts(application: number): boolean | null {
      const row = statement<{ adopts: 0 | 1 | null }, [number]>(
        'SELECT adopt_imported AS adopts FROM application WHERE number = ?',
      ).get(application)
      return row === null || row.adopts === null ? null : row.adopts === 1
    },

    sent(application: number, now: number): SentCount {
      const today = Math.floor(now / DAY_MS)
      const since = (column: 's' | 'o', days: number) => `coalesce(sum(iif(day > ?2 - ${days}, ${column}, 0)), 0)`
      return statement<SentCount, [number, number]>(
        `SELECT ${since('s', 7)} AS sent7, ${since('o', 7)} AS opened7, ${since('s', 30)} AS sent30,
           ${since('o', 30)} AS opened30 FROM tally WHERE application = ?1 AND day > ?2 - 30`,
      ).get(application, today) as SentCount
    },
  }
}

export type MovingStore = ReturnType<typeof createMovingStore>
