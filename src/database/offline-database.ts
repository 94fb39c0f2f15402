import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { Value } from './statement.ts'
import { giveToOwnerOf, openRegular } from './regular-file.ts'
import { isBusy } from './sqlite-error.ts'

/* Database files that no server works on: backups, and what is to become the database of one. */

/** A file may come from anywhere: it is not trusted to be what it says (sqlite.org/security). */
const WARY = ['PRAGMA trusted_schema = OFF', 'PRAGMA cell_size_check = ON']
const READING = [...WARY, 'PRAGMA busy_timeout = 5000', 'PRAGMA cache_size = -16384'] // KiB

/** A file that is only looked at: nothing of it changes, and its schema may be any. */
export interface OfflineReader extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
}

/** Throws where there is no such file; what is not a database throws at the first read. */
export function readDatabaseFile(path: string): OfflineReader {
  const file = new Sqlite(path, { readonly: true, strict: true })
  for (const pragma of READING) file.run(pragma)
  return { all: (sql, ...params) => allOf(file, sql, params), [Symbol.dispose]: () => file.close() }
}

/** The number of its last migration, also if that is still in its log. */
export function schemaOfFile(path: string): number {
  using file = readDatabaseFile(path)
  return file.all<{ user_version: number }>('PRAGMA user_version')[0]?.user_version ?? 0
}

/**
 * Writes what is committed in the database `source` now into the new file `target`, packed, as one file that only the
 * owner may read. Others go on reading and writing `source` meanwhile: its log only cannot be emptied before the end.
 * `within`: a data directory whose owner is to own it also where root makes it. Default: none.
 */
export function copyDatabase(source: string, target: string, within?: string): void {
  makeTarget(target, within)
  const from = new Sqlite(source, { readonly: true })
  try {
    for (const pragma of READING) from.run(pragma)
    from.run('VACUUM INTO ?', [target])
  } finally {
    from.close()
  }
}

/** VACUUM INTO takes a file that is empty (sqlite.org/lang_vacuum), and would make one that others may read. */
function makeTarget(target: string, within: string | undefined): void {
  const made = openSync(target, 'wx', 0o600)
  try {
    if (within !== undefined) giveToOwnerOf(within, made)
  } finally {
    closeSync(made)
  }
}

/** A file that nobody else has open; it stays one file, without a log beside it, and its schema what it is. */
export interface OfflineWriter extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
  run(sql: string, ...params: readonly Value[]): { readonly changes: number }
  transact<T>(work: () => T): T
}

export function writeDatabaseFile(path: string): OfflineWriter {
  return writerOf(path, ['PRAGMA journal_mode = DELETE'])
}

/** The same of a file that others may have open, and that keeps its log: closed by the last of them it is one file. */
export function writeSharedFile(path: string): OfflineWriter {
  return writerOf(path, ['PRAGMA busy_timeout = 5000'])
}

function writerOf(path: string, pragmas: readonly string[]): OfflineWriter {
  const file = new Sqlite(path, { readwrite: true, strict: true })
  for (const pragma of [...WARY, ...pragmas, 'PRAGMA synchronous = FULL', 'PRAGMA foreign_keys = ON']) file.run(pragma)
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

/** A database that this process has for itself until it is disposed of. */
export interface ClaimedDatabase extends Disposable {
  /** Upper bound of what a copy of it takes. */
  usedBytes(): number
  /** As `copyDatabase`. */
  copyInto(target: string, within: string): void
}

/**
 * Takes a database for oneself: folds its log into it, so that it is one file, and keeps everybody else out until it is
 * let go of. `null`: another process has it open, and goes on for longer than `patienceMs`. Throws SQLite's error where
 * it is damaged.
 */
export function claimDatabase(path: string, patienceMs: number): ClaimedDatabase | null {
  const file = openRegular(path, { readwrite: true })
  const number = (pragma: string) => Number(Object.values(allOf<Record<string, number>>(file, pragma, [])[0] ?? {})[0])
  try {
    file.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // Leaving WAL mode takes the only connection there is, and removes the log (sqlite.org/wal, 3.3).
    allOf(file, 'PRAGMA journal_mode = DELETE', [])
    // What a transaction has locked stays locked after it: a copy is made outside of any.
    allOf(file, 'PRAGMA locking_mode = EXCLUSIVE', [])
    file.run('BEGIN EXCLUSIVE')
    file.run('COMMIT')
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw error
  }
  return {
    usedBytes: () => (number('PRAGMA page_count') - number('PRAGMA freelist_count')) * number('PRAGMA page_size'),
    copyInto(target, within) {
      makeTarget(target, within)
      for (const pragma of WARY) file.run(pragma)
      file.run('VACUUM INTO ?', [target])
    },
    [Symbol.dispose]: () => file.close(),
  }
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
