import type { Clock } from '../../clock.ts'
import { shortageOf } from '../../monitoring/readiness.ts'
import type { Disk } from '../../monitoring/storage.ts'

const LOOK_MS = 1000

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly disk: () => Disk | null
}

/** Whether the disk has room for new things: not if `/readyz` calls it nearly full. Looks once a second. */
export function createDiskGuard({ clock, disk }: Dependencies): () => boolean {
  let lookedAt = Number.NEGATIVE_INFINITY
  let room = true
  return () => {
    const now = clock.now()
    if (Math.abs(now - lookedAt) < LOOK_MS) return room
    lookedAt = now
    const seen = disk()
    room = seen === null || shortageOf(seen).length === 0
    return room
  }
}
