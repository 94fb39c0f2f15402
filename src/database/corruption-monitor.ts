import type { Log } from '../log.ts'
import { damageText } from './storage-errors.ts'
import { TOO_LARGE } from './write-failure.ts'

export interface CorruptionMonitor {
  /** Every unexpected failure passes through it once. */
  readonly log: Log
  found(): string | null
}

/** The service keeps serving what is whole. It says once what to do, and is not ready from then on. */
export function monitorCorruption(log: Log, directory: string): CorruptionMonitor {
  let found: string | null = null
  return {
    log: {
      ...log,
      error(event, fields) {
        log.error(event, fields)
        const text = fields?.['error']
        if (found !== null || typeof text !== 'string') return
        if (DAMAGE.test(text)) {
          found = 'it is damaged'
          log.error(damageText(directory))
        } else if (text.includes(TOO_LARGE)) {
          found = TOO_LARGE
          log.error(`The database cannot grow: ${TOO_LARGE}. Raise the limit, and start Bellhop again.`)
        }
      },
    },
    found: () => found,
  }
}

/** SQLite's texts for SQLITE_CORRUPT and SQLITE_NOTADB (sqlite3_errstr). */
const DAMAGE = /database disk image is malformed|file is not a database/
