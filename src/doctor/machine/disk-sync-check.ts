import { randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted, lasting } from '../quantity.ts'

const TIMES = 20
const BYTES = 4096
/** A disk that is slower has shown it by then. */
const PATIENCE_MS = 2000

/** Ms of each write that was waited for until it was on the disk of `directory`. Throws where nothing can be written. */
export function measureSync(directory: string, stopwatch: () => number): readonly number[] {
  const path = join(directory, `.doctor-${randomUUID()}`)
  const file = openSync(path, 'wx', 0o600)
  try {
    const page = Buffer.alloc(BYTES, 1)
    const durations: number[] = []
    const started = stopwatch()
    for (let time = 0; time < TIMES && stopwatch() - started < PATIENCE_MS; time += 1) {
      const before = stopwatch()
      writeSync(file, page, 0, BYTES, 0)
      fdatasyncSync(file)
      durations.push(stopwatch() - before)
    }
    return durations
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

const SLOW_MS = 50

/** What the speed of the disk means for the API: a write is answered when it is on the disk. */
export function judgeSync(durations: readonly number[]): Finding {
  const sorted = durations.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const speed = `A write is on the disk in ${lasting(median)} (median of ${durations.length}), ${lasting(sorted.at(-1) ?? 0)} at the worst`
  if (median <= SLOW_MS) return ok(`${speed}.`)
  const rate = Math.max(Math.round(1000 / median), 1)
  return warning(
    `${speed}: who waits for each answer registers ${counted(rate, 'device')} a second.`,
    'Put the data directory on a faster disk: a local SSD takes about a millisecond.',
  )
}

/** `code`: why nothing could be written, such as ENOSPC. */
export function unwritable(directory: string, code: string): Finding {
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'Make room on its disk.',
    EDQUOT: 'Make room: the quota of this user is used up.',
    EROFS: 'Mount its disk for writing: a disk with errors is made read-only by the system (dmesg tells).',
    EACCES: 'Run doctor as the user that serves, or give that user the directory: chown.',
    EPERM: 'Run doctor as the user that serves, or give that user the directory: chown.',
  }
  return failing(
    `Nothing can be written in the data directory ${directory} (${code}).`,
    advice[code] ?? 'Check the disk: dmesg tells of its errors.',
  )
}
