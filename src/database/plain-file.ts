import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import { MIGRATIONS } from './migrations.ts'
import type { Value } from './database.ts'

/* Database files that no server works on: backups, and what is to become the database of one. */

/** The schema that this binary writes; one of a lower number is brought up to it, one of a higher number refused. */
export const NEWEST_SCHEMA = MIGRATIONS.at(-1)?.number ?? 0

/** A file that is only looked at: nothing of it changes, and its schema may be any. */
export interface PlainReader extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
}

/** Throws where there is no such file; what is not a database throws at the first read. */
export function readDatabaseFile(path: string): PlainReader {
  const file = new Sqlite(path, { readonly: true, strict: true })
  file.run('PRAGMA busy_timeout = 5000')
  file.run('PRAGMA cache_size = -16384') // KiB
  return { all: (sql, ...params) => allOf(file, sql, params), [Symbol.dispose]: () => file.close() }
}

/**
 * Writes what is committed in the database `source` now into the new file `target`, packed, as one file that only the
 * owner may read. Others go on reading and writing `source` meanwhile: its log only cannot be emptied before the end.
 */
export function copyDatabase(source: string, target: string): void {
  // VACUUM INTO takes a file that is empty (sqlite.org/lang_vacuum), and would make one that others may read.
  closeSync(openSync(target, 'wx', 0o600))
  const from = new Sqlite(source, { readonly: true })
  try {
    from.run('PRAGMA busy_timeout = 5000')
    from.run('PRAGMA cache_size = -16384') // KiB
    from.run('VACUUM INTO ?', [target])
  } finally {
    from.close()
  }
}

/** A file that nobody else has open, brought to this binary's schema; it stays one file, without a log beside it. */
export interface PlainWriter extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
  run(sql: string, ...params: readonly Value[]): { readonly changes: number }
  transact<T>(work: () => T): T
}

/** Throws for a schema that is newer than this binary's: ask first. */
export function writeDatabaseFile(path: string): PlainWriter {
  const file = new Sqlite(path, { readwrite: true, strict: true })
  for (const pragma of ['journal_mode = DELETE', 'synchronous = FULL', 'foreign_keys = ON']) {
    file.run(`PRAGMA ${pragma}`)
  }
  const [{ user_version: schema } = { user_version: 0 }] = allOf<{ user_version: number }>(
    file,
    'PRAGMA user_version',
    [],
  )
  if (schema > NEWEST_SCHEMA) throw new Error(`schema ${schema} is newer than ${NEWEST_SCHEMA}`)
  for (const { number, sql } of MIGRATIONS.filter((each) => each.number > schema)) {
    file.transaction(() => {
      file.run(sql)
      file.run(`PRAGMA user_version = ${number}`)
    })()
  }
  return {
    all: (sql, ...params) => allOf(file, sql, params),
    run(sql, ...params) {
      // Bun's own types of parameters are looser; these are all it takes.
      const { changes } = file.run(sql, [...params])
      return { changes }
    },
    transact: (work) => file.transaction(work)(),
    [Symbol.dispose]: () => file.close(),
  }
}

/**
 * Takes a database for oneself: folds its log into it, so that it is one file, and keeps everybody else out until it is
 * let go of. `'busy'`: another process has it open, and goes on for longer than `patienceMs`. Throws SQLite's error where it is damaged.
 */
export function claimDatabase(path: string, patienceMs: number): Disposable | 'busy' {
  const file = new Sqlite(path, { readwrite: true })
  try {
    file.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // Leaving WAL mode takes the only connection there is, and removes the log (sqlite.org/wal, 3.3).
    allOf(file, 'PRAGMA journal_mode = DELETE', [])
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return 'busy'
    throw error
  }
  return { [Symbol.dispose]: () => file.close() }
}

/** Finalized at once: a statement left open would keep the file open with it. */
function allOf<Row>(file: Sqlite, sql: string, params: readonly Value[]): Row[] {
  const statement = file.prepare<Row, Value[]>(sql)
  try {
    return statement.all(...params)
  } finally {
    statement.finalize()
  }
}
