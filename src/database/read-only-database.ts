import { Database as Sqlite, constants } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sizeOf } from '../system/space.ts'
import type { Drizzle } from './database.ts'
import type { Statement, Value } from './statement.ts'
import { isServed } from './directory-lock.ts'
import { openRegular, refuseLinks } from './regular-file.ts'

/** Nothing is migrated, and no file is changed or created. */
export interface ReadOnlyDatabase extends Disposable {
  readonly orm: Drizzle
  statement<Row, Params extends readonly Value[]>(sql: string): Statement<Row, Params>
  /** Whether somebody has begun to write since it was opened, so that reads may be inconsistent. */
  overtaken(): boolean
}

const UNCHANGED = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI | constants.SQLITE_OPEN_NOFOLLOW

/** Served or not. Throws if there is none. */
export function openReadOnly(directory: string): ReadOnlyDatabase {
  const path = join(directory, 'bellhop.db')
  const log = `${path}-wal`
  refuseLinks(directory)
  // SQLite would create a log even for a reader, and cannot on a read-only disk, unless told that the file does not
  // change (sqlite.org/wal.html, "Read-only databases").
  const still = sizeOf(log) === 0 && !isServed(directory)
  const connection = still
    ? new Sqlite(`${pathToFileURL(join(realpathSync(directory), 'bellhop.db')).href}?immutable=1`, UNCHANGED)
    : openRegular(path, { readonly: true })
  connection.run('PRAGMA busy_timeout = 5000')
  connection.run('PRAGMA trusted_schema = OFF')
  connection.run('PRAGMA cell_size_check = ON')
  return {
    orm: drizzle(connection),
    // As in database.ts: the caller names the exact types beside the SQL.
    statement: <Row, Params extends readonly Value[]>(sql: string) =>
      connection.prepare(sql) as unknown as Statement<Row, Params>,
    overtaken: () => still && sizeOf(log) > 0,
    [Symbol.dispose]: () => connection.close(false),
  }
}
