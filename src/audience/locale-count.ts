import type { Database } from '../database/database.ts'
import { CEILING } from '../device/device-row.ts'
import { audiencePages } from './audience.ts'
import type { Filter } from './filter.ts'

/** Devices counted before the event loop gets a turn: their rows are read, not just the index. */
const CANDIDATES = 1000

/** Counts audiences by what `keyOf` makes of each locale, in parts, so that other work isn't held up. */
export function createLocaleCount({ database }: { database: Database }) {
  const highest = database.reading<{ id: number }, []>(`SELECT ${CEILING} AS id`)

  /** Throws the reason of `signal` once that aborts. */
  return async <Key>(
    application: number,
    filter: Filter,
    keyOf: (locale: string | null) => Key,
    signal?: AbortSignal,
  ): Promise<Map<Key, number>> => {
    const ceiling = highest.get()?.id ?? 0
    const sums = new Map<Key, number>()
    for (const platform of filter.platforms) {
      const pages = audiencePages(database, { filter }, application, platform)
      for (let after = 0; after < ceiling;) {
        const { counts, last } = pages.locales(after, ceiling, CANDIDATES)
        for (const { locale, count } of counts) sums.set(keyOf(locale), (sums.get(keyOf(locale)) ?? 0) + count)
        after = last
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
      }
    }
    return sums
  }
}
