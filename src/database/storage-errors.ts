import { accessSync, constants, existsSync, lstatSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartRefused } from '../failure.ts'
import { freeBytes } from '../system/space.ts'
import { codeOf, firstFailure, messageOf } from '../text/error-code.ts'
import { DatabaseRefused } from './database-refused.ts'
import { DATA_FILES } from './regular-file.ts'
import { isBusy, isDamage, isFull } from './sqlite-error.ts'
import { refusalOf } from './write-failure.ts'

/* Faults of a data directory's disk or rights, each as one sentence that says what to do. */

/** Faults become `StartRefused`. */
export function inDataDirectory<T>(directory: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw startRefusalOf(error, directory)
  }
}

/** Returns any other error unchanged. */
export function startRefusalOf(thrown: unknown, directory: string): unknown {
  const error = firstFailure(thrown)
  if (error instanceof StartRefused) return error
  if (error instanceof DatabaseRefused) return new StartRefused(error.message)
  const sentence = dataFaultOf(error, directory)
  return sentence === null ? error : new StartRefused(sentence)
}

/** `null`: another kind of error. `directory`: `null` if unknown. */
export function dataFaultOf(error: unknown, directory: string | null): string | null {
  const code = codeOf(error) ?? ''
  const where = directory === null ? 'the data directory' : resolve(directory)
  if (isBusy(error)) return 'The database is busy: another process is writing to it. Try again.'
  if (isDamage(error)) return damageText(directory)
  const refusal =
    DISK.test(code) && directory !== null && existsSync(directory) ? refusalOf(join(where, 'bellhop.db')) : null
  if (isFull(error) || refusal === 'EDQUOT' || (DISK.test(code) && directory !== null && isFilled(directory))) {
    return `The disk of ${where} is full: nothing more can be written, and what was stored is safe. Make room, and try again.`
  }
  if (RIGHTS.test(code)) {
    const hindrance = directory === null ? null : storageErrorIn(resolve(directory))
    return (
      hindrance ??
      `Something in ${where} cannot be written, or not be read (${messageOf(error)}): is it Bellhop's own user's?`
    )
  }
  if (code === 'EEXIST' && directory !== null && isLost(where)) {
    return `${where} is a symbolic link that leads nowhere: make the directory it names, or name another one (--data).`
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    const file = directory === null ? where : nearestOf(where)
    return `${file} is a file: no data directory can be there (--data).`
  }
  if (code === 'ENOENT' && directory !== null && !existsSync(directory)) {
    return `No data directory can be made at ${where}: ${nearestOf(where)} takes none. Name another one (--data).`
  }
  if (code.startsWith('SQLITE_')) return `The database in ${where} cannot be used: ${messageOf(error)} (${code}).`
  return null
}

/** A dangling link, such as to a disk that is not mounted. */
function isLost(path: string): boolean {
  return !existsSync(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** `directory`: `null` if unknown. */
export function damageText(directory: string | null): string {
  const file = directory === null ? 'bellhop.db' : join(resolve(directory), 'bellhop.db')
  return `The database ${file} is damaged. Stop Bellhop and copy its directory before anything else; then restore a backup (bellhop restore), or save what can be read (sqlite3 ${file} .recover | sqlite3 saved.db).`
}

const DISK = /^SQLITE_(CANTOPEN|IOERR)/
const RIGHTS = /^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN|SQLITE_READONLY|SQLITE_PERM|SQLITE_IOERR_(ACCESS|LOCK))/

/** Bytes. SQLite grows its shared memory file by 32 KiB. */
const LITTLE_SPACE = 64 * 1024

function isFilled(directory: string): boolean {
  return freeBytes(nearestOf(resolve(directory))) < LITTLE_SPACE
}

/** `null`: this process may use all of them. */
function storageErrorIn(directory: string): string | null {
  const nearest = nearestOf(directory)
  const files = DATA_FILES.map((name) => join(directory, name)).filter((path) => existsSync(path))
  for (const path of [nearest, ...files]) {
    const code = accessCode(path, path === nearest ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK)
    if (code === 'EROFS')
      return `${path} is on a disk that is mounted read-only: Bellhop must write there. Mount it writable, or name another data directory (--data).`
    if (code !== null) return rightsText(path, directory)
  }
  return null
}

function rightsText(path: string, directory: string): string {
  const { uid, mode } = statSync(path)
  const self = process.getuid?.() ?? uid
  const isInside = path.startsWith(directory)
  const rights = (mode & 0o777).toString(8)
  const whose = `${path} cannot be written: it belongs to user ${uid} (mode ${rights})`
  const otherwise = 'or name another data directory (--data).'
  if (uid === self) {
    const remedy = isInside ? `chmod -R u+rwX ${directory}` : `chmod u+rwx ${path}`
    return `${whose}, as whom Bellhop runs, but the mode forbids it. Run ${remedy}, ${otherwise}`
  }
  const remedy = isInside ? `chown -R ${self} ${directory}` : `make ${directory} for that user`
  return `${whose}, and Bellhop runs as user ${self}. As root: ${remedy}; ${otherwise}`
}

function nearestOf(path: string): string {
  return existsSync(path) ? path : nearestOf(dirname(path))
}

function accessCode(path: string, mode: number): string | null {
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    return codeOf(error)
  }
}
