import { parentPort, workerData } from 'node:worker_threads'
import { codeOf, messageOf } from '../../text/error-code.ts'
import { openDatabase } from '../database.ts'
import { DatabaseRefused } from '../database-refused.ts'
import type { UpgradeNote } from './upgrade-thread.ts'

/* The thread of `upgrade-thread.ts`. */

const say = (note: UpgradeNote) => parentPort?.postMessage(note)

try {
  const directory = workerData as string
  openDatabase(directory, { serving: true, report: (step) => say({ kind: 'step', step }) })[Symbol.dispose]()
  say({ kind: 'done' })
} catch (error) {
  const message = messageOf(error)
  say(
    error instanceof DatabaseRefused ? { kind: 'refused', message } : { kind: 'failed', message, code: codeOf(error) },
  )
}
