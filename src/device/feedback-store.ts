import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, feedback } from '../database/schema.ts'
import type { Sweep } from '../database/sweep.ts'
import { unpackToken } from './device.ts'
import type { PackedToken, Platform } from './device.ts'

export interface FeedbackEntry {
  readonly token: string
  readonly platform: Platform
  /** The gateway's own word, such as `Unregistered`. */
  readonly reason: string
  readonly at: number
}

type FeedbackRow = Omit<StoredRow<typeof feedback>, 'application'>

export type TokenKey = [application: number, platform: number, token: PackedToken]

/** Rows in memory, with tokens of up to 4 KiB. */
const PAGE = 200

const KEEP_FEEDBACK_MS = 90 * DAY_MS

/** Entries per step: 1 ms. */
const SWEEP_LIMIT = 100

export type FeedbackStore = ReturnType<typeof createFeedbackStore>

export function createFeedbackStore({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  const page = database.reading<FeedbackRow, [number, number, number, number, PackedToken, number]>(
    `SELECT token, platform, reason, at FROM feedback
     WHERE application = ? AND at >= ? AND (at, platform, token) < (?, ?, ?)
     ORDER BY at DESC, platform DESC, token DESC LIMIT ?`,
  )
  const byDay = database.reading<{ day: number; count: number }, [application: number, since: number]>(
    `SELECT at / ${DAY_MS} AS day, count(*) AS count FROM feedback WHERE application = ? AND at >= ? GROUP BY 1`,
  )
  // The index by time begins with the application.
  const next = database.statement<{ number: number }, [after: number]>(
    'SELECT number FROM application WHERE number > ? ORDER BY number LIMIT 1',
  )
  const purge = database.statement<{ at: number }, [application: number, before: number, limit: number]>(
    `DELETE FROM feedback WHERE application = ?1 AND (platform, token) IN (
       SELECT platform, token FROM feedback WHERE application = ?1 AND at < ?2 LIMIT ?3) RETURNING at`,
  )

  /** One step, for the first application after `after`. */
  const sweep: Sweep = (now, after) => {
    const application = next.get(after)?.number
    if (application === undefined) return null
    return purge.all(application, now - KEEP_FEEDBACK_MS, SWEEP_LIMIT).length < SWEEP_LIMIT ? application : after
  }

  return {
    /** Newest first, from `since` to `until`, both inclusive. Default: all. */
    *list(application: number, since = 0, until: number | null = null): Generator<FeedbackEntry, void> {
      let at = until === null ? Number.MAX_SAFE_INTEGER : until + 1
      let [platform, token]: [number, PackedToken] = [0, '']
      for (;;) {
        const rows = page.all(application, since, at, platform, token, PAGE)
        for (const row of rows) yield { ...row, token: unpackToken(row.token) }
        const last = rows.at(-1)
        if (last === undefined || rows.length < PAGE) return
        ;({ at, platform, token } = last)
      }
    },

    /** By UTC day since the Unix epoch; `since` in ms. Covered by an index. */
    countByDay: (application: number, since: number) => byDay.all(application, since),

    sweep,
  }
}

export function createFeedbackWriter({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const put = (where: string) =>
    database.statement<never, [...TokenKey, reason: string, at: number]>(
      `INSERT INTO feedback (application, platform, token, reason, at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET reason = excluded.reason, at = excluded.at ${where}`,
    )
  const [report, note] = [put(''), put('WHERE excluded.at > feedback.at')]
  const saidAt = database.statement<{ at: number }, TokenKey>(
    'SELECT at FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const forget = database.statement<never, TokenKey>(
    'DELETE FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  return {
    report: (key: TokenKey, reason: string, at: number): void => void report.run(...key, reason, at),

    /**
     * For imports: keeps the latest word, and returns whether this is it. `reason` `null` is unknown and not stored.
     */
    note: (key: TokenKey, { reason, at }: { readonly reason: string | null; readonly at: number }): boolean =>
      reason !== null && note.run(...key, reason, at).changes > 0,

    /** The gateway's last word; `null`: none. */
    saidAt: (...key: TokenKey): number | null => saidAt.get(...key)?.at ?? null,

    forget: (...key: TokenKey): void => void forget.run(...key),
  }
}
