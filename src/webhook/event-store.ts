import { ELSEWHERE } from '../application/elsewhere.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, device as deviceTable } from '../database/schema.ts'
import { unpackToken } from '../device/device.ts'
import type { Platform } from '../device/device.ts'
import { isoTime } from '../text/format.ts'
import { PLATFORM } from '../platform.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import { eventBodyOf } from './event.ts'
import type { Event, EventType, PushOpened } from './event.ts'

/** Per application; beyond it the oldest are erased. */
const MAX_WAITING = 100_000

export interface StoredEvent {
  readonly number: number
  readonly id: string
  readonly type: EventType
  readonly body: string
  readonly attempt: number
}

export interface FinishedPush {
  readonly id: string
  readonly cancelled: boolean
  /** Addressed, accepted by the gateway, failed. */
  readonly t: number
  readonly s: number
  readonly failed: number
  /** Why a gateway refuses the push itself, if one does. */
  readonly refused: string | null
  /** `null`: nothing was sent. */
  readonly started: number | null
  readonly finished: number
}

type DeviceRow = Pick<StoredRow<typeof deviceTable>, 'application' | 'platform' | 'token'>

export type EventStore = ReturnType<typeof createEventStore>

/**
 * Undelivered events. Writes run in the caller's transaction: an event is stored together with the fact it reports, and
 * only if a webhook wants it. `now`: ms since the Unix epoch; due times are service time.
 */
export function createEventStore({ database, maxWaiting = MAX_WAITING }: Options) {
  const wants = database.statement<{ one: number }, [number, EventType]>(
    `SELECT 1 AS one FROM webhook WHERE application = ? AND disabled_at IS NULL
       AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)`,
  )
  const insert = database.statement<never, [string, number, EventType, string, number]>(
    `INSERT INTO event (id, application, type, body, due_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5 - ${WALL_AHEAD}, ?5)`,
  )
  const count = database.statement<{ waiting: number }, [number]>(
    'UPDATE webhook SET waiting = waiting + 1 WHERE application = ? RETURNING waiting',
  )
  const waiting = database.statement<{ waiting: number }, [number]>('SELECT waiting FROM webhook WHERE application = ?')
  const eraseOldest = database.statement<never, [number]>(
    'DELETE FROM event WHERE number = (SELECT min(number) FROM event WHERE application = ?)',
  )
  const noteDropped = database.statement<never, [number]>(
    'UPDATE webhook SET dropped = dropped + 1 WHERE application = ?',
  )
  const device = database.statement<DeviceRow, [number]>('SELECT application, platform, token FROM device WHERE id = ?')
  const markPaused = database.statement<never, [number, Platform]>(
    'INSERT INTO paused_credential (application, platform) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const unmarkPaused = database.statement<never, [number, Platform]>(
    'DELETE FROM paused_credential WHERE application = ? AND platform = ?',
  )

  const receivers = database.statement<{ application: number }, [number]>(
    `SELECT application FROM webhook w WHERE disabled_at IS NULL AND application NOT IN ${ELSEWHERE}
       AND EXISTS (SELECT 1 FROM event e WHERE e.application = w.application AND e.due_at <= ?)`,
  )
  const due = database.statement<StoredEvent, [number, number, number]>(
    `SELECT number, id, type, body, attempt FROM event WHERE application = ? AND due_at <= ?
     ORDER BY due_at, number LIMIT ?`,
  )
  const erase = database.statement<never, [number]>('DELETE FROM event WHERE number = ?')
  const putOff = database.statement<never, [number, number, number]>(
    'UPDATE event SET attempt = ?, due_at = ? WHERE number = ?',
  )
  const dropped = database.statement<{ application: string; events: number }, []>(
    `SELECT a.id AS application, w.dropped AS events FROM webhook w JOIN application a ON a.number = w.application
     WHERE w.dropped > 0`,
  )
  const anyDropped = database.statement<{ one: number }, []>('SELECT 1 AS one FROM webhook WHERE dropped > 0 LIMIT 1')
  const forgetDropped = database.statement<never, []>('UPDATE webhook SET dropped = 0 WHERE dropped > 0')

  function record(application: number, event: Event, now: number): void {
    insert.run(`evt_${Bun.randomUUIDv7('hex', now)}`, application, event.type, eventBodyOf(event, now), now)
    if ((count.get(application)?.waiting ?? 0) <= maxWaiting) return
    eraseOldest.run(application)
    noteDropped.run(application)
  }

  function isWanted(application: number, type: EventType): boolean {
    return wants.get(application, type) !== null
  }

  return {
    /** Whether the application's webhook wants this type. If not, skip computing its data. */
    isWanted,

    /** Only if `push.finished` is wanted. */
    pushFinished(application: number, push: FinishedPush, now: number): void {
      const { id, cancelled, t, s, failed, refused, started, finished } = push
      const data = {
        id,
        state: cancelled ? ('cancelled' as const) : ('finished' as const),
        t,
        s,
        failed,
        ...(refused !== null && { reason: refused }),
        ...(started !== null && { started_at: isoTime(started) }),
        finished_at: isoTime(finished),
      }
      record(application, { type: 'push.finished', data }, now)
    },

    pushOpened(application: number, data: PushOpened, now: number): void {
      if (!isWanted(application, 'push.opened')) return
      // Anyone with the application ID can report opens: leave room for other events.
      if ((waiting.get(application)?.waiting ?? 0) >= maxWaiting / 2) noteDropped.run(application)
      else record(application, { type: 'push.opened', data }, now)
    },

    /** `id`: `device.id`. */
    deviceGone(id: number, reason: string, now: number): void {
      const row = device.get(id)
      if (row === null || !isWanted(row.application, 'device.gone')) return
      const data = { token: unpackToken(row.token), platform: `${row.platform}` as const, reason, at: isoTime(now) }
      record(row.application, { type: 'device.gone', data }, now)
    },

    /** A gateway refuses the credential. Stored once, until it is accepted again. */
    credentialPaused(application: number, platform: Platform, reason: string, now: number): void {
      const wanted = isWanted(application, 'credential.paused')
      if (!wanted && !isWanted(application, 'credential.resumed')) return
      if (markPaused.run(application, platform).changes === 0 || !wanted) return
      const data = { provider: PLATFORM[platform].provider, state: 'misconfigured' as const, reason }
      record(application, { type: 'credential.paused', data }, now)
    },

    /** A gateway has accepted a notification. Stored only after `credentialPaused`. */
    credentialResumed(application: number, platform: Platform, now: number): void {
      if (unmarkPaused.run(application, platform).changes === 0) return
      if (!isWanted(application, 'credential.resumed')) return
      const data = { provider: PLATFORM[platform].provider, state: 'ready' as const }
      record(application, { type: 'credential.resumed', data }, now)
    },

    /** Applications with an event due at `now`, ms of service time. */
    receivers: (now: number): number[] => receivers.all(now).map(({ application }) => application),

    due: (application: number, now: number, limit: number): StoredEvent[] => due.all(application, now, limit),

    erase: (number: number): void => void erase.run(number),

    putOff: (number: number, attempt: number, dueAt: number): void => void putOff.run(attempt, dueAt, number),

    hasDropped: (): boolean => anyDropped.get() !== null,

    /** Events erased for lack of room since the last call, by `application.id`. */
    takeDropped(): { readonly application: string; readonly events: number }[] {
      const rows = dropped.all()
      if (rows.length > 0) forgetDropped.run()
      return rows
    },
  }
}

interface Options {
  readonly database: Pick<Database, 'statement'>
  readonly maxWaiting?: number
}
