import type { Database } from '../../database/database.ts'
import type { StoredRow, clockJump } from '../../database/schema.ts'
import type { ClockJump } from '../time/steady-clock.ts'
import { ALONG, BACK, beforeAll, behindAll, BY_END, createExpiryScan } from './expiry-scan.ts'
import type { ExpiryKey } from './expiry-scan.ts'
import { storedJson } from '../../database/damage.ts'

/** Deliveries moved in one step: some milliseconds. */
const STEP = 250

type JumpRow = StoredRow<typeof clockJump>

/** The pushes themselves, whose callers are told how long they live. */
export interface PushExpiry {
  /** `expiresAt` in ms since the Unix epoch. */
  setExpiry(push: number, expiresAt: number): void
}

interface Dependencies {
  readonly database: Pick<Database, 'statement'>
  readonly pushes: PushExpiry
}

/**
 * Times to live follow a jump of the clock: a jump is noted, and what is open follows it in steps. How far they have come
 * is on disk with each step, so that a process which ends between two leaves nothing half done. Everything runs in
 * transactions of the caller.
 */
export function createClockJumpStore({ database, pushes }: Dependencies) {
  const note = database.statement<never, [byMs: number, since: number, until: number]>(
    'INSERT INTO clock_jump (by_ms, since, until) VALUES (?, ?, ?)',
  )
  const first = database.statement<JumpRow, []>(
    'SELECT * FROM clock_jump WHERE number = (SELECT min(number) FROM clock_jump)',
  )
  const reach = database.statement<never, [string, number]>('UPDATE clock_jump SET reached = ? WHERE number = ?')
  const forget = database.statement<never, [number]>('DELETE FROM clock_jump WHERE number = ?')
  // What came after the jump has its times by the new time of day. A push that was to be sent later may have come out
  // since the jump was noted. What is cancelled is over.
  const move = (rows: string) =>
    database.statement<{ push: number }, number[]>(
      `UPDATE delivery ${BY_END} SET expires_at = expires_at + ? WHERE ${rows} AND NOT EXISTS (
         SELECT 1 FROM push p WHERE p.number = delivery.push AND (p.cancelled_at IS NOT NULL
           OR coalesce(p.released_at, p.created_at) BETWEEN ? AND iif(p.send_at IS NULL, ?, ?)))
       RETURNING push`,
    )
  const endOf = database.statement<{ at: number | null }, [byMs: number, push: number]>(
    `SELECT iif(?1 > 0, max(expires_at), min(expires_at)) AS at FROM delivery WHERE push = ?2 AND finished_at IS NULL`,
  )
  const [moveAlong, moveBack] = [move(ALONG), move(BACK)]
  const scan = createExpiryScan(database, STEP)

  return {
    /** Notes a jump; `now` in ms since the Unix epoch. */
    note: ({ byMs, since }: ClockJump, now: number): void => void note.run(byMs, since, now),

    /** One step for the first jump that is noted; says whether there may be more. `now` in ms since the Unix epoch. */
    follow(now: number): boolean {
      const jump = first.get()
      if (jump === null) return false
      const { number, by_ms: byMs, since, until } = jump
      // Against the way in which they move: what is moved is not met again.
      const isAhead = byMs > 0
      const [start, end] = isAhead ? [behindAll(), beforeAll()] : [beforeAll(), behindAll()]
      const from = jump.reached === null ? start : (storedJson(jump.reached) as ExpiryKey)
      const next = (isAhead ? scan.back : scan.along)(from, end)
      const rows = [byMs, ...from, ...(next ?? end), since, until, Math.max(until, now)]
      for (const { push } of (isAhead ? moveBack : moveAlong).all(...rows)) {
        const expiresAt = endOf.get(byMs, push)?.at ?? null
        if (expiresAt !== null) pushes.setExpiry(push, expiresAt)
      }
      if (next === null) forget.run(number)
      else reach.run(JSON.stringify(next), number)
      return next !== null || first.get() !== null
    },

    /** Whether times to live have not followed every jump yet. */
    isBehind: (): boolean => first.get() !== null,
  }
}
