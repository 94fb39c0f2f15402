import type { Database } from './database.ts'

/**
 * A write that changes nothing: SQLite logs the page of this number even if the number stays the same, which it does
 * not for a row. Throws if the file takes no write.
 */
export function createWriteProbe(database: Pick<Database, 'statement'>): () => void {
  const id = database.statement<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id ?? 0
  const write = database.statement<never, []>(`PRAGMA application_id = ${id}`)
  return () => void write.run()
}
