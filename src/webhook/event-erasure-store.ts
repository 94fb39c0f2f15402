import type { Database } from '../database/database.ts'

/** Erases events that are not delivered and speak of a device. To be called inside a transaction. */
export function createEventErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const erase = database.statement<never, [application: number, token: string]>(
    `DELETE FROM event INDEXED BY event_by_application
     WHERE application = ? AND type IN ('device.gone', 'push.opened') AND body ->> '$.data.token' = ?`,
  )
  return { eraseOfToken: (application: number, token: string): void => void erase.run(application, token) }
}
