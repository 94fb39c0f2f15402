import type { Log } from '../log.ts'
import { damageText } from './storage-errors.ts'

export interface CorruptionMonitor {
  /** The same log, through which all that fails unexpectedly passes once. */
  readonly log: Log
  /** Whether an error has said that the database is damaged. */
  found(): boolean
}

/**
 * A running service that meets a damaged page goes on with all that is whole; but it says so, once, in a sentence that
 * tells what to do, and is not ready from then on.
 */
export function monitorCorruption(log: Log, directory: string): CorruptionMonitor {
  let found = false
  return {
    log: {
      ...log,
      error(event, fields) {
        log.error(event, fields)
        if (found || typeof fields?.['error'] !== 'string' || !DAMAGE.test(fields['error'])) return
        found = true
        log.error(damageText(directory))
      },
    },
    found: () => found,
  }
}

/** SQLite's texts for SQLITE_CORRUPT and SQLITE_NOTADB (sqlite3_errstr). */
const DAMAGE = /database disk image is malformed|file is not a database/
