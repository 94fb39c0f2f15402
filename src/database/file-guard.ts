import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { messageOf } from '../text/error-code.ts'

/** Checks that what is written now will be there at the next start. */
export interface FileGuard {
  /**
   * Why it will not, in a sentence without its full stop; `null`: it will. `isQuick` skips the file that the next start
   * does not need.
   */
  problem(isQuick?: boolean): string | null
  untilWhole(): Promise<void>
}

export const UNGUARDED: FileGuard = { problem: () => null, untilWhole: () => Promise.resolve() }

export interface OpenFileGuard extends Pick<FileGuard, 'problem'>, Disposable {
  /**
   * For the end of a process whose database was replaced: renames the log if it would be taken for another file's.
   * Returns the new path; `null`: it stays.
   */
  setLogAside(): string | null
}

/**
 * Guards the files of a database that this process has open in WAL mode: Linux lets it write to files that were removed
 * or replaced. SQLite notes its own changes in the shared memory file (sqlite.org/walformat): the database file changes
 * only in a checkpoint, and the log has at least its frames, under a header with its salts.
 *
 * `moveLog` makes a checkpoint, if it can. Only `dispose` closes the files opened here, after all connections: closing
 * releases all locks of this process on them (fcntl(2)).
 */
export function guardFiles(path: string, moveLog: () => void): OpenFileGuard {
  const names = [path, `${path}-wal`, `${path}-shm`] as const
  const files = names.map((name) => openSync(name, 'r'))
  const own = files.map((file) => fstatSync(file))
  const [, logFile = -1, sharedFile = -1] = files
  const header = Buffer.alloc(LOG_HEADER_BYTES)
  const bytes = Buffer.alloc(INDEX_BYTES)

  function index(): LogIndex {
    readSync(sharedFile, bytes, 0, INDEX_BYTES, 0)
    const page = bytes.readUInt16LE(14)
    return {
      frames: bytes.readUInt32LE(16),
      frameBytes: FRAME_HEADER_BYTES + (page === 1 ? 65_536 : page),
      salts: bytes.readBigUInt64LE(32),
      moved: bytes.readUInt32LE(96),
      moving: bytes.readUInt32LE(128),
    }
  }

  // An interrupted checkpoint looks like a running one until the next.
  const { moved, moving } = index()
  if (moving > moved) moveLog()

  let seen = { file: statSync(path), before: index() }
  /** Another program has changed the database file. Final. */
  let changed = false
  let closed = false

  function problem(isQuick = false): string | null {
    // A sync that outlasts the database is still answered.
    if (closed) return null
    // A read may fail once (EIO).
    for (let tries = 1; ; tries++) {
      try {
        return look(isQuick)
      } catch (error) {
        if (tries === 2) return `${path} and its log cannot be checked (${messageOf(error)})`
      }
    }
  }

  function look(isQuick: boolean): string | null {
    const before = index()
    const found: Stats[] = []
    // 11 of 16 µs are these three; a commit that waits for its answer skips the last.
    for (let n = 0; n < (isQuick ? 2 : 3); n++) {
      const file = statSync(names[n] ?? path, { throwIfNoEntry: false })
      const { ino, dev } = own[n] ?? {}
      if (file === undefined) return `${names[n]} was removed while it was in use`
      if (file.ino !== ino || file.dev !== dev) return `${names[n]} was replaced while it was in use`
      found.push(file)
    }
    const [file = seen.file, log = seen.file] = found
    readSync(logFile, header, 0, LOG_HEADER_BYTES, 0)
    const after = index()
    changed ||= isChanged(file, after)
    if (changed) return `${path} was changed by another program while it was in use`
    seen = { file, before }
    const isLogWhole = log.size >= LOG_HEADER_BYTES + before.frames * before.frameBytes
    const isOwnLog = header.readBigUInt64LE(16) === before.salts
    // If the salts have changed, another process has restarted the log.
    if (before.frames === 0 || (isLogWhole && isOwnLog) || before.salts !== after.salts) return null
    return `${names[1]} was changed by another program while it was in use`
  }

  /** Whether the database file differs from the last look, and no checkpoint can have done it. */
  function isChanged(file: Stats, after: LogIndex): boolean {
    if (file.mtimeMs === seen.file.mtimeMs && file.size === seen.file.size) return false
    const { before } = seen
    const hasMoved = before.salts !== after.salts || before.moved !== after.moved || before.moving !== after.moving
    return !hasMoved && before.moving <= before.moved && after.moving <= after.moved
  }

  return {
    problem,
    setLogAside() {
      const isOwn = names.map((name, n) => statSync(name, { throwIfNoEntry: false })?.ino === own[n]?.ino)
      if (!isOwn[1] || (isOwn[0] && !changed)) return null
      const aside = `${names[1]}.set-aside`
      renameSync(names[1], aside)
      return aside
    },
    [Symbol.dispose]() {
      closed = true
      for (const file of files) closeSync(file)
    },
  }
}

/** sqlite.org/walformat, "The WAL-Index File Format". */
interface LogIndex {
  readonly frames: number
  readonly frameBytes: number
  readonly salts: bigint
  /**
   * nBackfill and nBackfillAttempted: frames moved into the database file, and frames that a checkpoint has set out to
   * move.
   */
  readonly moved: number
  readonly moving: number
}

const INDEX_BYTES = 136
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
