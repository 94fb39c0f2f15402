import type { Application, SecretOwner } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, webhook } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import type { EventType } from './event.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'

export interface Webhook {
  readonly url: string
  readonly events: readonly EventType[]
  /** Ms since the Unix epoch, when the receiver answered 410; `null`: it has not. */
  readonly disabledAt: number | null
}

/** Where to send, and what to sign with. */
export interface Receiver {
  readonly application: string
  readonly url: string
  /** `null`: the stored one does not open with this key. */
  readonly secret: string | null
  /** Tells one version of the webhook from the next. */
  readonly changedAt: number
}

/** Events erased in one step of a sweep: 2 ms. */
const STEP = 200

interface Options {
  readonly database: Pick<Database, 'orm' | 'statement' | 'transact'>
  readonly clock: Pick<Clock, 'now'>
  /** 32 bytes, from `proveSealingKey`. */
  readonly key: Uint8Array
}

export type WebhookStore = ReturnType<typeof createWebhookStore>

/** One webhook an application, its secret sealed with a key that is not in the database. */
export function createWebhookStore({ database, clock, key }: Options) {
  const find = database.statement<StoredRow<typeof webhook>, [application: number]>(
    'SELECT * FROM webhook WHERE application = ?',
  )
  const receiver = database.statement<{ id: string; url: string; sealed: Uint8Array; changedAt: number }, [number]>(
    `SELECT a.id, w.url, w.sealed, w.changed_at AS changedAt
     FROM webhook w JOIN application a ON a.number = w.application WHERE w.application = ? AND w.disabled_at IS NULL`,
  )
  // Later than before in any case: `changed_at` tells one version from the next.
  const put = database.statement<never, [number, url: string, sealed: Uint8Array, events: string, now: number]>(
    `INSERT INTO webhook (application, url, sealed, events, changed_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET url = excluded.url, sealed = excluded.sealed, events = excluded.events,
       changed_at = max(excluded.changed_at, changed_at + 1), disabled_at = NULL`,
  )
  const eraseOthers = database.statement<never, [application: number, types: string]>(
    'DELETE FROM event WHERE application = ? AND type NOT IN (SELECT value FROM json_each(?))',
  )
  const hurry = database.statement<never, [now: number, application: number]>(
    `UPDATE event SET attempt = 0, due_at = ? - ${WALL_AHEAD} WHERE application = ?`,
  )
  const disable = database.statement<object, [now: number, application: number, changedAt: number]>(
    'UPDATE webhook SET disabled_at = ? WHERE application = ? AND changed_at = ? RETURNING 1',
  )
  const erase = createWebhookErasure(database)
  const eraseSome = database.statement<{ number: number }, [number, number]>(
    `DELETE FROM event WHERE number IN (
       SELECT number FROM event WHERE application = ?1
         AND EXISTS (SELECT 1 FROM webhook WHERE application = ?1 AND disabled_at IS NOT NULL) LIMIT ?2) RETURNING number`,
  )
  const nextDisabled = database.statement<{ application: number }, [after: number]>(
    'SELECT application FROM webhook WHERE application > ? AND disabled_at IS NOT NULL ORDER BY application LIMIT 1',
  )

  const eraseUnwanted = (application: number): boolean => eraseSome.all(application, STEP).length === STEP

  return {
    find({ number }: Pick<Application, 'number'>): Webhook | null {
      const row = find.get(number)
      return row && { url: row.url, events: storedJson(row.events) as EventType[], disabledAt: row.disabled_at }
    },

    /**
     * Replaces an earlier one. Waiting events are due now; types that are not among `events` are erased. `secret`: `null`
     * keeps the one there is.
     */
    put(
      { number, id }: SecretOwner,
      { url, events, secret }: { url: string; events: readonly EventType[]; secret: string | null },
    ): void {
      const types = JSON.stringify(events)
      const now = clock.now()
      database.transact(() => {
        const had = find.get(number)
        const sealed = secret === null ? had?.sealed : seal(key, sealedFor(id), secret)
        if (sealed === undefined) throw new Error(`application ${id} has no webhook whose secret could be kept`)
        put.run(number, url, sealed, types, now)
        // If it was disabled, nothing that still waits is wanted.
        eraseOthers.run(number, had !== null && had.disabled_at !== null ? '[]' : types)
        hurry.run(now, number)
      })
    },

    /** With its events; returns whether there was one. */
    remove({ number }: Pick<Application, 'number'>): boolean {
      return database.transact(() => erase(number))
    },

    /** `null`: there is none, or it is disabled. */
    receiver(application: number): Receiver | null {
      const row = receiver.get(application)
      if (row === null) return null
      const { id, url, changedAt, sealed } = row
      return { application: id, url, changedAt, secret: open(key, sealedFor(id), sealed) }
    },

    /** Unless it was changed after `changedAt`; returns whether it is. Its events are left to `eraseUnwanted`. */
    disable: (application: number, changedAt: number, now: number): boolean =>
      disable.get(now, application, changedAt) !== null,

    /** Erases some events of a disabled webhook, in the caller's transaction; returns whether there may be more. */
    eraseUnwanted,

    /** The same for the first disabled webhook behind application `after`; returns where to go on, `null`: all done. */
    sweep(after: number): number | null {
      const application = nextDisabled.get(after)?.application
      if (application === undefined) return null
      return eraseUnwanted(application) ? after : application
    },
  }
}

function sealedFor(application: string) {
  return { application, provider: 'webhook secret' } as const
}
