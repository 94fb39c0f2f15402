import type { Database } from './database.ts'

/** Which writes to note, and of each an expression for every column of the log, from `new` and `old`. */
interface NotedWrite {
  readonly table: string
  readonly on: 'insert' | 'update'
  /** Default: any column. */
  readonly column?: string
  readonly when?: string
  readonly values: string
}

export interface ChangeLog<Row> extends Disposable {
  /** Since the last call. */
  take(): Row[]
}

let logs = 0

/**
 * Notes what this connection commits, by temporary triggers, until it is disposed of. What is rolled back is not noted,
 * nor what other connections write.
 *
 * `read`: the query by which `take` reads the table `changes`, which has `columns` and, in the order of the writes, `n`.
 */
export function logChanges<Row>(
  { statement }: Pick<Database, 'statement'>,
  columns: string,
  writes: readonly NotedWrite[],
  read: string,
): ChangeLog<Row> {
  const log = `change_${++logs}`
  const run = (sql: string) => statement<never, []>(sql).run()
  // A trigger that outlives its reader would fill memory.
  using made = new DisposableStack()
  run(`CREATE TEMP TABLE ${log} (n INTEGER PRIMARY KEY, ${columns})`)
  made.defer(() => run(`DROP TABLE ${log}`))
  for (const [index, { table, on, column, when = 'true', values }] of writes.entries()) {
    const write = column === undefined ? on : `${on} OF ${column}`
    run(`CREATE TEMP TRIGGER ${log}_${index} AFTER ${write} ON ${table} WHEN ${when} BEGIN
      INSERT INTO ${log} (${columns}) VALUES (${values}); END`)
    made.defer(() => run(`DROP TRIGGER ${log}_${index}`))
  }
  const rows = statement<Row, []>(`WITH changes AS (SELECT * FROM ${log}) ${read}`)
  const clear = statement<never, []>(`DELETE FROM ${log}`)
  const opened = made.move()
  return {
    take() {
      const taken = rows.all()
      clear.run()
      return taken
    },
    [Symbol.dispose]: () => opened.dispose(),
  }
}
