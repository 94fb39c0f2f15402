import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../text/error-code.ts'
import { DatabaseRefused } from './database-refused.ts'
import { ensureRegular, openRegular, refuseLinks } from './regular-file.ts'
import { isBusy } from './sqlite-error.ts'

/**
 * Holds a data directory for one serving process; `null` when another holds it. The lock is SQLite's own on an empty
 * database beside the real one: the kernel lets go of it when the process ends, however it ends, and it keeps no
 * command out of the real database.
 */
export function lockDirectory(directory: string): Disposable | null {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  refuseLinks(directory)
  return lockFile(join(directory, LOCK))
}

/**
 * Holds the making of backups from a data directory, so that drafts of backups that are there now have nobody left who
 * writes them; `null` when another process holds it, or none may here. Its file is gone when it is let go of.
 */
export function lockBackups(directory: string): Disposable | null {
  const path = join(directory, BACKUP_LOCK)
  try {
    ensureRegular(path)
    const { ino } = lstatSync(path)
    const held = lockFile(path)
    if (held === null) return null
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) {
      return {
        [Symbol.dispose]() {
          rmSync(path, { force: true })
          held[Symbol.dispose]()
        },
      }
    }
    // Another process has let go of it meanwhile, and with it of this file.
    held[Symbol.dispose]()
    return null
  } catch (error) {
    if (/^(EACCES|EPERM|EROFS|ENOENT|ENOSPC|EDQUOT|SQLITE_(CANTOPEN|READONLY|IOERR))/.test(codeOf(error) ?? ''))
      return null
    throw error
  }
}

function lockFile(path: string): Disposable | null {
  // Whoever else could open it could hold the lock, and keep the service from starting.
  ensureRegular(path)
  const file = openRegular(path, { readwrite: true })
  try {
    // Not 0: a command that only looks (see `isServed`) is in the way for microseconds.
    file.run('PRAGMA busy_timeout = 100')
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw spoiled(error, path)
  }
  return { [Symbol.dispose]: () => file.close() }
}

/** Whether a process serves this data directory now. */
export function isServed(directory: string): boolean {
  const path = join(directory, LOCK)
  if (!existsSync(path)) return false
  const file = openRegular(path, { readonly: true })
  try {
    file.run('PRAGMA busy_timeout = 0')
    file.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw spoiled(error, path)
  } finally {
    file.close()
  }
}

/** What is in a lock is nobody's: what SQLite says of a file that is no database is not to be said of the real one. */
function spoiled(error: unknown, path: string): unknown {
  if (!/^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error) ?? '')) return error
  return new DatabaseRefused(
    `The lock ${path}, which holds nothing, is not as Bellhop has made it: erase that file while no server runs, and try again.`,
  )
}

const LOCK = 'serving.lock'
const BACKUP_LOCK = 'backup.lock'
