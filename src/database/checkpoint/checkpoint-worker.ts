import { parentPort, workerData } from 'node:worker_threads'
import { ASKED, FREE, ACTIVITY, WORKING } from './checkpointer.ts'
import type { CheckpointOrder } from './checkpointer.ts'
import { moveLog } from './move-log.ts'

const { path, flags } = workerData as CheckpointOrder

parentPort?.on('message', () => parentPort?.postMessage(checkpoint()))

/** Returns the problem; `null`: none, or called off. */
function checkpoint(): string | null {
  if (Atomics.compareExchange(flags, ACTIVITY, ASKED, WORKING) !== ASKED) return null
  try {
    return moveLog(path)
  } finally {
    Atomics.store(flags, ACTIVITY, FREE)
    Atomics.notify(flags, ACTIVITY)
  }
}
