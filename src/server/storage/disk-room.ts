import { existsSync } from 'node:fs'
import { every, HOUR_MS, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { makeReserve, releaseReserve, reserveBytes, reserveIn } from '../../database/reserve.ts'
import type { Log } from '../../log.ts'
import { shortageOf } from '../../monitoring/readiness.ts'
import type { Disk } from '../../monitoring/storage.ts'

/** Writes that fail on a full disk are tried again by then. */
const LOOK_MS = SECOND_MS

const AGAIN_MS = HOUR_MS

interface Dependencies {
  readonly clock: Clock
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

/**
 * kept → (the disk is full) → released → (room for it, and as much again above what `/readyz` asks for) → kept. Returns
 * a function that ends this and leaves the reserve.
 */
export function keepReserve(directory: string, log: Log, { clock, disk }: Dependencies): () => void {
  let failedAt = Number.NEGATIVE_INFINITY
  let kept = 0

  function look(): void {
    // Moved away: the watch of the database's files reports it.
    if (!existsSync(directory)) return
    try {
      const released = releaseReserve(directory)
      if (released > 0) {
        kept = 0
        return log.warn('the disk is full: released the reserve', { bytes: released })
      }
      const found = reserveIn(directory)
      if (found === 0 && kept > 0) {
        // The disk's own figures don't show a quota.
        failedAt = clock.now()
        log.warn('the reserve is gone: the disk quota was used up, or the file was removed', { bytes: kept })
      }
      kept = found
      const seen = disk()
      if (seen === null || clock.now() - failedAt < AGAIN_MS) return
      const bytes = reserveBytes(seen.sizeBytes)
      if (kept >= bytes || !hasRoomFor(2 * bytes, seen)) return
      makeReserve(directory, bytes)
      kept = reserveIn(directory)
      log.info('disk space reserved for when the disk is full', { bytes })
    } catch (error) {
      failedAt = clock.now()
      log.warn('could not reserve disk space', { error: String(error) })
    }
  }

  look()
  return every(clock, LOOK_MS, look)
}

function hasRoomFor(bytes: number, { freeBytes, sizeBytes }: Disk): boolean {
  return shortageOf({ freeBytes: freeBytes - bytes, sizeBytes }).length === 0
}
