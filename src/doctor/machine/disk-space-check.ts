import { byteSize } from '../../text/byte-size.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted } from '../quantity.ts'

export interface Space {
  /** Bytes that this user may still write. */
  readonly free: number
  /** Files that may still be made, of how many; 0 of 0: the file system does not count them. */
  readonly freeFiles: number
  readonly files: number
}

/** What is needed to go on at all: the log of the database alone may grow to 64 MB. */
const MIN_BYTES = 100_000_000
const SPARE_BYTES = 500_000_000
const MIN_FILES = 100

/**
 * `database`: bytes of the database; an upgrade and a backup each make a copy. `reserve`: what is kept for the day the disk
 * is full.
 */
export function judgeSpace({ free, freeFiles, files }: Space, database: number, reserve = 0): Finding {
  const kept = reserve === 0 ? '' : `, and ${byteSize(reserve)} are kept in reserve`
  if (free < MIN_BYTES) {
    return failing(
      `Only ${byteSize(free)} of the disk are free: soon nothing can be registered or pushed.`,
      'Make room on the disk of the data directory.',
    )
  }
  if (files > 0 && freeFiles < MIN_FILES) {
    return failing(
      `The disk has room for ${counted(freeFiles, 'more file')} only (inodes), however many bytes are free.`,
      'Erase small files on the disk of the data directory: df -i shows it.',
    )
  }
  if (free < Math.max(SPARE_BYTES, database)) {
    return warning(
      `Only ${byteSize(free)} of the disk are free, and the database has ${byteSize(database)}.`,
      'Make room for a copy of the database: an upgrade and a backup need it.',
    )
  }
  return ok(`${byteSize(free)} of the disk are free; the database has ${byteSize(database)}${kept}.`)
}
