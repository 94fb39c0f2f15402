import type { Database } from '../database/database.ts'
import { CEILING } from '../device/device-row.ts'
import { audiencePages } from './audience.ts'
import type { AudiencePages } from './audience.ts'
import type { Filter } from './filter.ts'

/** Index entries before the event loop gets a turn: 0.3 ms, or 8 ms with checks per device. */
const CANDIDATES = 2000

/** Fewer, because locales need the rows, not just the index. */
const LOCALE_CANDIDATES = 1000

/** Counts in parts, so other work isn't held up. Throws the reason of an aborted `signal`. */
export function createAudienceCount({ database }: { database: Database }) {
  const inParts = createParts(database)
  return async (application: number, filter: Filter, signal?: AbortSignal): Promise<number> => {
    let sum = 0
    await inParts(application, filter, signal, (pages, after, ceiling) => {
      const { count, last } = pages.count(after, ceiling, CANDIDATES)
      sum += count
      return last
    })
    return sum
  }
}

/** Counts by `keyOf` of each locale. */
export function createLocaleCount({ database }: { database: Database }) {
  const inParts = createParts(database)
  return async <Key>(
    application: number,
    filter: Filter,
    keyOf: (locale: string | null) => Key,
    signal?: AbortSignal,
  ): Promise<Map<Key, number>> => {
    const sums = new Map<Key, number>()
    await inParts(application, filter, signal, (pages, after, ceiling) => {
      const { counts, last } = pages.locales(after, ceiling, LOCALE_CANDIDATES)
      for (const { locale, count } of counts) sums.set(keyOf(locale), (sums.get(keyOf(locale)) ?? 0) + count)
      return last
    })
    return sums
  }
}

/** `part` counts devices with `after` < id <= its result. */
function createParts(database: Database) {
  const highest = database.reading<{ id: number }, []>(`SELECT ${CEILING} AS id`)
  return async (
    application: number,
    filter: Filter,
    signal: AbortSignal | undefined,
    part: (pages: AudiencePages, after: number, ceiling: number) => number,
  ): Promise<void> => {
    const ceiling = highest.get()?.id ?? 0
    for (const platform of filter.platforms) {
      const pages = audiencePages(database, { filter }, application, platform)
      for (let after = 0; after < ceiling;) {
        after = part(pages, after, ceiling)
        await new Promise((resolve) => setImmediate(resolve))
        signal?.throwIfAborted()
      }
    }
  }
}
