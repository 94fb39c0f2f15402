import { DAY_MS } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { StoredRow, registryDay } from '../database/schema.ts'
import { CEILING } from './device-row.ts'

/** The dashboard shows up to 90. */
const KEPT_DAYS = 100

type DayRow = Pick<StoredRow<typeof registryDay>, 'day' | 'ceiling'>

/**
 * New devices of all applications by day, imported ones too. A day begins when it is first noted: devices that register
 * earlier count for the day before.
 */
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
    /** Notes the day of `now` and erases old days. */
    sweep: (now: number): null => {
      const day = Math.floor(now / DAY_MS)
      note.run(day)
      drop.run(day - KEPT_DAYS)
      return null
    },

    /** So many numbers are of devices that did not register here. Runs in a transaction of the caller. */
    skip: (numbers: number): void => void skip.run(numbers),

    /** By day since the Unix epoch, from `first` on; without days that were not noted. */
    registeredSince: (first: number): ReadonlyMap<number, number> => {
      const rows = noted.all(first)
      const end = highest.get()?.ceiling ?? 0
      const next = (at: number): number => rows[at + 1]?.ceiling ?? end
      // Negative after the clock was set back over midnight.
      return new Map(rows.map(({ day, ceiling }, at) => [day, Math.max(next(at) - ceiling, 0)]))
    },
  }
}
