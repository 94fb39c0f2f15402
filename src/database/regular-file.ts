import { Database as Sqlite } from 'bun:sqlite'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../text/error-code.ts'
import { DatabaseRefused } from './database-refused.ts'

/*
 * The files of a data directory are regular ones. Whoever may write in that directory could else have a command, which
 * root runs, write to any file of the machine, by a link in the place of one of them.
 */
const NAMES = ['bellhop.db', 'bellhop.db-wal', 'bellhop.db-shm', 'bellhop.db-journal', 'serving.lock', 'key']

/** Throws `DatabaseRefused` where one of the files of a data directory is a link, a directory or a device. */
export function refuseLinks(directory: string): void {
  for (const name of NAMES) refuseLink(join(directory, name))
}

/** Opens a database of a data directory, which is there; the path is not followed should it be a link by now. */
export function openRegular(path: string, options: { readonly readonly?: true; readonly readwrite?: true }): Sqlite {
  refuseLink(path)
  // Else SQLite would open what it may not write for reading, and fail later.
  if (options.readwrite) accessSync(path, constants.R_OK | constants.W_OK)
  const file = new Sqlite(path, { ...options, strict: true })
  // SQLite says which file it has open, links resolved; nothing of it has been read or written yet.
  const list = file.prepare<{ file: string }, []>('PRAGMA database_list')
  const opened = list.get()?.file
  list.finalize()
  if (opened === join(realpathSync(dirname(path)), basename(path))) return file
  file.close()
  throw refusal(path, 'a symbolic link')
}

/**
 * Makes an empty file that only its owner may read, where there is none. One made by root belongs to whom the directory
 * belongs: the service must be able to open it.
 */
export function ensureRegular(path: string): void {
  if (!madeRegular(path)) settle(path)
}

/**
 * Where a copy of a data directory's database is made before it gets its name: in there, or, where root makes it and can,
 * beside it: in there the user of the service, or whoever has become that user, could put a link in its way.
 */
export function workDirectoryFor(data: string): string {
  const home = realpathSync(data)
  const { uid, dev } = statSync(home)
  if (process.geteuid?.() !== 0 || uid === 0) return data
  const above = statSync(dirname(home))
  // On one disk, and nobody but root can write there.
  return above.uid === 0 && (above.mode & 0o022) === 0 && above.dev === dev ? dirname(home) : data
}

/** What root has made in a directory belongs to whom the directory belongs. `file`: open, and made by this process. */
export function giveToOwnerOf(directory: string, file: number): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  if (uid !== 0) fchownSync(file, uid, gid)
}

function madeRegular(path: string): boolean {
  let file: number
  try {
    file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  try {
    giveToOwnerOf(dirname(path), file)
    return true
  } finally {
    closeSync(file)
  }
}

const OTHERS = 0o077

/** Closes a file that is there to others, and gives it to the owner of the directory if it is root's. */
function settle(path: string): void {
  const found = refuseLink(path)
  if (found === null) return
  const isOpen = (found.mode & OTHERS) !== 0
  const isStrange = process.geteuid?.() === 0 && found.uid === 0 && statSync(dirname(path)).uid !== 0
  // Not without need: to close it lets go of all locks that this process holds on it (fcntl(2)).
  if (!isOpen && !isStrange) return
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { nlink, uid } = fstatSync(file)
    // A second name may stand where it does not belong to whom this one does.
    if (nlink > 1) return
    if (isOpen) fchmodSync(file, 0o600)
    if (isStrange && uid === 0) giveToOwnerOf(dirname(path), file)
  } finally {
    closeSync(file)
  }
}

/** Throws `DatabaseRefused` for a link, a directory or a device. `null`: there is nothing of this name. */
export function refuseLink(path: string): Stats | null {
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? null
  if (found === null || found.isFile()) return found
  throw refusal(path, found.isSymbolicLink() ? 'a symbolic link' : 'no regular file')
}

function refusal(path: string, what: string): DatabaseRefused {
  const elsewhere = basename(path) === 'key' ? 'BELLHOP_KEY_FILE' : '--data'
  return new DatabaseRefused(
    `${path} is ${what}, which Bellhop does not follow: put the file itself in its place, or name where it is (${elsewhere}).`,
  )
}
