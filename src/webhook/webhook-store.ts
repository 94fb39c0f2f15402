import type { Application, SecretOwner } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { open, seal } from '../sealing/seal.ts'
import type { EventType } from './event.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'

/** What may be shown. */
export interface Webhook {
  readonly url: string
  readonly events: readonly EventType[]
  /** Ms since the Unix epoch, when the receiver answered that it wants no more; `null`: it has not. */
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

interface Row {
  readonly url: string
  readonly sealed: Uint8Array
  readonly events: string
  readonly changed_at: number
  readonly disabled_at: number | null
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
  const find = database.statement<Row, [number]>(
    'SELECT url, sealed, events, changed_at, disabled_at FROM webhook WHERE application = ?',
  )
  const receiver = database.statement<Row & { readonly id: string }, [number]>(
    `SELECT a.id, w.* FROM webhook w JOIN application a ON a.number = w.application
     WHERE w.application = ? AND w.disabled_at IS NULL`,
  )
  // Later than before in any case: it is what tells one version from the next.
  const put = database.statement<never, [number, string, Uint8Array, string, number]>(
    `INSERT INTO webhook (application, url, sealed, events, changed_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET url = excluded.url, sealed = excluded.sealed, events = excluded.events,
       changed_at = max(excluded.changed_at, changed_at + 1), disabled_at = NULL`,
  )
  const eraseOthers = database.statement<never, [number, string]>(
    'DELETE FROM event WHERE application = ? AND type NOT IN (SELECT value FROM json_each(?))',
  )
  const hurry = database.statement<never, [number, number]>(
    'UPDATE event SET attempt = 0, due_at = ? WHERE application = ?',
  )
  const erase = createWebhookErasure(database)
  const eraseEvents = database.statement<never, [number]>('DELETE FROM event WHERE application = ?')
  const eraseSome = database.statement<{ number: number }, [number, number]>(
    `DELETE FROM event WHERE number IN (
       SELECT number FROM event WHERE application = ?1
         AND EXISTS (SELECT 1 FROM webhook WHERE application = ?1 AND disabled_at IS NOT NULL) LIMIT ?2) RETURNING number`,
  )
  const nextDisabled = database.statement<{ application: number }, [after: number]>(
    'SELECT application FROM webhook WHERE application > ? AND disabled_at IS NOT NULL ORDER BY application LIMIT 1',
  )
  const disable = database.statement<never, [number, number, number]>(
    'UPDATE webhook SET disabled_at = ? WHERE application = ? AND changed_at = ?',
  )

  const eraseUnwanted = (application: number): boolean => eraseSome.all(application, STEP).length === STEP

  return {
    find({ number }: Pick<Application, 'number'>): Webhook | null {
      const row = find.get(number)
      return row && { url: row.url, events: JSON.parse(row.events) as EventType[], disabledAt: row.disabled_at }
    },

    /**
     * Takes the place of an earlier one. What waits for it is due at once, apart from types that are not among
     * `events`. `secret` `null` keeps the one there is, which must be so.
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
        // What is left of the time when it was disabled, if anything.
        if (had !== null && had.disabled_at !== null) eraseEvents.run(number)
        eraseOthers.run(number, types)
        hurry.run(now, number)
      })
    },

    /** With all that waits for it. Whether there was one. */
    remove({ number }: Pick<Application, 'number'>): boolean {
      return database.transact(() => erase(number))
    },

    /** `null` where there is none, or it is disabled. */
    receiver(application: number): Receiver | null {
      const row = receiver.get(application)
      if (row === null) return null
      const { id, url, changed_at: changedAt } = row
      return { application: id, url, changedAt, secret: open(key, sealedFor(id), row.sealed) }
    },

    /**
     * Sends nothing more to it, unless it has been changed since `changedAt`; whether it has not. What waits is for
     * `eraseUnwanted`. Runs in a transaction of the caller.
     */
    disable: (application: number, changedAt: number, now: number): boolean =>
      disable.run(now, application, changedAt).changes > 0,

    /** Erases some of what waits for a webhook that is disabled; whether there may be more. In a transaction of the caller. */
    eraseUnwanted,

    /**
     * The same for the first webhook that is disabled and whose application is over `after`: with what to go on, `null`:
     * that was all.
     */
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
