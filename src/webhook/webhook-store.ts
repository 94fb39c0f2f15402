import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Application, SecretOwner } from '../application/application.ts'
import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { assigned, given, late } from '../database/late-statement.ts'
import { application, event, webhook } from '../database/schema.ts'
import { open, seal } from '../sealing/seal.ts'
import type { SealedStoreOptions } from '../sealing/sealed-table.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import type { EventType } from './event.ts'
import { createWebhookErasure } from './webhook-erasure-store.ts'

export interface Webhook {
  readonly url: string
  readonly events: readonly EventType[]
  /** When the receiver answered 410. */
  readonly disabledAt: number | null
}

export interface Receiver {
  readonly application: string
  readonly url: string
  /** `null`: sealed with another key. */
  readonly secret: string | null
  /** Identifies the webhook's version. */
  readonly changedAt: number
}

/** Events erased in one step of a sweep: 2 ms. */
const STEP = 200

interface Options extends SealedStoreOptions {
  readonly database: Pick<Database, 'orm' | 'statement' | 'transact'>
}

export type WebhookStore = ReturnType<typeof createWebhookStore>

/** One webhook for each application, its secret sealed. */
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

  const eraseUnwanted = (number: number): boolean => eraseSome.all(number, STEP).length === STEP

  return {
    find({ number }: Pick<Application, 'number'>): Webhook | null {
      const row = statements.find.get({ application: number })
      if (row === undefined) return null
      return { url: row.url, events: storedJson(row.events) as EventType[], disabledAt: row.disabledAt }
    },

    /**
     * Replaces the webhook. Waiting events become due; unwanted ones are erased. `secret`: `null` keeps the old one.
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
        statements.put.run({ application: number, url, sealed, events: types, changedAt: now })
        // If it was disabled, no waiting event is wanted.
        const wanted = (had?.disabledAt ?? null) === null ? types : '[]'
        statements.eraseOthers.run({ application: number, wanted })
        statements.hurry.run({ application: number, now })
      })
    },

    /** Also removes its events; returns whether there was a webhook. */
    remove({ number }: Pick<Application, 'number'>): boolean {
      return database.transact(() => erase(number))
    },

    /** `null`: none, or disabled. */
    receiver(number: number): Receiver | null {
      const row = statements.receiver.get({ application: number })
      if (row === undefined) return null
      const { id, url, changedAt, sealed } = row
      return { application: id, url, changedAt, secret: open(key, sealedFor(id), sealed) }
    },

    /** Unless it was changed after `changedAt`; returns whether it was disabled. `eraseUnwanted` erases its events. */
    disable: (number: number, changedAt: number, now: number): boolean =>
      statements.disable.all({ application: number, changedAt, disabledAt: now }).length > 0,

    /** Erases some events of a disabled webhook; returns whether there may be more. */
    eraseUnwanted,

    /**
     * The same for the first disabled webhook after application `after`; returns where to continue, `null` at the end.
     */
    sweep(after: number): number | null {
      const number = nextDisabled.get(after)?.application
      if (number === undefined) return null
      return eraseUnwanted(number) ? after : number
    },
  }
}

export interface ListedWebhook {
  /** `application.number` */
  readonly application: number
  readonly url: string
  readonly events: readonly EventType[]
  readonly disabledAt: number | null
  readonly waiting: number
}

export interface WaitingEvent {
  readonly id: string
  readonly type: EventType
  readonly attempt: number
  readonly createdAt: number
  readonly dueAt: number
}

type Row = Omit<ListedWebhook, 'events'> & { readonly events: string }

export type WebhookList = ReturnType<typeof createWebhookList>

export function createWebhookList({ database }: { database: Pick<Database, 'reading'> }) {
  const all = database.reading<Row, []>(
    'SELECT application, url, events, disabled_at AS disabledAt, waiting FROM webhook ORDER BY application',
  )
  const next = database.reading<WaitingEvent, [application: number, limit: number]>(
    `SELECT id, type, attempt, created_at AS createdAt, due_at + ${WALL_AHEAD} AS dueAt FROM event
     WHERE application = ? ORDER BY due_at LIMIT ?`,
  )
  return {
    all: (): ListedWebhook[] =>
      all.all().map((row) => Object.assign(row, { events: storedJson(row.events) as EventType[] })),

    /** The next due first. */
    next: (application: number, limit: number): WaitingEvent[] => next.all(application, limit),
  }
}

function prepareStatements(orm: Database['orm']) {
  const number = sql.placeholder('application')
  const itself = eq(webhook.application, number)
  const itsEvents = eq(event.application, number)
  return {
    find: late(() => orm.select().from(webhook).where(itself)),
    receiver: late(() =>
      orm
        .select({ id: application.id, url: webhook.url, sealed: webhook.sealed, changedAt: webhook.changedAt })
        .from(webhook)
        .innerJoin(application, eq(application.number, webhook.application))
        .where(and(itself, isNull(webhook.disabledAt))),
    ),
    put: late(() =>
      orm
        .insert(webhook)
        .values(given('application', 'url', 'sealed', 'events', 'changedAt'))
        .onConflictDoUpdate({
          target: webhook.application,
          set: {
            url: sql`excluded.url`,
            sealed: sql`excluded.sealed`,
            events: sql`excluded.events`,
            // Always increases, since it identifies the version.
            changedAt: sql`max(excluded.changed_at, ${webhook.changedAt} + 1)`,
            disabledAt: null,
          },
        }),
    ),
    eraseOthers: late(() =>
      orm
        .delete(event)
        .where(and(itsEvents, sql`${event.type} NOT IN (SELECT value FROM json_each(${sql.placeholder('wanted')}))`)),
    ),
    hurry: late(() =>
      orm
        .update(event)
        .set({ attempt: 0, dueAt: sql`${sql.placeholder('now')} - ${sql.raw(WALL_AHEAD)}` })
        .where(itsEvents),
    ),
    disable: late(() =>
      orm
        .update(webhook)
        .set(assigned('disabledAt'))
        .where(and(itself, eq(webhook.changedAt, sql.placeholder('changedAt'))))
        .returning({ application: webhook.application }),
    ),
  }
}

function sealedFor(owner: string) {
  return { application: owner, provider: 'webhook secret' } as const
}
