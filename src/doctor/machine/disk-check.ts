import { randomUUID } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { byteSize } from '../../text/byte-size.ts'
import { counted, shortTime } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

export interface Space {
  readonly free: number
  /** Free inodes, of `files`; 0 of 0: the file system does not count them. */
  readonly freeFiles: number
  readonly files: number
}

/** The WAL file alone may grow to 64 MB. */
const MIN_BYTES = 100_000_000
const SPARE_BYTES = 500_000_000
const MIN_FILES = 100

/** In bytes. An upgrade and a backup each copy the `database`. `reserve`: kept free for a full disk. */
export function judgeSpace({ free, freeFiles, files }: Space, database: number, reserve = 0): Finding {
  const kept = reserve === 0 ? '' : `, and ${byteSize(reserve)} are kept in reserve`
  if (free < MIN_BYTES) {
    return failing(
      `Only ${byteSize(free)} of the disk are free: soon nothing can be registered or pushed.`,
      'Free space on the data disk.',
    )
  }
  if (files > 0 && freeFiles < MIN_FILES) {
    return failing(
      `The disk has room for ${counted(freeFiles, 'more file')} only (inodes), however many bytes are free.`,
      'Delete small files on the data disk: df -i shows its inodes.',
    )
  }
  if (free < Math.max(SPARE_BYTES, database)) {
    return warning(
      `Only ${byteSize(free)} of the disk are free, and the database has ${byteSize(database)}.`,
      'Free space for a copy of the database: upgrades and backups need it.',
    )
  }
  return ok(`${byteSize(free)} of the disk are free; the database has ${byteSize(database)}${kept}.`)
}

/** Magic numbers of Linux, statfs(2). */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
])
const MEMORY = new Set([0x01021994, 0x858458f6])
const OVERLAY = 0x794c7630

/** `type`: from statfs; `null`: not Linux. */
export function judgeFileSystem(type: number | null): Finding {
  // statfs returns a signed number.
  const magic = type === null ? -1 : type >>> 0
  const remote = REMOTE.get(magic)
  if (remote !== undefined) {
    return warning(
      `The data directory is on a ${remote} file system, where SQLite's locks and log may not work.`,
      'Put it on a local disk: on this one, two servers may write at the same time and damage the database.',
    )
  }
  if (MEMORY.has(magic)) {
    return warning('The data directory is in memory: it is lost at the next restart.', 'Put it on a disk.')
  }
  if (magic === OVERLAY) {
    return warning(
      'The data directory is inside a container: it is lost with the container.',
      'Mount a volume, and pass it with --data.',
    )
  }
  return ok('The data directory is on a local file system.')
}

const SYNC_TIMES = 20
const SYNC_BYTES = 4096
const MAX_SYNC_MS = 2000

/** Ms of each synced write. Throws if the directory is not writable. */
export function measureSync(directory: string, stopwatch: () => number): readonly number[] {
  const path = join(directory, `.doctor-${randomUUID()}`)
  const file = openSync(path, 'wx', 0o600)
  try {
    const page = Buffer.alloc(SYNC_BYTES, 1)
    const durations: number[] = []
    const started = stopwatch()
    for (let time = 0; time < SYNC_TIMES && stopwatch() - started < MAX_SYNC_MS; time += 1) {
      const before = stopwatch()
      writeSync(file, page, 0, SYNC_BYTES, 0)
      fdatasyncSync(file)
      durations.push(stopwatch() - before)
    }
    return durations
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

const SLOW_SYNC_MS = 50

/** The API answers after its write is synced. */
export function judgeSync(durations: readonly number[]): Finding {
  const sorted = durations.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const speed = `A write reaches the disk in ${shortTime(median)} (median of ${durations.length}), ${shortTime(sorted.at(-1) ?? 0)} at the worst`
  if (median <= SLOW_SYNC_MS) return ok(`${speed}.`)
  const rate = Math.max(Math.round(1000 / median), 1)
  return warning(
    `${speed}: who waits for each answer registers ${counted(rate, 'device')} a second.`,
    'Put the data directory on a faster disk: a local SSD takes about a millisecond.',
  )
}

/** `code`: such as ENOSPC. */
export function unwritable(directory: string, code: string): Finding {
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'Make room on its disk.',
    EDQUOT: "Free space: this user's disk quota is used up.",
    EROFS: 'Mount its disk writable: the system makes a disk with errors read-only (see dmesg).',
    EACCES: "Run doctor as the server's user, or give that user the directory: chown, chmod u+rwX.",
    EPERM: "Run doctor as the server's user, or give that user the directory: chown, chmod u+rwX.",
  }
  return failing(
    `Nothing can be written in the data directory ${directory} (${code}).`,
    advice[code] ?? 'Check the disk: dmesg shows its errors.',
  )
}
