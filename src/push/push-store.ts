import { sql } from 'drizzle-orm'
import type { Audience } from '../audience/filter.ts'
import type { WaveAudience } from '../audience/stored-audience.ts'
import type { Database } from '../database/database.ts'
import { push } from '../database/schema.ts'
import { createNewDeliveryStore } from '../delivery/store/new-delivery-store.ts'
import { CEILING } from '../device/device-row.ts'
import type { Notification } from '../notification/notification.ts'

/** Times are ms since the Unix epoch. */
export interface NewPush {
  /** UUID v7. */
  readonly id: string
  readonly notification: Notification
  readonly audience: Audience
  readonly createdAt: number
  /** From when it is sent. */
  readonly timeToLiveMs: number
  /** `null`: at once. */
  readonly sendAt: number | null
  /** Of a push by local time, each with a UUID of its own; `sendAt` is the first of them. */
  readonly waves: readonly { readonly id: string; readonly sendAt: number }[]
}

export type PushStore = ReturnType<typeof createPushStore>

/**
 * Pushes as they are accepted, and what rooms below say of them. What becomes of them is
 * `delivery/store/delivery-store.ts`. Runs in transactions of the caller.
 */
export function createPushStore({ database }: { database: Database }) {
  const insert = database.orm
    .insert(push)
    .values({
      id: sql.placeholder('id'),
      application: sql.placeholder('application'),
      notification: sql.placeholder('notification'),
      audience: sql.placeholder('audience'),
      ceiling: sql.raw(CEILING),
      createdAt: sql.placeholder('createdAt'),
      expiresAt: sql.placeholder('expiresAt'),
      sendAt: sql.placeholder('sendAt'),
      releasedAt: sql.placeholder('releasedAt'),
      parent: sql.placeholder('parent'),
    })
    .returning({ number: push.number })
    .prepare()
  const deliveries = createNewDeliveryStore({ database })
  const countOpen = database.statement<{ number: number }, [id: string, application: number]>(
    'UPDATE push SET opened = opened + 1 WHERE id = ? AND application = ? RETURNING number',
  )
  const setExpiry = database.statement<never, [expiresAt: number, push: number]>(
    'UPDATE push SET expires_at = ? WHERE number = ?',
  )

  return {
    /** Counts one open; the `push.number`, `null` where the application has no push with this id. */
    countOpen: (application: number, id: string): number | null => countOpen.get(id, application)?.number ?? null,

    /** A jump of the clock has moved the end of its deliveries; `expiresAt` in ms since the Unix epoch. */
    setExpiry: (push: number, expiresAt: number): void => void setExpiry.run(expiresAt, push),

    /**
     * Stores a push, and gives its number. One for now gets its deliveries, the others get them from
     * `schedule-store.ts`. From its commit on it is not lost.
     */
    accept(application: number, push: NewPush): number {
      const { notification, audience, createdAt, timeToLiveMs, waves } = push
      const expiresAt = (sendAt: number | null) => (sendAt ?? createdAt) + timeToLiveMs
      const add = (id: string, sendAt: number | null, parent: number | null, stored: Audience | WaveAudience) =>
        insert.get({
          id,
          application,
          notification: JSON.stringify(notification),
          audience: JSON.stringify(stored),
          createdAt,
          expiresAt: expiresAt(sendAt),
          sendAt,
          releasedAt: sendAt === null ? createdAt : null,
          parent,
        }).number
      const number = add(push.id, push.sendAt, null, audience)
      if (push.sendAt === null) deliveries.add({ application, push: number, audience, expiresAt: expiresAt(null) })
      for (const { id, sendAt } of waves) add(id, sendAt, number, { turn: {} })
      return number
    },
  }
}
