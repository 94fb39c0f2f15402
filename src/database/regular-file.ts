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
 * The files of a data directory are regular ones. Otherwise anyone who can write in that directory could make a command
 * run by root write to any file of the machine, through a link.
 */
export const DATA_FILES = [
  'bellhop.db',
  'bellhop.db-wal',
  'bellhop.db-shm',
  'bellhop.db-journal',
  'serving.lock',
  'key',
]

/** Throws `DatabaseRefused`. */
export function refuseLinks(directory: string): void {
  for (const name of DATA_FILES) refuseLink(join(directory, name))
}

/** Opens an existing database of a data directory, and follows no link even if one has just taken its place. */
export function openRegular(path: string, options: { readonly readonly?: true; readonly readwrite?: true }): Sqlite {
  refuseLink(path)
  // SQLite would open an unwritable file for reading, and fail later.
  if (options.readwrite) accessSync(path, constants.R_OK | constants.W_OK)
  const file = new Sqlite(path, { ...options, strict: true })
  // SQLite names the file it has open, links resolved, before it reads or writes any of it.
  const list = file.prepare<{ file: string }, []>('PRAGMA database_list')
  const opened = list.get()?.file
  list.finalize()
  if (opened === join(realpathSync(dirname(path)), basename(path))) return file
  file.close()
  throw refusal(path, 'a symbolic link')
}

/**
 * Creates an empty file, mode 600, if there is none. If root creates it, it belongs to the directory's owner, so that
 * the service can open it.
 */
export function ensureRegular(path: string): void {
  if (!madeRegular(path)) settle(path)
}

/**
 * Where to make a copy of a data directory's database before it gets its name: inside, or for root beside it if
 * possible, because the service's user could put a link in its way inside.
 */
export function workDirectoryFor(data: string): string {
  const home = realpathSync(data)
  const { uid, dev } = statSync(home)
  if (process.geteuid?.() !== 0 || uid === 0) return data
  const above = statSync(dirname(home))
  // On the same disk, and only root can write there.
  return above.uid === 0 && (above.mode & 0o022) === 0 && above.dev === dev ? dirname(home) : data
}

/** Gives a file that root has created to the owner of the directory. `file`: open, and created by this process. */
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

function settle(path: string): void {
  const found = refuseLink(path)
  if (found === null) return
  const isOpen = (found.mode & OTHERS) !== 0
  const isStrange = process.geteuid?.() === 0 && found.uid === 0 && statSync(dirname(path)).uid !== 0
  // Only if needed: closing it releases all locks of this process on it (fcntl(2)).
  if (!isOpen && !isStrange) return
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { nlink, uid } = fstatSync(file)
    // A hard link may belong to another owner's directory.
    if (nlink > 1) return
    if (isOpen) fchmodSync(file, 0o600)
    if (isStrange && uid === 0) giveToOwnerOf(dirname(path), file)
  } finally {
    closeSync(file)
  }
}

/** Throws `DatabaseRefused` for anything but a file. `null`: there is none. */
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
