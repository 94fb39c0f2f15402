import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { Application, SecretOwner } from '../application/application.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { application, event, webhook } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import type { EventType } from './event.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'
import { storedJson } from '../database/damage.ts'

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
  const statements = prepareStatements(database.orm)
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
      const row = statements.find.get({ application: number })
      if (row === undefined) return null
      return { url: row.url, events: storedJson(row.events) as EventType[], disabledAt: row.disabledAt }
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
        const had = statements.find.get({ application: number })
        const sealed = secret === null ? had?.sealed : seal(key, sealedFor(id), secret)
        if (sealed === undefined) throw new Error(`application ${id} has no webhook whose secret could be kept`)
        statements.put.run({ application: number, url, sealed, types, now })
        // What is left of the time when it was disabled, if anything.
        if (had !== undefined && had.disabledAt !== null) statements.eraseEvents.run({ application: number })
        statements.eraseOthers.run({ application: number, types })
        statements.hurry.run({ application: number, now })
      })
    },

    /** With all that waits for it. Whether there was one. */
    remove({ number }: Pick<Application, 'number'>): boolean {
      return database.transact(() => erase(number))
    },

    /** `null` where there is none, or it is disabled. */
    receiver(application: number): Receiver | null {
      const row = statements.receiver.get({ application })
      if (row === undefined) return null
      const { id, url, changedAt, sealed } = row
      return { application: id, url, changedAt, secret: open(key, sealedFor(id), sealed) }
    },

    /**
     * Sends nothing more to it, unless it has been changed since `changedAt`; whether it has not. What waits is for
     * `eraseUnwanted`. Runs in a transaction of the caller.
     */
    disable: (application: number, changedAt: number, now: number): boolean =>
      statements.disable.all({ application, changedAt, now }).length > 0,

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

function prepareStatements(orm: Database['orm']) {
  const number = sql.placeholder('application')
  const ofApplication = eq(webhook.application, number)
  const eventsOf = eq(event.application, number)
  const now = sql`${sql.placeholder('now')}`
  const { url, sealed, events, changedAt, disabledAt } = getTableColumns(webhook)
  return {
    find: late(() => orm.select({ url, sealed, events, changedAt, disabledAt }).from(webhook).where(ofApplication)),
    receiver: late(() =>
      orm
        .select({ id: application.id, url, sealed, changedAt })
        .from(webhook)
        .innerJoin(application, eq(application.number, webhook.application))
        .where(and(ofApplication, isNull(disabledAt))),
    ),
    put: late(() =>
      orm
        .insert(webhook)
        .values({
          application: number,
          url: sql.placeholder('url'),
          sealed: sql.placeholder('sealed'),
          events: sql.placeholder('types'),
          changedAt: sql.placeholder('now'),
        })
        .onConflictDoUpdate({
          target: webhook.application,
          set: {
            url: sql`excluded.url`,
            sealed: sql`excluded.sealed`,
            events: sql`excluded.events`,
            // Later than before in any case: the time is what tells one version from the next.
            changedAt: sql`max(excluded.changed_at, ${changedAt} + 1)`,
            disabledAt: null,
          },
        }),
    ),
    eraseEvents: late(() => orm.delete(event).where(eventsOf)),
    eraseOthers: late(() =>
      orm
        .delete(event)
        .where(and(eventsOf, sql`${event.type} NOT IN (SELECT value FROM json_each(${sql.placeholder('types')}))`)),
    ),
    hurry: late(() =>
      orm
        .update(event)
        .set({ attempt: 0, dueAt: sql`${now} - ${sql.raw(WALL_AHEAD)}` })
        .where(eventsOf),
    ),
    disable: late(() =>
      orm
        .update(webhook)
        .set({ disabledAt: now })
        .where(and(ofApplication, eq(changedAt, sql.placeholder('changedAt'))))
        .returning({ application: webhook.application }),
    ),
  }
}

function sealedFor(application: string) {
  return { application, provider: 'webhook secret' } as const
}
