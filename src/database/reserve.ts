import { randomFillSync } from 'node:crypto'
import { closeSync, fdatasyncSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { libcOf } from '../system/libc.ts'
import { freeBytes } from '../system/space.ts'

/*
 * A file in the data directory that only takes room. On a full disk it is erased, so that a start, a checkpoint and
 * `app delete` have the space they need. Backups, made from the database, do not contain it.
 */
const NAME = 'reserve'

const MEBIBYTE = 1024 * 1024
const MAX_BYTES = 64 * MEBIBYTE
/** Of the disk. */
const SHARE = 0.05
/**
 * A disk with less is full, unless the reserve itself is small: SQLite needs 32 KiB to open a database, and more for
 * its log.
 */
const FULL_BYTES = 4 * MEBIBYTE

export function reserveBytes(sizeBytes: number): number {
  return Math.floor(Math.min(MAX_BYTES, sizeBytes * SHARE))
}

/** Bytes. */
export function reserveIn(directory: string): number {
  const file = lstatSync(join(directory, NAME), { throwIfNoEntry: false })
  // Of 512 bytes, whatever the block of the disk (stat(2)).
  return file === undefined ? 0 : file.blocks * 512
}

/** Allocates `bytes`, not as a hole. Throws if there is no room, and leaves nothing then. */
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

/** Erases the reserve if the disk is full; returns its bytes, 0 if nothing was done. */
export function releaseReserve(directory: string): number {
  const bytes = reserveIn(directory)
  if (bytes === 0) return 0
  return freeBytes(directory) < Math.min(FULL_BYTES, bytes / 2) ? dropReserve(directory) : 0
}

/** Returns its bytes. */
export function dropReserve(directory: string): number {
  const bytes = reserveIn(directory)
  rmSync(join(directory, NAME), { force: true })
  return bytes
}

function allocate(file: number, bytes: number): void {
  const code = posixFallocate(file, bytes)
  if (code === 0) return
  if (code !== null) throw Object.assign(new Error(`fallocate: error ${code}`), { code: code === 28 ? 'ENOSPC' : '' })
  // Random, so that no file system can compress it.
  const noise = randomFillSync(Buffer.alloc(MEBIBYTE))
  for (let left = bytes; left > 0;) left -= writeSync(file, noise, 0, Math.min(left, MEBIBYTE))
}

/**
 * posix_fallocate(3), which writes if the file system cannot allocate. Returns an errno; `null`: not available here.
 */
function posixFallocate(file: number, bytes: number): number | null {
  const libc = libcOf({ posix_fallocate: { args: ['i32', 'i64', 'i64'], returns: 'i32' } })
  return libc?.posix_fallocate(file, 0, bytes) ?? null
}
