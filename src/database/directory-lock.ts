import { Database as Sqlite } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Holds a data directory for one serving process; `null` when another holds it. The lock is SQLite's own on an empty
 * database beside the real one: the kernel lets go of it when the process ends, however it ends, and it keeps no
 * command out of the real database.
 */
export function lockDirectory(directory: string): Disposable | null {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = new Sqlite(join(directory, 'serving.lock'), { create: true })
  try {
    file.run('PRAGMA busy_timeout = 0')
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return null
    throw error
  }
  return { [Symbol.dispose]: () => file.close() }
}
