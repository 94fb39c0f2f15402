import type { Problem } from '../application/credential.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { readSystemFile } from '../read-file.ts'
import { StartRefused } from '../start-refused.ts'
import { backupProcess } from './backup-process.ts'
import { bucketAccess } from './bucket-access.ts'
import { openBucket } from './bucket.ts'
import { shelfIn } from './destination.ts'
import { startBackupSchedule } from './schedule.ts'
import type { BackupSchedule } from './schedule.ts'
import { bucketShelf, folderShelf } from './shelf.ts'
import type { Shelf } from './shelf.ts'

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  /** Where the credentials of a bucket are looked for, here and by the processes that make backups. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * The backups that a service makes by itself; `null` where none are wanted. Throws `StartRefused` for a place that is
 * none, or a bucket without credentials. One that cannot be reached now may be later: that is logged and tried again.
 */
export function startBackups(
  {
    backup,
    backupEvery: everyMs,
    backupKeep: keep,
    data,
  }: Pick<Config, 'backup' | 'backupEvery' | 'backupKeep' | 'data'>,
  { clock, log, env = process.env }: Dependencies,
): BackupSchedule | null {
  if (backup === null) return null
  const to = orRefused(shelfIn(backup))
  const shelf: Shelf =
    to.kind === 'folder'
      ? folderShelf(to.path)
      : bucketShelf(
          openBucket({ name: to.bucket, access: orRefused(bucketAccess(env, readSystemFile)), clock }),
          to.prefix,
        )
  return startBackupSchedule({
    clock,
    log,
    everyMs,
    names: () => shelf.names(),
    make: (name) => backupProcess(name, { data, to, keep, env }),
  })
}

function orRefused<Value extends { readonly kind: string }>(found: Value | Problem): Value {
  if (found.kind === 'problem') throw new StartRefused(`--backup (BELLHOP_BACKUP): ${(found as Problem).problem}`)
  return found as Value
}
