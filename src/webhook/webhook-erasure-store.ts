import { eq, sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { assigned, late } from '../database/late-statement.ts'
import { event, pausedCredential, webhook } from '../database/schema.ts'
import type { EraseRows } from '../database/sweep.ts'
import { sealedTable } from '../sealing/sealed-table.ts'
import type { SealedTable } from '../sealing/sealed-table.ts'

/** Erases a webhook and its events; returns whether there was one. */
export function createWebhookErasure({ orm }: Pick<Database, 'orm'>): (application: number) => boolean {
  const application = sql.placeholder('application')
  const eraseWebhook = late(() =>
    orm.delete(webhook).where(eq(webhook.application, application)).returning({ application: webhook.application }),
  )
  const eraseEvents = late(() => orm.delete(event).where(eq(event.application, application)))
  const erasePauses = late(() => orm.delete(pausedCredential).where(eq(pausedCredential.application, application)))
  return (number) => {
    const erased = eraseWebhook.all({ application: number })
    eraseEvents.run({ application: number })
    erasePauses.run({ application: number })
    return erased.length > 0
  }
}

/** For a new key to seal. */
export function createSealedWebhooks({ orm }: Pick<Database, 'orm'>): SealedTable<'webhook secret'> {
  const which = eq(webhook.application, sql.placeholder('number'))
  const eraseWebhook = createWebhookErasure({ orm })
  return sealedTable('webhook secret', {
    all: late(() => orm.select({ number: webhook.application, sealed: webhook.sealed }).from(webhook)),
    put: late(() => orm.update(webhook).set(assigned('sealed')).where(which)),
    // Events must not be sent unsigned.
    erase: { run: ({ number }) => eraseWebhook(number) },
  })
}

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
    eraseOfToken: (application: number, token: string): void => void ofToken.run(application, token),
    eraseOf,
  }
}
