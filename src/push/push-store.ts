import { sql } from 'drizzle-orm'
import type { Audience } from '../audience/filter.ts'
import type { WaveAudience } from '../audience/stored-audience.ts'
import type { Database } from '../database/database.ts'
import { push } from '../database/schema.ts'
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
  readonly turns: readonly { readonly id: string; readonly sendAt: number }[]
}

export type PushStore = ReturnType<typeof createPushStore>

/** Pushes as they were accepted. What becomes of them afterwards is `delivery/store/delivery-store.ts`. */
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
  const insertDelivery = database.statement<never, [number, number, number, 0 | 1, number]>(
    'INSERT INTO delivery (push, platform, application, lane, expires_at) VALUES (?, ?, ?, ?, ?)',
  )

  /** Makes the deliveries of a push, one for each platform it goes to. Runs in a transaction of the caller. */
  function deliver(application: number, number: number, audience: Audience, expiresAt: number): void {
    const platforms = 'filter' in audience ? audience.filter.platforms : [audience.platform]
    const lane = 'filter' in audience ? 1 : 0
    for (const platform of platforms) insertDelivery.run(number, platform, application, lane, expiresAt)
  }

  return {
    deliver,

    /**
     * Stores a push, and gives its number. One for now gets its deliveries, the others get them from
     * `schedule-store.ts`. From its commit on it is not lost.
     */
    accept(application: number, push: NewPush): number {
      const { notification, audience, createdAt, timeToLiveMs, turns } = push
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
      if (push.sendAt === null) deliver(application, number, audience, expiresAt(null))
      for (const { id, sendAt } of turns) add(id, sendAt, number, { turn: {} })
      return number
    },
  }
}
