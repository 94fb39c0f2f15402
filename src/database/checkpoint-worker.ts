import { parentPort, workerData } from 'node:worker_threads'
import { ASKED, FREE, ACTIVITY, WORKING } from './checkpointer.ts'
import type { CheckpointOrder } from './checkpointer.ts'
import { openRegular } from './regular-file.ts'

/* The thread that moves the log into the database file: see `checkpointer.ts`. */

// What `createCheckpointer` gave it.
const { path, flags } = workerData as CheckpointOrder

parentPort?.on('message', () => parentPort?.postMessage(checkpoint()))

/** What kept it from moving anything; `null`: nothing did. */
function checkpoint(): string | null {
  if (Atomics.compareExchange(flags, ACTIVITY, ASKED, WORKING) !== ASKED) return null
  try {
    // Only for as long: the last connection that is closed empties the log, and is to be the service's own.
    const file = openRegular(path, { readwrite: true })
    try {
      // With less, the file would be written before the log is on disk (sqlite.org/pragma, "synchronous").
      file.run('PRAGMA synchronous = FULL')
      file.run('PRAGMA wal_checkpoint(PASSIVE)')
    } finally {
      file.close()
    }
    return null
  } catch (error) {
    return String(error)
  } finally {
    Atomics.store(flags, ACTIVITY, FREE)
    Atomics.notify(flags, ACTIVITY)
  }
}
