import { existsSync, linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { claimDatabase } from '../database/offline-database.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { syncDirectory } from '../system/durable.ts'

/** SQLite's files beside a database. Beside another database they would be replayed into it. */
const BESIDE = ['-wal', '-shm', '-journal']

interface Options {
  /** Where the database is, or is to be. */
  readonly path: string
  /** The new database: one file, on disk, in the same file system. */
  readonly by: string
  /** The old database's path afterwards, where no file is yet. */
  readonly keepAs: string
  /** How long to wait for processes that have the database open, in ms. Default 5000. */
  readonly patienceMs?: number
  /** Called between the steps; tests stop there. */
  readonly step?: (name: string) => void
}

/**
 * Puts a database in the place of another, which is kept. Nobody serves the directory meanwhile.
 *
 * there → (its log is folded into it, everybody kept out) → alone → (a second name) → kept → (the new one is renamed
 * onto the first name) → replaced. Whatever ends the process in between, one of the two is whole in its place.
 */
export function replaceDatabase({
  path,
  by,
  keepAs,
  patienceMs = 5000,
  step = () => {},
}: Options): { readonly kind: 'replaced'; readonly kept: string | null } | Problem {
  if (!existsSync(path)) {
    // A log without its database, from a hand that has moved one of the two.
    setAside(path, keepAs)
    renameSync(by, path)
    syncDirectory(dirname(path))
    return { kind: 'replaced', kept: null }
  }
  const claim = claimed(path, patienceMs)
  if (claim === 'busy') {
    return problem(`Another process has the database ${path} open: end it, then try again.`)
  }
  using _ = claim
  step('alone')
  linkSync(path, keepAs)
  syncDirectory(dirname(path))
  step('kept')
  setAside(path, keepAs)
  step('set aside')
  renameSync(by, path)
  syncDirectory(dirname(path))
  return { kind: 'replaced', kept: keepAs }
}

/**
 * `null`: it is damaged, so that nobody can be kept out of it, and its log stays what it is. What a disk refuses once it
 * is asked for again: a journal that was left would have to be rolled back, and whoever only reads cannot.
 */
function claimed(path: string, patienceMs: number, tries = 2): Disposable | 'busy' | null {
  try {
    return claimDatabase(path, patienceMs) ?? 'busy'
  } catch (error) {
    if (!isSqliteError(error) || !/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(error.code)) throw error
    return error.code.startsWith('SQLITE_IOERR') && tries > 1 ? claimed(path, patienceMs, tries - 1) : null
  }
}

/** Of a whole database there is nothing left beside it. */
function setAside(path: string, keepAs: string): void {
  for (const suffix of BESIDE) if (existsSync(path + suffix)) renameSync(path + suffix, keepAs + suffix)
  syncDirectory(dirname(path))
}
