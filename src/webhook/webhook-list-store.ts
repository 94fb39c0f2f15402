import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { WALL_AHEAD } from '../time/service-time-store.ts'
import type { EventType } from './event.ts'

/** Times are ms since the Unix epoch. */
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
