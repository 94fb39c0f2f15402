import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { late } from '../database/late-statement.ts'
import { event, pausedCredential, webhook } from '../database/schema.ts'

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
