import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lockDirectory } from '../database/directory-lock.ts'
import { claimDatabase } from '../database/offline-database.ts'
import type { ClaimedDatabase } from '../database/offline-database.ts'
import { refuseLinks, workDirectoryFor } from '../database/regular-file.ts'
import { isDamage, isSqliteError } from '../database/sqlite-error.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { syncDirectory, syncFile } from '../system/durable.ts'
import { freeBytes, sizeOf } from '../system/space.ts'
import { byteSize } from '../text/byte-size.ts'
import { DRAFT, eraseDraft } from './make-backup.ts'
import { inspect } from './summary.ts'
import { UNWATCHED_BACKUP } from './watch.ts'
import type { BackupWatch } from './watch.ts'

export interface Compacted {
  readonly kind: 'compacted'
  readonly database: string
  readonly beforeBytes: number
  readonly afterBytes: number
}

interface Options {
  readonly data: string
  readonly watch?: BackupWatch
  readonly freeIn?: (directory: string) => number
  /** How long to wait for processes that have the database open. Default 5000. */
  readonly patienceMs?: number
  /** Called between the steps; tests stop there. */
  readonly step?: (name: string) => void
}

/**
 * Returns the space of erased rows to the disk.
 *
 * there → (its log is moved into it, everybody kept out) → alone → (packed into a copy, checked, on disk) → copied →
 * (renamed onto it) → compacted. Ending the process before the last step leaves it as it was. Not in place (VACUUM):
 * that needs room for two copies.
 */
export function compact(options: Options): Compacted | Problem {
  const { data, patienceMs = 5000 } = options
  refuseLinks(data)
  const path = join(data, 'bellhop.db')
  using lock = lockDirectory(data)
  if (lock === null) {
    return problem(`A Bellhop serves the data directory ${data}: stop it, compact, and start it again.`)
  }
  const beforeBytes = sizeOf(path) + sizeOf(`${path}-wal`)
  try {
    using claimed = claimDatabase(path, patienceMs)
    if (claimed === null) {
      return problem(`Another process has the database ${path} open: end it, then try again.`)
    }
    const unpacked = replacePacked(claimed, path, options)
    return unpacked ?? { kind: 'compacted', database: path, beforeBytes, afterBytes: sizeOf(path) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return problem(`The database ${path} is damaged and was left unchanged: ${error.message}. See bellhop doctor.`)
  }
}

/** `null`: done. */
function replacePacked(
  claimed: ClaimedDatabase,
  path: string,
  { data, watch = UNWATCHED_BACKUP, freeIn = freeBytes, step = () => {} }: Options,
): Problem | null {
  step('alone')
  const draft = join(workDirectoryFor(data), `bellhop.db.compact${DRAFT}`)
  eraseDraft(draft)
  const needed = claimed.usedBytes()
  const free = freeIn(dirname(draft))
  if (free < needed) return noRoom(path, needed, free)
  try {
    watch.during({ into: draft, size: needed }, () => claimed.copyInto(draft, data))
    syncFile(draft)
    const found = inspect(draft, 'quick', watch)
    if (found.kind === 'bad') {
      return problem(`The database ${path} is damaged and was left unchanged: ${found.problems.join(' ')}`)
    }
    step('copied')
    renameSync(draft, path)
    syncDirectory(data)
    return null
  } catch (error) {
    if (isSqliteError(error) && error.code === 'SQLITE_FULL') return noRoom(path, needed, freeIn(dirname(draft)))
    throw error
  } finally {
    eraseDraft(draft)
  }
}

function noRoom(path: string, needed: number, free: number): Problem {
  return problem(
    `There is no room to compact ${path}: its copy needs ${byteSize(needed)}, and ${byteSize(free)} are free. Nothing has changed.`,
  )
}
