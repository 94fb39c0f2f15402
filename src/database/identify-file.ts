import type { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sizeOf } from '../system/space.ts'
import { codeOf } from '../text/error-code.ts'
import { DatabaseRefused } from './database-refused.ts'

/**
 * A first start finds an empty file, or none. If there was more, SQLite would silently start over and erase the log
 * that may still hold all of it. Throws `DatabaseRefused`.
 */
export function refuseEmptied(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? null
  if (size !== null && size > 0) return
  const logged = sizeOf(`${path}-wal`) > 0
  if (size === null) {
    // A key alone is no sign: operators may put it there before the first start.
    if (!logged) return
    throw new DatabaseRefused(
      `There is no database ${path}, although its WAL file ${path}-wal exists: restore the database or a backup, or delete the WAL file to start empty.`,
    )
  }
  // The sealing key is made after the database.
  if (!logged && !existsSync(join(dirname(path), 'key'))) return
  throw new DatabaseRefused(
    `The database ${path} is empty, although its directory was in use: restore a backup, or delete the file to start empty.`,
  )
}

/** Throws `DatabaseRefused`. */
export function refuseForeign(connection: Database, path: string): void {
  let tables: readonly string[]
  try {
    tables = connection
      .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all()
      .map(({ name }) => name)
  } catch (error) {
    if (codeOf(error) !== 'SQLITE_NOTADB') throw error
    throw new DatabaseRefused(
      `The file ${path} is not a database, or its beginning is damaged. It is left as it is: restore a backup, or choose another data directory (--data).`,
    )
  }
  if (tables.length === 0 || isBellhops(tables)) return
  throw new DatabaseRefused(
    `The database ${path} is not of Bellhop but of another program. It is left as it is: name another data directory (--data).`,
  )
}

/** Every schema has these tables; a new file has none. */
export function isBellhops(tables: readonly string[]): boolean {
  return ['application', 'device', 'push'].every((name) => tables.includes(name))
}
