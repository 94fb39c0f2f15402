import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sizeOf } from '../system/space.ts'
import { codeOf } from '../text/error-code.ts'
import { dropReserve } from './reserve.ts'

const NAME = 'write-probe'
const BYTES = Buffer.alloc(64 * 1024)

/**
 * Why SQLite could not write to the database at `path`. SQLite reports a used-up quota or a limit on file sizes only as
 * an I/O error: so this asks the disk again, and erases the reserve if it is full.
 */
export function writeFailureOf(error: unknown, path: string): unknown {
  if (codeOf(error)?.startsWith('SQLITE_IOERR') !== true) return error
  const refusal = refusalOf(path)
  if (refusal === 'EDQUOT' || refusal === 'ENOSPC') {
    dropReserve(dirname(path))
    return named('the quota of the disk is used up, or the disk full', refusal, error)
  }
  return refusal === 'EFBIG' ? named(TOO_LARGE, refusal, error) : error
}

export const TOO_LARGE = 'a file of it is as large as this process may write (LimitFSIZE=, ulimit -f)'

/** The errno of a write at the end of the database or its log, whichever is longer; `null`: it succeeds. */
export function refusalOf(path: string): string | null {
  const probe = join(dirname(path), NAME)
  const end = Math.max(sizeOf(path), sizeOf(`${path}-wal`))
  try {
    const file = openSync(probe, 'w', 0o600)
    try {
      writeSync(file, BYTES, 0, BYTES.length, end)
    } finally {
      closeSync(file)
    }
    return null
  } catch (error) {
    return codeOf(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

function named(message: string, code: string, cause: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code })
}
