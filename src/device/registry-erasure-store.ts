import type { Database } from '../database/database.ts'
import type { EraseRows } from '../database/sweep.ts'

/** Erases the registry of an application that is to go, in steps, in this order. */
export function createRegistryErasure({ database }: { database: Pick<Database, 'statement'> }): readonly EraseRows[] {
  // Triggers take labels and what was kept along: only what is returned is counted.
  const steps = [
    'DELETE FROM device WHERE id IN (SELECT id FROM device INDEXED BY device_by_token WHERE application = ? LIMIT ?)',
    'DELETE FROM label WHERE id IN (SELECT id FROM label WHERE application = ? LIMIT ?)',
    `DELETE FROM feedback WHERE (application, platform, token) IN (
       SELECT application, platform, token FROM feedback WHERE application = ? LIMIT ?)`,
  ].map((sql) => database.statement<{ one: 1 }, [application: number, limit: number]>(`${sql} RETURNING 1 AS one`))
  return steps.map((step) => (application, limit) => step.all(application, limit).length)
}
