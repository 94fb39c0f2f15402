import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync } from 'node:fs'
import type { Value } from './statement.ts'
import { giveToOwnerOf, openRegular } from './regular-file.ts'
import { isBusy } from './sqlite-error.ts'

/* Database files that no server uses: backups, and drafts of a restored database. */

/** A file may come from anywhere, and is not trusted (sqlite.org/security). */
const WARY = ['PRAGMA trusted_schema = OFF', 'PRAGMA cell_size_check = ON']
const READING = [...WARY, 'PRAGMA busy_timeout = 5000', 'PRAGMA cache_size = -16384'] // KiB

export interface OfflineReader extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
}

/** Throws if there is no such file; anything but a database throws at the first read. */
export function readDatabaseFile(path: string): OfflineReader {
  const file = new Sqlite(path, { readonly: true, strict: true })
  for (const pragma of READING) file.run(pragma)
  return { all: (sql, ...params) => allOf(file, sql, params), [Symbol.dispose]: () => file.close() }
}

/** The number of its last migration, even if that is still in its log. */
export function schemaOfFile(path: string): number {
  using file = readDatabaseFile(path)
  return file.all<{ user_version: number }>('PRAGMA user_version')[0]?.user_version ?? 0
}

/**
 * Writes the committed content of the database `source` into the new file `target`, packed, mode 600. Others can read
 * and write `source` during the copy, but its log grows. `within`: a data directory; what root creates belongs to its
 * owner. Default: none.
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

/** VACUUM INTO takes an empty file (sqlite.org/lang_vacuum), and would create one that others may read. */
function makeTarget(target: string, within: string | undefined): void {
  const made = openSync(target, 'wx', 0o600)
  try {
    if (within !== undefined) giveToOwnerOf(within, made)
  } finally {
    closeSync(made)
  }
}

/** A file that nobody else has open, without a log beside it. Nothing is migrated. */
export interface OfflineWriter extends Disposable {
  all<Row>(sql: string, ...params: readonly Value[]): Row[]
  run(sql: string, ...params: readonly Value[]): { readonly changes: number }
  transact<T>(work: () => T): T
}

export function writeDatabaseFile(path: string): OfflineWriter {
  return writerOf(path, ['PRAGMA journal_mode = DELETE'])
}

/** For a file that others may have open: it keeps its log until the last of them closes it. */
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

export interface ClaimedDatabase extends Disposable {
  usedBytes(): number
  copyInto(target: string, within: string): void
}

/**
 * Moves the log into the database, and keeps everybody else out until disposed of. `null`: another process keeps it
 * open for longer than `patienceMs`. Throws SQLite's error if it is damaged.
 */
export function claimDatabase(path: string, patienceMs: number): ClaimedDatabase | null {
  const file = openRegular(path, { readwrite: true })
  const number = (pragma: string) => Number(Object.values(allOf<Record<string, number>>(file, pragma, [])[0] ?? {})[0])
  try {
    file.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // Leaving WAL mode takes the only connection there is, and removes the log (sqlite.org/wal, 3.3).
    allOf(file, 'PRAGMA journal_mode = DELETE', [])
    // Keeps the lock of a transaction after its end: VACUUM runs outside of any.
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

/** Finalized at once: an open statement would keep the file open. */
function allOf<Row>(file: Sqlite, sql: string, params: readonly Value[]): Row[] {
  const statement = file.prepare<Row, Value[]>(sql)
  try {
    return statement.all(...params)
  } finally {
    statement.finalize()
  }
}
