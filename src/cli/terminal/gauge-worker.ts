import { readFileSync, statSync, writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'
import { DRAWING, STOP } from './gauge.ts'
import type { GaugeOrder } from './gauge.ts'
import { createProgress } from './progress.ts'

/** The other thread is too busy to show its own progress: see `gauge.ts`. */
const LOOK_MS = 100
/** Standard error, without waiting for the busy thread. */
const STDERR = 2

const { step, terminal, flags } = workerData as GaugeOrder
const { into, size } = step
const begun = readSoFar()
const progress = createProgress(
  { terminal, clock: systemClock, stderr: (text) => void writeSync(STDERR, text) },
  { unit: 'bytes' },
)

function look(): void {
  Atomics.store(flags, DRAWING, 1)
  if (Atomics.load(flags, STOP) === 0) {
    if (into === null) progress.show(readSoFar() - begun, null, 'read for the check')
    else progress.show(sizeOf(into), size, 'copied')
  }
  Atomics.store(flags, DRAWING, 0)
  systemClock.after(LOOK_MS, look)
}

/** Linux only (proc(5), "rchar"); 0 elsewhere. */
function readSoFar(): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

look()
