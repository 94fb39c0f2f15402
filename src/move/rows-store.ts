import type { Database } from '../database/database.ts'
import type { ReadOnlyDatabase } from '../database/read-only-database.ts'
import type { Value } from '../database/statement.ts'
import { createRegistryDays } from '../device/registry-day-store.ts'
import { NUMBERED } from './moved-tables.ts'
import type { MovedTable, Numbered } from './moved-tables.ts'
import { BLOCK } from './row-mapping.ts'
import type { Mapping } from './row-mapping.ts'

type Reader = Pick<Database, 'statement'> | Pick<ReadOnlyDatabase, 'statement'>

export function columnsOf(database: Reader, { name }: MovedTable): readonly string[] {
  const columns = database.statement<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?) ORDER BY cid')
  return columns.all(name).map((column) => column.name)
}

/** In an order in which the rows can be inserted. */
export function rowsOf(
  database: Reader,
  table: MovedTable,
  columns: readonly string[],
  application: number,
): IterableIterator<Readonly<Record<string, Value>>> {
  const list = columns.map((column) => `t."${column}"`).join(', ')
  return database
    .statement<Readonly<Record<string, Value>>, [number]>(`SELECT ${list} FROM ${sourceOf(table)}`)
    .iterate(application)
}

function sourceOf({ name, by }: MovedTable): string {
  const order = name === 'push' ? ' ORDER BY t.number' : ''
  if (by === 'number' || by === 'application') return `${name} t WHERE t.${by} = ?${order}`
  const key = by === 'device' ? 'id' : 'number'
  return `"${by}" o CROSS JOIN ${name} t ON t.${by} = o.${key} WHERE o.application = ?`
}

/** The highest number ever given in each table. */
export function highestNumbers(database: Reader): Record<Numbered, number> {
  const rows = database.statement<{ name: string; seq: number }, []>('SELECT name, seq FROM sqlite_sequence').all()
  const highest = new Map(rows.map(({ name, seq }) => [name, seq]))
  return Object.fromEntries(NUMBERED.map((name) => [name, highest.get(name) ?? 0])) as Record<Numbered, number>
}

/** Writes the rows of an arriving application. */
export function createArrivalRows(database: Pick<Database, 'statement' | 'reading'>) {
  const days = createRegistryDays({ database })
  const sequence = database.statement<never, [seq: number, name: string]>(
    'UPDATE sqlite_sequence SET seq = ? WHERE name = ?',
  )
  const begin = database.statement<never, [name: string, seq: number]>(
    'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)',
  )
  const find = database.statement<{ number: number }, [id: string]>('SELECT number FROM application WHERE id = ?')

  const applications = database.statement<{ seq: number }, []>(
    `SELECT seq FROM sqlite_sequence WHERE name = 'application'`,
  )

  function setLast(name: string, number: number): void {
    if (sequence.run(number, name).changes === 0) begin.run(name, number)
  }

  return {
    /** Reserves numbers for the arriving rows. `highest`: on the old server. `null`: no numbers left. */
    reserve(highest: Readonly<Record<Numbered, number>>): Pick<Mapping, 'shifts' | 'application'> | null {
      const own = highestNumbers(database)
      const shifts = { ...own, device: Math.ceil(own.device / BLOCK) * BLOCK }
      if (NUMBERED.some((name) => !(shifts[name] + highest[name] < MAX_NUMBER))) return null
      const application = (applications.get()?.seq ?? 0) + 1
      setLast('application', application)
      for (const name of NUMBERED) setLast(name, shifts[name] + highest[name])
      // Otherwise its devices would count as registered today.
      days.skip(shifts.device + highest.device - own.device)
      return { application, shifts }
    },

    numberOf: (id: string): number | null => find.get(id)?.number ?? null,

    /** Inserts rows with values in the order of `columns`. */
    inserter(table: MovedTable, columns: readonly string[]): (rows: readonly Value[][]) => void {
      const verb = table.name === 'registry_size' ? 'INSERT OR REPLACE' : 'INSERT'
      const insert = database.statement<never, Value[]>(
        `${verb} INTO ${table.name} (${columns.map((column) => `"${column}"`).join(', ')})
         VALUES (${columns.map(() => '?').join(', ')})`,
      )
      return (rows) => {
        for (const row of rows) insert.run(...row)
      }
    },
  }
}

/** Far below `Number.MAX_SAFE_INTEGER`. */
const MAX_NUMBER = 2 ** 52
