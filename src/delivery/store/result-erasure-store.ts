import type { Database } from '../../database/database.ts'
import type { EraseRows } from '../../database/sweep.ts'

/** Erases what became of recipients, in steps: a push may have one row for each of them. */
export function createResultErasure({ database }: { database: Pick<Database, 'statement'> }) {
  const ofPush = database.statement<never, [push: number, limit: number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception WHERE push = ? LIMIT ?)`,
  )
  const ofApplication = database.statement<never, [application: number, limit: number]>(
    `DELETE FROM push_exception WHERE (push, platform, device) IN (
       SELECT push, platform, device FROM push_exception
       WHERE push IN (SELECT number FROM push WHERE application = ?) LIMIT ?)`,
  )
  const eraseOf: EraseRows = (application, limit) => ofApplication.run(application, limit).changes
  return {
    /** Up to `limit` rows; how many there were. */
    eraseOfPush: (push: number, limit: number): number => ofPush.run(push, limit).changes,
    eraseOf,
  }
}
