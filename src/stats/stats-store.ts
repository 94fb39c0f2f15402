import type { Database } from '../database/database.ts'
import { packToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'

/** Endpoint 15: all-time sums of an application. */
export interface Analytics {
  /** Notifications addressed: one for each device of each push's audience. */
  readonly t: number
  /** Opens recorded. */
  readonly o: number
  /** Taken by a gateway, which is not the same as shown. */
  readonly s: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export type StatsStore = ReturnType<typeof createStatsStore>

/**
 * Counts by application, UTC day and platform. Opens are written here; `t` and `s` by the delivery, in the transaction
 * that settles what they count.
 */
export function createStatsStore({ database }: { database: Pick<Database, 'statement'> }) {
  const sums = database.statement<Analytics, [application: number]>(
    `SELECT coalesce(sum(t), 0) AS t, coalesce(sum(o), 0) AS o, coalesce(sum(s), 0) AS s
     FROM tally WHERE application = ?`,
  )
  const addOpen = database.statement<never, [application: number, day: number, platform: Platform]>(
    `INSERT INTO tally (application, day, platform, o) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET o = o + 1`,
  )
  const openedPush = database.statement<{ number: number }, [id: string, application: number]>(
    'UPDATE push SET opened = opened + 1 WHERE id = ? AND application = ? RETURNING number',
  )
  const openedBy = database.statement<
    never,
    [push: number, now: number, application: number, platform: Platform, token: string | Uint8Array]
  >(
    `INSERT INTO opened (push, device, at) SELECT ?, id, ? FROM device WHERE application = ? AND platform = ? AND token = ?
     ON CONFLICT DO NOTHING`,
  )

  return {
    analytics: (application: number): Analytics => sums.get(application) ?? { t: 0, o: 0, s: 0 },

    /**
     * One open at `now` (ms since the Unix epoch). It counts for the push too, where that is the application's own; of
     * the device with this `token` the first is kept.
     */
    opened(application: number, platform: Platform, now: number, push?: string | null, token?: string | null): void {
      addOpen.run(application, Math.floor(now / DAY_MS), platform)
      const opened = push ? openedPush.get(push, application) : null
      if (opened === null || !token) return
      openedBy.run(opened.number, now, application, platform, packToken(token))
    },
  }
}
