import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { push } from '../database/schema.ts'
import type { Audience, Notification } from './push.ts'

export interface NewPush {
  /** UUID v7. */
  readonly id: string
  readonly notification: Notification
  readonly audience: Audience
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}

export type PushStore = ReturnType<typeof createPushStore>

/** Pushes as they were accepted. What becomes of them afterwards is `delivery/delivery-store.ts`. */
export function createPushStore({ database }: { database: Database }) {
  const insert = database.orm
    .insert(push)
    .values({
      id: sql.placeholder('id'),
      application: sql.placeholder('application'),
      notification: sql.placeholder('notification'),
      audience: sql.placeholder('audience'),
      // Who registers from now on is not addressed. AUTOINCREMENT never gives an id twice, so this cannot move back.
      ceiling: sql`coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'device'), 0)`,
      createdAt: sql.placeholder('createdAt'),
      expiresAt: sql.placeholder('expiresAt'),
    })
    .returning({ number: push.number })
    .prepare()
  const insertDelivery = database.statement<never, [number, number, number, 0 | 1]>(
    'INSERT INTO delivery (push, platform, application, lane) VALUES (?, ?, ?, ?)',
  )

  return {
    /** Stores a push and its deliveries, one for each platform it goes to. From its commit on it is not lost. */
    accept(application: number, { id, notification, audience, createdAt, expiresAt }: NewPush): void {
      const stored = insert.get({
        id,
        application,
        notification: JSON.stringify(notification),
        audience: JSON.stringify(audience),
        createdAt,
        expiresAt,
      })
      const platforms = 'filter' in audience ? audience.filter.platforms : [audience.platform]
      const lane = 'filter' in audience ? 1 : 0
      for (const platform of platforms) insertDelivery.run(stored.number, platform, application, lane)
    },
  }
}
