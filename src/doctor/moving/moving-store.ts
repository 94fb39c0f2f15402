import { DAY_MS } from '../../clock.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import type { Platform } from '../../device/device.ts'

/** Devices of one platform; "imported" are those that an import brought. */
export interface MovingCount {
  readonly platform: Platform
  /** In any state. */
  readonly imported: number
  /** Of the imported: registered by themselves since. */
  readonly moved: number
  /** Of the imported: not since, and of these without a user. */
  readonly waiting: number
  readonly nameless: number
  /** In all, registered. */
  readonly registered: number
}

export interface RefusalCount {
  /** The gateway's own word. */
  readonly reason: string
  readonly devices: number
}

interface SentCount {
  /** Accepted by gateways, and opens reported, on the last 7 and 30 days, UTC. */
  readonly sent7: number
  readonly opened7: number
  readonly sent30: number
  readonly opened30: number
}

/** Counts of a move; the schema must be the newest. 1,000,000 devices take 2 to 3 s on 2 busy cores: a pass over the table and one along an index. */
export function createMovingStore({ statement }: Pick<ReadOnlyDatabase, 'statement'>) {
  return {
    devices: (application: number) =>
      statement<MovingCount, [number]>(
        `SELECT platform, sum(imported IS NOT NULL) AS imported, sum(imported IS 0 AND state = 0) AS moved,
           sum(imported IS 1 AND state = 0) AS waiting, sum(imported IS 1 AND state = 0 AND user IS NULL) AS nameless,
           sum(state = 0) AS registered
         FROM device NOT INDEXED WHERE application = ? GROUP BY platform`,
      ).all(application),

    /** Users with, on one platform, an imported device that has not registered and one that came by itself. */
    twins: (application: number): number =>
      // The grouping runs along the index alone, and few users have two devices of a platform.
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
     * Why imported devices were set aside, and with which reasons their tokens are refused by a credential that was not
     * accepted for any device yet. The most frequent first.
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

    /** Whether registrations replace imported devices; `null`: not said. */
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
