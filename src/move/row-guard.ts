import type { Database } from '../database/database.ts'
import { MOVED } from './moved-tables.ts'
import type { MovedTable } from './moved-tables.ts'

/** SQLite's message for a refused write. */
const BEING_MOVED = 'the application is being moved to another server'

/** The ledger counts calls at any time, and triggers count the writes of others. */
const UNGUARDED = new Set(['quota', 'registry_size'])

/** Rows of these applications may be erased. */
const SERVED_ELSEWHERE = `(SELECT application FROM application_move WHERE phase = 'gone')`

export type RowGuard = ReturnType<typeof createRowGuard>

/**
 * Refuses every write to an application's rows on this connection, even by calls admitted earlier. A restart ends it.
 */
export function createRowGuard(database: Pick<Database, 'statement'>) {
  const guarded = new Set<number>()

  function triggersOf(application: number) {
    return MOVED.filter(({ name }) => !UNGUARDED.has(name)).flatMap((table) =>
      (['INSERT', 'UPDATE', 'DELETE'] as const).map((verb) => {
        const name = `moving_${application}_${table.name}_${verb}`
        const isServed = verb === 'DELETE' ? ` AND ${application} NOT IN ${SERVED_ELSEWHERE}` : ''
        const when = `${ownerOf(table, verb === 'INSERT' ? 'new' : 'old')} = ${application}${isServed}`
        const made = `CREATE TEMP TRIGGER IF NOT EXISTS ${name} BEFORE ${verb} ON main."${table.name}" WHEN ${when}
          BEGIN SELECT raise(ABORT, '${BEING_MOVED}'); END`
        return { made, dropped: `DROP TRIGGER IF EXISTS temp.${name}` }
      }),
    )
  }

  return {
    put(application: number): void {
      for (const { made } of triggersOf(application)) database.statement(made).run()
      guarded.add(application)
    },

    end(application: number): void {
      if (!guarded.has(application)) return
      for (const { dropped } of triggersOf(application)) database.statement(dropped).run()
    },
  }
}

function ownerOf({ by }: MovedTable, row: 'new' | 'old'): string {
  if (by === 'number' || by === 'application') return `${row}.${by}`
  return `(SELECT application FROM main."${by}" WHERE ${by === 'device' ? 'id' : 'number'} = ${row}.${by})`
}
