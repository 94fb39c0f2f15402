import { every, HOUR_MS, MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { shortageOf } from './readiness.ts'
import type { Disk } from './storage.ts'

const LOOK_MS = MINUTE_MS

const AGAIN_MS = HOUR_MS

interface Dependencies {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  /** `null`: unknown. */
  readonly disk: () => Disk | null
}

/** Logs while the disk is nearly full. Returns a stop function. */
export function watchDisk({ clock, log, disk }: Dependencies): () => void {
  /** `null`: there is room. */
  let saidAt: number | null = null

  function look(): void {
    const seen = disk()
    if (seen === null) return
    const [sentence] = shortageOf(seen)
    if (sentence === undefined) {
      if (saidAt !== null) log.info('the data disk has free space again', { freeBytes: seen.freeBytes })
      saidAt = null
    } else if (saidAt === null || Math.abs(clock.now() - saidAt) >= AGAIN_MS) {
      log.warn(sentence)
      saidAt = clock.now()
    }
  }

  look()
  return every(clock, LOOK_MS, look)
}
