import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** The written part of a log. */
export interface LogPosition {
  /** Restarts of the log in this life. */
  readonly turn: number
  /** Since its last restart. */
  readonly bytes: number
}

/** In the log's shared index (sqlite.org/walformat, "The WAL-Index Header"). */
const PAGE_SIZE_AT = 14
const FRAMES_AT = 16
const SALT_AT = 32
const HEADER_BYTES = 40

/** Heads of the log and of each frame. */
export const LOG_HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24

/** Follows a database's log in one life of a process. `log` and `index` are paths. */
export function followLog(log: string, index: string) {
  const header = Buffer.alloc(HEADER_BYTES)
  let file: number | null = null
  let salt: string | null = null
  let turn = 0

  return {
    position(): LogPosition {
      file ??= openIfThere(index)
      if (file === null || readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES)
        return { turn, bytes: sizeOf(log) }
      const now = header.toString('latin1', SALT_AT)
      if (salt !== null && now !== salt) turn++
      salt = now
      const frames = header.readUInt32LE(FRAMES_AT)
      const pageSize = header.readUInt16LE(PAGE_SIZE_AT)
      return { turn, bytes: frames === 0 ? 0 : LOG_HEAD_BYTES + frames * (FRAME_HEAD_BYTES + pageSize) }
    },
    [Symbol.dispose]() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

export function isBefore(one: LogPosition, other: LogPosition): boolean {
  return one.turn < other.turn || (one.turn === other.turn && one.bytes < other.bytes)
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function openIfThere(path: string): number | null {
  return sizeOf(path) === 0 ? null : openSync(path, 'r')
}
