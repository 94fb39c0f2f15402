import { closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../clock.ts'
import { lockDirectory } from '../database/directory-lock.ts'
import { writeDatabaseFile } from '../database/offline-database.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import type { OfflineWriter } from '../database/offline-database.ts'
import { giveToOwnerOf, refuseLink, workDirectoryFor } from '../database/regular-file.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { stampOf } from './backup-name.ts'
import type { Bucket } from './bucket.ts'
import { differenceOf } from './compare.ts'
import type { BackupDifference } from './compare.ts'
import { destinationText } from './destination.ts'
import { fetchBackup } from './fetch-backup.ts'
import type { FetchedBackup, OneBackup } from './fetch-backup.ts'
import { replaceDatabase } from './replace-database.ts'
import { inspect } from './summary.ts'
import type { BackupSummary } from './summary.ts'
import type { BackupWatch } from './watch.ts'

export interface CancelledPushes {
  /** Being sent, or waiting for a retry, at the time of the backup. */
  readonly open: number
  /** Scheduled for a time that has passed since. */
  readonly scheduled: number
}

/** Cancels what was unfinished at the time of the backup. `schema`: the database's. */
type CancelOpenPushes = (database: OfflineWriter, schema: number, now: number) => CancelledPushes

export interface RestoredBackup {
  readonly kind: 'restored'
  readonly data: string
  /** Of the backup. */
  readonly content: BackupSummary
  /** See `FetchedBackup`. */
  readonly copiedAt: FetchedBackup['copiedAt']
  /** The path of the old database; `null`: there was none. */
  readonly kept: string | null
  readonly difference: BackupDifference
  readonly cancelled: CancelledPushes | null
  /** Events waiting for webhooks at the time of the backup, which will be sent now. */
  readonly waitingEvents: number
  /** The next start upgrades it. */
  readonly isOlder: boolean
}

/** A restore that would lose data was not confirmed; nothing has changed. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed'
  readonly difference: Exclude<BackupDifference, { readonly kind: 'none' }>
}

interface Options {
  /** Created if missing. */
  readonly data: string
  readonly from: OneBackup
  /** Also replaces a database with data that the backup lacks. */
  readonly confirmed: boolean
  /** `null`: unfinished pushes of the backup continue. */
  readonly cancelOpenPushes: CancelOpenPushes | null
  readonly clock: Pick<Clock, 'now'>
  /** Only called for a bucket. */
  readonly openBucket: (name: string) => Bucket | Problem
  readonly watch?: BackupWatch
}

/**
 * Makes a backup the database of a data directory, and keeps the old one. Everything is prepared and checked beside it;
 * the database changes in one step, or not at all.
 */
export async function restore(options: Options): Promise<RestoredBackup | Unconfirmed | Problem> {
  const { data, from } = options
  // A typo must not create a data directory.
  if (from.kind === 'file' && !existsSync(from.path)) return problem(`There is no file ${from.path}.`)
  using lock = lockDirectory(data)
  if (lock === null) {
    return problem(`A Bellhop serves the data directory ${data}: stop it, restore, and start it again.`)
  }
  // Links are fine elsewhere; here somebody other than the operator could have made it.
  if (from.kind === 'file' && realpathSync(dirname(from.path)) === realpathSync(data)) refuseLink(from.path)
  const workplace = workplaceFor(data)
  rmSync(workplace, { recursive: true, force: true })
  mkdirSync(workplace, { mode: 0o700 })
  try {
    return await restoreBy(join(workplace, 'bellhop.db'), options)
  } finally {
    rmSync(workplace, { recursive: true, force: true })
  }
}

async function restoreBy(
  copy: string,
  { data, from, confirmed, cancelOpenPushes, clock, openBucket, watch }: Options,
): Promise<RestoredBackup | Unconfirmed | Problem> {
  const fetched = await fetchBackup({ from, into: copy, openBucket, watch })
  if ('problem' in fetched) return fetched
  const found = inspect(copy, 'full', watch)
  if (found.kind === 'bad') return problem(`${destinationText(from)} is not a good backup: ${found.problems.join(' ')}`)
  const { content } = found

  const path = join(data, 'bellhop.db')
  const difference: BackupDifference = existsSync(path) ? differenceOf(path, content) : { kind: 'none' }
  if (difference.kind !== 'none' && !confirmed) return { kind: 'unconfirmed', difference }

  const now = clock.now()
  const sent = settled(copy, content.schema, cancelOpenPushes, now)
  finish(copy, data)
  const replaced = replaceDatabase({ path, by: copy, keepAs: freeName(`${path}.replaced-${stampOf(now)}`) })
  if (replaced.kind === 'problem') return replaced
  return {
    kind: 'restored',
    data,
    content,
    copiedAt: fetched.copiedAt,
    kept: replaced.kept,
    difference,
    ...sent,
    isOlder: content.schema < NEWEST_SCHEMA,
  }
}

function settled(
  copy: string,
  schema: number,
  cancelOpenPushes: CancelOpenPushes | null,
  now: number,
): Pick<RestoredBackup, 'cancelled' | 'waitingEvents'> {
  using database = writeDatabaseFile(copy)
  const [events] =
    schema < EVENTS_SINCE ? [] : database.all<{ waiting: number }>('SELECT count(*) AS waiting FROM event')
  return {
    cancelled: cancelOpenPushes && cancelOpenPushes(database, schema, now),
    waitingEvents: events?.waiting ?? 0,
  }
}

const EVENTS_SINCE = 6

/** On disk, and owned like the data directory. */
function finish(copy: string, data: string): void {
  const file = openSync(copy, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    giveToOwnerOf(data, file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** On the database's file system, for a rename as the last step. */
export function workplaceFor(data: string): string {
  const directory = workDirectoryFor(data)
  return directory === data ? join(data, 'restoring') : join(directory, `.${basename(realpathSync(data))}.restoring`)
}

function freeName(path: string): string {
  let name = path
  for (let n = 2; existsSync(name); n++) name = `${path}-${n}`
  return name
}
