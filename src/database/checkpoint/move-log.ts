import { openRegular } from '../regular-file.ts'
import { writeFailureOf } from '../write-failure.ts'

/**
 * Moves what it can of the log into the database file at `path`, beside who reads and writes. Says what kept it from
 * that; `null`: nothing did.
 */
export function moveLog(path: string): string | null {
  try {
    // Only for as long: the last connection that is closed empties the log, and is to be the service's own.
    const file = openRegular(path, { readwrite: true })
    try {
      // With less, the file would be written before the log is on disk, and the log begun anew before the file is
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
