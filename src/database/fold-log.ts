import { openRegular } from './regular-file.ts'

/**
 * Moves the WAL file beside a database that is not served into it, and removes it. Returns how many frames SQLite took:
 * it stops at the first damaged one (sqlite.org/fileformat2, "WAL File Format"). Throws SQLite's errors.
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
