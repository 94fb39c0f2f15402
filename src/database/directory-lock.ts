import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../text/error-code.ts'
import { DatabaseRefused } from './database-refused.ts'
import { ensureRegular, openRegular, refuseLinks } from './regular-file.ts'
import { isBusy, isDamage } from './sqlite-error.ts'

/**
 * `null`: another process holds it. SQLite locks an empty database beside the real one: the kernel releases it however
 * the process ends, and commands can still use the real database.
 */
export function lockDirectory(directory: string): Disposable | null {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  refuseLinks(directory)
  return lockFile(join(directory, LOCK))
}

/**
 * Holds the making of backups, so that any draft found now is abandoned; `null`: another process holds it, or the
 * directory cannot be written. Releasing it erases the file.
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
    held[Symbol.dispose]()
    return null
  } catch (error) {
    if (/^(EACCES|EPERM|EROFS|ENOENT|ENOSPC|EDQUOT|SQLITE_(CANTOPEN|READONLY|IOERR))/.test(codeOf(error) ?? ''))
      return null
    throw error
  }
}

function lockFile(path: string): Disposable | null {
  // Anyone who can open it could hold the lock and keep the service from starting.
  ensureRegular(path)
  const file = openRegular(path, { readwrite: true })
  try {
    // Not 0: a command that calls `isServed` holds it for microseconds.
    file.run('PRAGMA busy_timeout = 100')
    file.run('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw spoiled(error, path)
  }
  return { [Symbol.dispose]: () => file.close() }
}

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

/** The lock holds no data: SQLite's error about it must not be read as one about the real database. */
function spoiled(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error
  return new DatabaseRefused(
    `The lock ${path}, which holds nothing, is not as Bellhop has made it: erase that file while no server runs, and try again.`,
  )
}

const LOCK = 'serving.lock'
const BACKUP_LOCK = 'backup.lock'
