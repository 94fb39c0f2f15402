import { openRegular } from '../regular-file.ts'
import { writeFailureOf } from '../write-failure.ts'

/** Moves what it can while others read and write. Returns why it failed; `null`: it did not. */
export function moveLog(path: string): string | null {
  try {
    // Not kept open: the last connection to close empties the log, and that must be the service's own.
    const file = openRegular(path, { readwrite: true })
    try {
      // With less, the file would be written before the log is on disk, and the log restarted before the file is
      // (sqlite.org/pragma, "synchronous").
      file.run('PRAGMA synchronous = FULL')
      file.run('PRAGMA wal_checkpoint(PASSIVE)')
    } finally {
      file.close()
    }
    return null
  } catch (error) {
    return String(writeFailureOf(error, path))
  }
}

/**
 * Moves the WAL file of an unserved database into it, and removes it. Returns how many frames SQLite took: it stops at
 * the first damaged one (sqlite.org/fileformat2, "WAL File Format"). Throws SQLite's errors.
 */
export function foldLog(path: string): number {
  const file = openRegular(path, { readwrite: true })
  try {
    // The caller syncs the copy when it is whole.
    file.run('PRAGMA synchronous = OFF')
    const moved = file.query<{ checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()
    return moved?.checkpointed ?? 0
  } finally {
    file.close()
  }
}
