import { existsSync, linkSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { claimDatabase } from '../database/offline-database.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { syncDirectory } from '../system/durable.ts'

/** SQLite's files beside a database. Beside another one they would be replayed into it. */
const BESIDE = ['-wal', '-shm', '-journal']

interface Options {
  readonly path: string
  /** The new database: one file, on disk, in the same file system. */
  readonly by: string
  /** The old database's new path. Does not exist yet. */
  readonly keepAs: string
  /** How long to wait for processes that have the database open. Default 5000. */
  readonly patienceMs?: number
  /** Called between the steps; tests stop there. */
  readonly step?: (name: string) => void
}

/**
 * Replaces a database and keeps the old one. Nobody serves the directory.
 *
 * there → (its log is moved into it, everybody kept out) → alone → (a second name) → kept → (the new one is renamed
 * onto the first name) → replaced. Wherever the process ends, one of the two is whole in its place.
 */
export function replaceDatabase({
  path,
  by,
  keepAs,
  patienceMs = 5000,
  step = () => {},
}: Options): { readonly kind: 'replaced'; readonly kept: string | null } | Problem {
  if (!existsSync(path)) {
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
 * `null`: it is damaged, so nobody can be kept out, and its log stays. A disk error is tried once more: a leftover
 * journal would have to be rolled back, which a reader cannot.
 */
function claimed(path: string, patienceMs: number, tries = 2): Disposable | 'busy' | null {
  try {
    return claimDatabase(path, patienceMs) ?? 'busy'
  } catch (error) {
    if (!isSqliteError(error) || !/^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(error.code)) throw error
    return error.code.startsWith('SQLITE_IOERR') && tries > 1 ? claimed(path, patienceMs, tries - 1) : null
  }
}

function setAside(path: string, keepAs: string): void {
  for (const suffix of BESIDE) if (existsSync(path + suffix)) renameSync(path + suffix, keepAs + suffix)
  syncDirectory(dirname(path))
}
