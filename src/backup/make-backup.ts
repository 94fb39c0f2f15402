import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DAY_MS, MINUTE_MS } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { lockBackups } from '../database/directory-lock.ts'
import { copyDatabase } from '../database/offline-database.ts'
import { refuseLinks, workDirectoryFor } from '../database/regular-file.ts'
import { isDamage, isSqliteError } from '../database/sqlite-error.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { giveName, syncFile } from '../system/durable.ts'
import { sizeOf } from '../system/space.ts'
import { codeOf } from '../text/error-code.ts'
import { backupNameAt, surplusOf, timeInName } from './backup-name.ts'
import type { Bucket } from './bucket.ts'
import { destinationText } from './destination.ts'
import type { Destination } from './destination.ts'
import { bucketRepository, folderRepository, backupNames } from './repository.ts'
import type { BackupRepository } from './repository.ts'
import { inspect } from './summary.ts'
import type { BackupSummary } from './summary.ts'
import { UNWATCHED_BACKUP } from './watch.ts'
import type { BackupWatch } from './watch.ts'

export interface Made {
  readonly kind: 'made'
  readonly to: string
  readonly bytes: number
  readonly content: BackupSummary
  readonly erased: readonly string[]
  /** `null`: all were erased. */
  readonly notErased: string | null
}

interface Options {
  readonly data: string
  readonly to: Destination
  /** Of those named by time, with the new one. `null`: all. */
  readonly keep: number | null
  readonly clock: Pick<Clock, 'now'>
  /** Only called for a bucket. */
  readonly openBucket: (name: string) => Bucket | Problem
  readonly watch?: BackupWatch
}

export const DRAFT = '.partial'

const ABANDONED_MS = DAY_MS
const ABANDONED_ALONE_MS = MINUTE_MS

/**
 * Copies the database while others use it. A backup gets its name once it is whole, checked and on disk; an existing
 * file is left alone.
 */
export async function makeBackup(options: Options): Promise<Made | Problem> {
  const { data, to, clock } = options
  refuseLinks(data)
  const source = join(data, 'bellhop.db')
  using alone = lockBackups(data)
  const name = to.kind === 'file' ? basename(to.path) : to.kind === 'object' ? to.key : backupNameAt(clock.now())
  return to.kind === 'file' || to.kind === 'folder'
    ? await toDisk(source, to, name, { ...options, alone: alone !== null })
    : await toBucket(source, to, name, { ...options, alone: alone !== null })
}

interface Making extends Options {
  readonly alone: boolean
}

async function toDisk(
  source: string,
  to: Extract<Destination, { kind: 'file' | 'folder' }>,
  name: string,
  { keep, clock, alone, watch = UNWATCHED_BACKUP }: Making,
): Promise<Made | Problem> {
  const folder = to.kind === 'file' ? dirname(to.path) : to.path
  const path = to.kind === 'file' ? to.path : join(folder, name)
  // Only the last part of the path is created: the rest may be a disk that is not mounted.
  const above = timeInName(name) === null ? folder : dirname(folder)
  if (!existsSync(above)) return problem(`There is no directory ${above} for the backup: create or mount it.`)
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  if (existsSync(path)) return taken(path)
  const draft = path + DRAFT
  const copied = copyChecked(source, draft, { now: clock.now(), alone, watch })
  if (copied.kind === 'problem') return copied
  try {
    if (!giveName(draft, path)) return taken(path)
    return { ...copied, ...(await prune(folderRepository(folder), keep, clock.now())), kind: 'made', to: path }
  } finally {
    eraseDraft(draft)
  }
}

