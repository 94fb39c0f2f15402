import type { Database } from '../database/database.ts'
import { unpackToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'
import type { PlatformProgress, StoredPush } from './status.ts'

/** A device that a push did not reach. */
export interface FailedRecipient {
  /** `null`: the device was erased since. */
  readonly token: string | null
  readonly platform: Platform
  readonly state: FailedState
  /** The gateway's last word. */
  readonly reason: string
  /** Sends. */
  readonly attempts: number
  /** When it was decided, ms since the Unix epoch. */
  readonly at: number
}

/** Expired: its time to live was over. */
export type FailedState = 'rejected' | 'gone' | 'expired'

interface ReachRow extends Omit<PlatformProgress, 'open'> {
  open: number
}

interface FailureRow {
  platform: Platform
  device: number
  token: string | Uint8Array | null
  state: FailedState
  reason: string
  attempts: number
  at: number
}

/** Rows of exceptions looked at before the event loop gets a turn: about 2 ms. */
const CHUNK = 2000

/** Failures read at a time, with tokens of up to 4 KiB: what their list holds in memory, whatever its length. */
const PAGE = 200

const WHOLE = '(SELECT number FROM push WHERE number = ?1 OR parent = ?1)'

const COLUMNS = `p.number, p.id, p.created_at AS createdAt, p.send_at AS sendAt, p.released_at AS releasedAt,
  p.cancelled_at AS cancelledAt,
  p.opened + (SELECT coalesce(sum(c.opened), 0) FROM push c WHERE c.parent = p.number) AS opened,
  (SELECT count(*) FROM push c WHERE c.parent = p.number AND c.released_at IS NULL AND c.cancelled_at IS NULL)
    AS wavesToCome`

const FAILED = `state IN ('rejected', 'gone', 'expired')`

export type StatusStore = ReturnType<typeof createStatusStore>

/** What became of pushes. Callers know of a push by local time the whole, not its waves. */
export function createStatusStore({ database }: { database: Pick<Database, 'reading'> }) {
  const find = database.reading<StoredPush, [string, number]>(
    `SELECT ${COLUMNS} FROM push p WHERE p.id = ? AND p.application = ? AND p.parent IS NULL`,
  )
  const page = database.reading<StoredPush, [number, number, number]>(
    `SELECT ${COLUMNS} FROM push p WHERE p.application = ? AND p.number < ? AND p.parent IS NULL
     ORDER BY p.number DESC LIMIT ?`,
  )
  // The condition of the index `push_scheduled`; a push by local time is there by its waves.
  const scheduled = database.reading<StoredPush, [number, number]>(
    `SELECT ${COLUMNS} FROM push p WHERE p.number IN (SELECT coalesce(parent, number) FROM push
       WHERE released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL AND application = ?)
     ORDER BY p.send_at, p.number LIMIT ?`,
  )
  // Both are read off their partial indexes.
  const unfinished = database.reading<{ count: number }, [number]>(
    `SELECT (SELECT count(DISTINCT push) FROM delivery
         WHERE application = ?1 AND platform IN (0, 1) AND finished_at IS NULL)
       + (SELECT count(DISTINCT coalesce(parent, number)) FROM push
         WHERE released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL AND application = ?1) AS count`,
  )
  const waiting = (done: string) => `sum(iif(finished_at IS NULL, max(${done} - accepted - failed, 0), 0))`
  const reach = database.reading<ReachRow, [number]>(
    `SELECT platform, sum(coalesce(addressed, 0)) AS t, sum(accepted) AS s, sum(failed) AS failed,
       sum(removed) AS removed, ${waiting('coalesce(addressed, 0)')} AS waiting, ${waiting('settled')} AS retrying,
       count(*) FILTER (WHERE finished_at IS NULL) AS open, min(started_at) AS startedAt, max(finished_at) AS finishedAt,
       max(refused) AS refused
     FROM delivery WHERE push IN ${WHOLE} GROUP BY platform ORDER BY platform`,
  )
  const parts = database.reading<
    { push: number; platform: Platform; failed: number; removed: number; refused: string | null },
    [number]
  >(`SELECT push, platform, failed, removed, refused FROM delivery WHERE push IN ${WHOLE} ORDER BY push, platform`)
  const reasons = database.reading<
    { failed: number; reason: string; count: number; last: number },
    [number, Platform, number, number]
  >(
    `SELECT ${FAILED} AS failed, reason, count(*) AS count, max(device) AS last FROM (
       SELECT state, reason, device FROM push_exception WHERE push = ? AND platform = ? AND device > ?
       ORDER BY device LIMIT ?)
     GROUP BY 1, 2`,
  )
  const failures = database.reading<FailureRow, [number, Platform, number, number]>(
    `SELECT e.device, e.platform, d.token, e.state, e.reason, e.attempt AS attempts, e.due_at AS at
     FROM push_exception e LEFT JOIN device d ON d.id = e.device
     WHERE e.push = ? AND e.platform = ? AND e.device > ? AND e.${FAILED} ORDER BY e.device LIMIT ?`,
  )

  return {
    find: (application: number, id: string): StoredPush | null => find.get(id, application),

    /** Pushes with a number below `before`, newest first. */
    list: (application: number, before: number, limit: number): StoredPush[] => page.all(application, before, limit),

    /** Pushes of which something waits for its time, the soonest first. */
    scheduled: (application: number, limit: number): StoredPush[] => scheduled.all(application, limit),

    /** How many are being sent or wait for their time. */
    unfinished: (application: number): number => unfinished.get(application)?.count ?? 0,

    /** One entry for each platform that the push, `push.number`, goes to; none before its moment has come. */
    reach: (push: number): PlatformProgress[] => reach.all(push).map(reachOf),

    /** How many recipients failed for each reason. Read in parts, so that nobody waits for it. */
    async reasons(push: number): Promise<Map<string, number>> {
      const counts = new Map<string, number>()
      const add = (reason: string, more: number) => counts.set(reason, (counts.get(reason) ?? 0) + more)
      for (const part of parts.all(push)) {
        let written = 0
        for (let after = 0, seen = CHUNK; seen === CHUNK;) {
          const groups = reasons.all(part.push, part.platform, after, CHUNK)
          seen = groups.reduce((sum, { count }) => sum + count, 0)
          after = Math.max(after, ...groups.map(({ last }) => last))
          for (const { failed, reason, count } of groups) {
            if (failed === 0) continue
            add(reason, count)
            written += count
          }
          if (seen === CHUNK) await new Promise((resolve) => setImmediate(resolve))
        }
        // Who was not sent to, since the gateway had refused the push for everybody.
        const unasked = part.failed - written - part.removed
        if (part.refused !== null && unasked > 0) add(part.refused, unasked)
      }
      return counts
    },

    /** Everybody whom the push did not reach, but for those not sent to before it expired or was cancelled. */
    *failures(push: number): Generator<FailedRecipient, void> {
      for (const part of parts.all(push)) {
        for (let after = 0, found = PAGE; found === PAGE;) {
          const rows = failures.all(part.push, part.platform, after, PAGE)
          for (const { token, platform, state, reason, attempts, at } of rows) {
            yield { token: token === null ? null : unpackToken(token), platform, state, reason, attempts, at }
          }
          found = rows.length
          after = rows.at(-1)?.device ?? after
        }
      }
    },
  }
}

function reachOf(row: ReachRow): PlatformProgress {
  return { ...row, open: row.open > 0 }
}
