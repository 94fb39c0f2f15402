import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, registryDay } from '../database/schema.ts'
import { CEILING } from './device-row.ts'

/** The dashboard shows up to 90. */
const KEPT_DAYS = 100

type DayRow = Pick<StoredRow<typeof registryDay>, 'day' | 'ceiling'>

/** New devices of all applications by day, including imports. A day begins when `sweep` first sees it. */
export function createRegistryDays({ database }: { database: Pick<Database, 'statement' | 'reading'> }) {
  const note = database.statement<never, [day: number]>(
    `INSERT OR IGNORE INTO registry_day (day, ceiling) VALUES (?, ${CEILING})`,
  )
  const drop = database.statement<never, [before: number]>('DELETE FROM registry_day WHERE day < ?')
  const skip = database.statement<never, [number]>('UPDATE registry_day SET ceiling = ceiling + ?')
  const noted = database.reading<DayRow, [first: number]>(
    'SELECT day, ceiling FROM registry_day WHERE day >= ? ORDER BY day',
  )
  const highest = database.reading<Pick<DayRow, 'ceiling'>, []>(`SELECT ${CEILING} AS ceiling`)

  return {
    sweep: (now: number): null => {
      const day = Math.floor(now / DAY_MS)
      note.run(day)
      drop.run(day - KEPT_DAYS)
      return null
    },

    /** These ids belong to devices that did not register here. */
    skip: (numbers: number): void => void skip.run(numbers),

    /** By day since the Unix epoch; skips days without a note. */
    registeredSince: (first: number): ReadonlyMap<number, number> => {
      const rows = noted.all(first)
      const end = highest.get()?.ceiling ?? 0
      const next = (at: number): number => rows[at + 1]?.ceiling ?? end
      // Negative if the clock was set back over midnight.
      return new Map(rows.map(({ day, ceiling }, at) => [day, Math.max(next(at) - ceiling, 0)]))
    },
  }
}
