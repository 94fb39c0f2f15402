import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { event, pausedCredential, webhook } from '../database/schema.ts'
import type { EraseRows } from '../database/sweep.ts'

/** Erases a webhook with all that waits for it, in a transaction of the caller; says whether there was one. */
export function createWebhookErasure({ orm }: Pick<Database, 'orm'>): (application: number) => boolean {
  const application = sql.placeholder('application')
  const eraseWebhook = late(() =>
    orm
      .delete(webhook)
      .where(eq(webhook.application, application))
      .returning({ application: webhook.application })
      .prepare(),
  )
  const eraseEvents = late(() => orm.delete(event).where(eq(event.application, application)).prepare())
  const erasePauses = late(() =>
    orm.delete(pausedCredential).where(eq(pausedCredential.application, application)).prepare(),
  )
  return (number) => {
    const erased = eraseWebhook.all({ application: number })
    eraseEvents.run({ application: number })
    erasePauses.run({ application: number })
    return erased.length > 0
  }
}

/** Erases events that are not delivered, in transactions of the caller. */
export function createEventErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const ofToken = database.statement<never, [application: number, token: string]>(
    `DELETE FROM event INDEXED BY event_by_application
     WHERE application = ? AND type IN ('device.gone', 'push.opened') AND body ->> '$.data.token' = ?`,
  )
  const ofApplication = database.statement<{ one: 1 }, [application: number, limit: number]>(
    'DELETE FROM event WHERE number IN (SELECT number FROM event WHERE application = ? LIMIT ?) RETURNING 1 AS one',
  )
  const eraseOf: EraseRows = (application, limit) => ofApplication.all(application, limit).length
  return {
    /** Those that speak of the device with this token. */
    eraseOfToken: (application: number, token: string): void => void ofToken.run(application, token),
    eraseOf,
  }
}