async function toBucket(
  source: string,
  to: Extract<Destination, { kind: 'object' | 'prefix' }>,
  name: string,
  { data, keep, clock, openBucket, alone, watch = UNWATCHED_BACKUP }: Making,
): Promise<Made | Problem> {
  const bucket = openBucket(to.bucket)
  if ('kind' in bucket) return bucket
  const key = to.kind === 'object' ? to.key : to.prefix + name
  const written = destinationText({ kind: 'object', bucket: to.bucket, key })
  // First of all, so that wrong credentials are reported at once.
  const before = await bucket.list(key)
  if (before.kind === 'problem') return before
  if (before.value.some((stored) => stored.key === key)) return taken(written)

  // Beside the database, not in /tmp, which may be memory.
  const draft = join(workDirectoryFor(data), basename(name) + DRAFT)
  const copied = copyChecked(source, draft, { now: clock.now(), alone, watch })
  if (copied.kind === 'problem') return copied
  try {
    const put = await bucket.put(key, draft, watch.moved)
    if (put.kind === 'problem') return put
    const after = await bucket.list(key)
    if (after.kind === 'problem') return after
    const stored = after.value.find((each) => each.key === key)
    if (stored?.bytes !== copied.bytes) {
      // With this name it would pass for a backup, also to the schedule.
      const left = await bucket.remove(key)
      const end = left.kind === 'problem' ? `It could not be erased: ${left.problem}` : 'It is erased again.'
      return problem(`${written} had ${stored?.bytes ?? 'no'} bytes after the upload, not ${copied.bytes}. ${end}`)
    }
    const repository = bucketRepository(bucket, key.slice(0, -basename(key).length))
    return { ...copied, ...(await prune(repository, keep, clock.now())), kind: 'made', to: written }
  } finally {
    eraseDraft(draft)
  }
}

type Copied = { readonly kind: 'copied'; readonly bytes: number; readonly content: BackupSummary }

function copyChecked(
  source: string,
  draft: string,
  { now, alone, watch }: { readonly now: number; readonly alone: boolean; readonly watch: BackupWatch },
): Copied | Problem {
  // No other service has a draft of this name.
  if (alone) eraseDraft(draft)
  eraseAbandoned(dirname(draft), now - (alone ? ABANDONED_ALONE_MS : ABANDONED_MS))
  if (existsSync(draft)) {
    return problem(`${draft} is there: another backup writes it. If none runs, remove that file.`)
  }
  try {
    const { size } = statSync(source)
    watch.during({ into: draft, size }, () => copyDatabase(source, draft))
    syncFile(draft)
    const found = inspect(draft, 'quick', watch)
    if (found.kind === 'good') return { kind: 'copied', bytes: statSync(draft).size, content: found.content }
    eraseDraft(draft)
    return problem(`The copy of ${source} is not good, and is not kept: ${found.problems.join(' ')}`)
  } catch (error) {
    // Another backup created the draft just now.
    if (codeOf(error) === 'EEXIST') throw error
    eraseDraft(draft)
    if (isSqliteError(error)) return problem(copyProblem(error, source, draft))
    throw error
  }
}

function copyProblem(error: Error & { code: string }, source: string, draft: string): string {
  const { code, message } = error
  const megabytes = Math.ceil((sizeOf(source) + sizeOf(`${source}-wal`)) / 1e6)
  if (code === 'SQLITE_FULL')
    return `There is no room in ${dirname(draft)} for a copy of the database: it takes up to ${megabytes} MB.`
  if (isDamage(error)) return `The database ${source} is damaged: ${message} (${code}).`
  return `${source} cannot be copied to ${draft}: ${message} (${code}).`
}

/** Only our own names, and only once the new backup is safe. */
async function prune(
  repository: BackupRepository,
  keep: number | null,
  now: number,
): Promise<Pick<Made, 'erased' | 'notErased'>> {
  if (keep === null) return { erased: [], notErased: null }
  const there = await repository.list()
  if (there.kind === 'problem') return { erased: [], notErased: there.problem }
  const erased: string[] = []
  for (const name of surplusOf(backupNames(there), keep, now)) {
    const left = await repository.remove(name)
    if (left !== null) return { erased, notErased: left.problem }
    erased.push(name)
  }
  return { erased, notErased: null }
}

export function eraseDraft(draft: string): void {
  for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true })
}

/** Left by processes that were killed. */
function eraseAbandoned(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(DRAFT) || timeInName(name.slice(0, -DRAFT.length)) === null) continue
    const path = join(folder, name)
    if ((lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before) eraseDraft(path)
  }
}

function taken(path: string): Problem {
  return problem(`${path} exists already: a backup is never written over. Name another one.`)
}
