import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Problem } from '../application/credential.ts'
import type { Clock } from '../clock.ts'
import { lockDirectory } from '../database/directory-lock.ts'
import { writeDatabaseFile } from '../database/plain-file.ts'
import { stampOf } from './backup-name.ts'
import type { Bucket } from './bucket.ts'
import { inspect } from './content.ts'
import type { Content } from './content.ts'
import { writtenOut } from './destination.ts'
import type { Destination } from './destination.ts'
import { giveToOwnerOf, syncFile } from './durable.ts'
import { fetchBackup } from './fetch-backup.ts'
import { lossesOf } from './losses.ts'
import type { Losses } from './losses.ts'
import { replaceDatabase } from './replace-database.ts'
import { callOffUnsent } from './unsent.ts'
import type { CalledOff } from './unsent.ts'

export interface Restored {
  readonly kind: 'restored'
  /** The data directory. */
  readonly data: string
  /** What was in the backup. */
  readonly content: Content
  /** Where the database is that was there; `null`: there was none. */
  readonly kept: string | null
  readonly losses: Losses
  /** `null`: nothing was to be called off. */
  readonly calledOff: CalledOff | null
  /** Events that webhooks had not heard of when the backup was made, and will now. */
  readonly waitingEvents: number
}

/** It was not asked for strongly enough: nothing is changed. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed'
  readonly losses: Exclude<Losses, { readonly kind: 'none' }>
}

interface Options {
  /** The data directory; it is made where there is none. */
  readonly data: string
  readonly from: Destination
  /** Also over a database that has what the backup does not have. */
  readonly confirmed: boolean
  /** Whether pushes go on that were not over at the time of the backup (see `callOffUnsent`). */
  readonly resumePushes: boolean
  readonly clock: Pick<Clock, 'now'>
  /** Only asked for a bucket. */
  readonly openBucket: (name: string) => Bucket | Problem
}

/**
 * Makes a backup the database of a data directory, and keeps the one that was there. Everything is done beside it and
 * checked first; the database changes in one step, or not at all.
 */
export async function restore(options: Options): Promise<Restored | Unconfirmed | Problem> {
  const { data, from } = options
  // A mistake in the name is no reason to make a data directory.
  if (from.kind === 'file' && !existsSync(from.path)) return problem(`There is no file ${from.path}.`)
  using lock = lockDirectory(data)
  if (lock === null) {
    return problem(`A Bellhop serves the data directory ${data}: stop it, restore, and start it again.`)
  }
  giveToOwnerOf(data, join(data, 'serving.lock'))
  const workplace = join(data, 'restoring')
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
  { data, from, confirmed, resumePushes, clock, openBucket }: Options,
): Promise<Restored | Unconfirmed | Problem> {
  const unfetched = await fetchBackup({ from, into: copy, openBucket })
  if (unfetched !== null) return unfetched
  const found = inspect(copy, 'full')
  if (found.kind === 'bad') return problem(`${writtenOut(from)} is not a good backup: ${found.problems.join(' ')}`)
  const { content } = found

  const path = join(data, 'bellhop.db')
  const losses: Losses = existsSync(path) ? lossesOf(path, content) : { kind: 'none' }
  if (losses.kind !== 'none' && !confirmed) return { kind: 'unconfirmed', losses }

  const now = clock.now()
  const brought = broughtUp(copy, resumePushes, now)
  syncFile(copy)
  giveToOwnerOf(data, copy)
  const replaced = replaceDatabase({ path, by: copy, keepAs: freeName(`${path}.replaced-${stampOf(now)}`) })
  if (replaced.kind === 'problem') return replaced
  return { kind: 'restored', data, content, kept: replaced.kept, losses, ...brought }
}

/** To this binary's schema, and to what may be sent now. */
function broughtUp(copy: string, resumePushes: boolean, now: number): Pick<Restored, 'calledOff' | 'waitingEvents'> {
  using database = writeDatabaseFile(copy)
  const [events] = database.all<{ waiting: number }>('SELECT count(*) AS waiting FROM event')
  return { calledOff: resumePushes ? null : callOffUnsent(database, now), waitingEvents: events?.waiting ?? 0 }
}

function problem(sentence: string): Problem {
  return { kind: 'problem', problem: sentence }
}

/** Two restores in one second must not be in each other's way. */
function freeName(path: string): string {
  let name = path
  for (let n = 2; existsSync(name); n++) name = `${path}-${n}`
  return name
}
