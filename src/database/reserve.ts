import { randomFillSync } from 'node:crypto'
import { closeSync, fdatasyncSync, lstatSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { libcOf } from '../system/libc.ts'

/*
 * A file in the data directory that takes room and holds nothing. On a disk that has become full it is erased, so that a
 * start, a checkpoint and `app delete` have what they need. No backup has it: those are made of the database.
 */
const NAME = 'reserve'

const MEBIBYTE = 1024 * 1024
const MAX_BYTES = 64 * MEBIBYTE
/** Of the disk. */
const SHARE = 0.05
/** Less than this is full, unless the reserve itself is small: SQLite needs 32 KiB to open a database, and its log more. */
const FULL_BYTES = 4 * MEBIBYTE

/** What is kept on a disk of this size, in bytes. */
export function reserveBytes(sizeBytes: number): number {
  return Math.floor(Math.min(MAX_BYTES, sizeBytes * SHARE))
}

/** The bytes that are kept in `directory` now. */
export function reserveIn(directory: string): number {
  const file = lstatSync(join(directory, NAME), { throwIfNoEntry: false })
  // Of 512 bytes, whatever the block of the disk (stat(2)).
  return file === undefined ? 0 : file.blocks * 512
}

/** Takes `bytes` of the disk, really and not as a hole. Throws where they cannot be had, and leaves nothing then. */
export function makeReserve(directory: string, bytes: number): void {
  const path = join(directory, NAME)
  rmSync(path, { force: true })
  const file = openSync(path, 'wx', 0o600)
  try {
    allocate(file, bytes)
    fdatasyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Gives the reserve back where the disk is full; the bytes that it had, 0 where nothing was done. */
export function releaseReserve(directory: string): number {
  const bytes = reserveIn(directory)
  if (bytes === 0) return 0
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize < Math.min(FULL_BYTES, bytes / 2) ? dropReserve(directory) : 0
}

/** Gives the reserve back, whatever the disk says; the bytes that it had. */
export function dropReserve(directory: string): number {
  const bytes = reserveIn(directory)
  rmSync(join(directory, NAME), { force: true })
  return bytes
}

function allocate(file: number, bytes: number): void {
  const code = posixFallocate(file, bytes)
  if (code === 0) return
  if (code !== null) throw Object.assign(new Error(`fallocate: error ${code}`), { code: code === 28 ? 'ENOSPC' : '' })
  // What no file system can press together.
  const noise = randomFillSync(Buffer.alloc(MEBIBYTE))
  for (let left = bytes; left > 0;) left -= writeSync(file, noise, 0, Math.min(left, MEBIBYTE))
}

/** posix_fallocate(3), which writes where the file system cannot allocate. An errno; `null`: there is no such call here. */
function posixFallocate(file: number, bytes: number): number | null {
  const libc = libcOf({ posix_fallocate: { args: ['i32', 'i64', 'i64'], returns: 'i32' } })
  return libc?.posix_fallocate(file, 0, bytes) ?? null
}
