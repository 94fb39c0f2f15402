import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { messageOf } from '../text/error-code.ts'

/** Looks whether what is written now will be there at the next start. */
export interface FileGuard {
  /**
   * Why it will not, in a sentence without its full stop; `null`: it will. `isQuick`: without a look at what is of no use to
   * the next start.
   */
  problem(isQuick?: boolean): string | null
  /** Resolves when there is no problem any more. */
  untilWhole(): Promise<void>
}

/** Of a database that nobody can take away. */
export const UNGUARDED: FileGuard = { problem: () => null, untilWhole: () => Promise.resolve() }

export interface OpenFileGuard extends Pick<FileGuard, 'problem'>, Disposable {
  /**
   * For the end of a process whose database is not the one it has opened: puts the log aside where that would be taken for
   * the log of another file. Its new path; `null`: it stays.
   */
  setLogAside(): string | null
}

/**
 * Guards the files of a database that this process has open in WAL mode: on Linux a file that is removed or replaced can be
 * written to all the same. What SQLite does to them it notes in the shared memory file (sqlite.org/walformat): so the
 * database file changes only in a checkpoint, and the log has at least its frames, under a header with its salts.
 *
 * `moveLog` makes a checkpoint, where it can. The files that this opens are closed by `dispose` alone, after all
 * connections: closing lets go of all locks that this process holds on them (fcntl(2)).
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

  // What a crash has left passes for a checkpoint that is under way, until there is one.
  const { moved, moving } = index()
  if (moving > moved) moveLog()

  /** Of the last look: the database file, and what was noted of checkpoints before that was looked at. */
  let seen = { file: statSync(path), before: index() }
  /** Another program has changed the database file: it will not be again what it was. */
  let changed = false
  let closed = false

  function problem(isQuick = false): string | null {
    // A sync that outlasts the database is still answered.
    if (closed) return null
    // A read may fail once (EIO); when the second does too, nobody can say what is there.
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
    // 11 of 16 µs are these three; a commit that is to be answered does without the last.
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
    // Where the salts are others by now, another process has begun the log anew.
    if (before.frames === 0 || (isLogWhole && isOwnLog) || before.salts !== after.salts) return null
    return `${names[1]} was changed by another program while it was in use`
  }

  /** Whether the database file is another one than at the last look, and no checkpoint can have done it. */
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

/** What the shared memory file says of the log: sqlite.org/walformat, "The WAL-Index File Format". */
interface LogIndex {
  readonly frames: number
  readonly frameBytes: number
  readonly salts: bigint
  /** Frames that a checkpoint has moved into the database file, and up to which one has begun to: nBackfill and nBackfillAttempted. */
  readonly moved: number
  readonly moving: number
}

const INDEX_BYTES = 136
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
