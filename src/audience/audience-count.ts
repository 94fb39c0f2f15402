import type { Database } from '../database/database.ts'
import { CEILING } from '../device/device-row.ts'
import { audiencePages } from './audience.ts'
import type { Filter } from './filter.ts'

/** Index entries counted before the event loop gets a turn: 0.3 ms, or 8 ms where filters are checked on each device. */
const CANDIDATES = 2000

/** Counts audiences as they are now, in parts, so that other work isn't held up. */
export function createAudienceCount({ database }: { database: Database }) {
  const highest = database.reading<{ id: number }, []>(`SELECT ${CEILING} AS id`)

  /** Throws the reason of `signal` once that aborts. */
  return async (application: number, filter: Filter, signal?: AbortSignal): Promise<number> => {
    const ceiling = highest.get()?.id ?? 0
    let sum = 0
    for (const platform of filter.platforms) {
      const pages = audiencePages(database, { filter }, application, platform)
      for (let after = 0; after < ceiling;) {
        const { count, last } = pages.count(after, ceiling, CANDIDATES)
        sum += count
        after = last
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
      }
    }
    return sum
  }
}
