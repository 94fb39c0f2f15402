import type { Clock } from '../clock.ts'
import { StartRefused } from '../failure.ts'
import type { Problem } from '../failure.ts'
import type { Log } from '../log.ts'
import type { Config } from '../settings/parse.ts'
import { readSystemFile } from '../system/read-file.ts'
import { backupProcess, verifyProcess } from './own-process.ts'
import { bucketAccess } from './bucket-access.ts'
import { openBucket } from './bucket.ts'
import { repositoryPlaceIn } from './destination.ts'
import { repositoryAt } from './repository.ts'
import type { BackupRepository } from './repository.ts'
import { startBackupSchedule } from './schedule.ts'
import type { BackupSchedule } from './schedule.ts'
import { readVerification, writeVerification } from './verified-file.ts'
import { createVerifier } from './verifier.ts'

interface Dependencies {
  readonly clock: Clock
  readonly log: Log
  /** Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * `null`: no backups are wanted. Throws `StartRefused` for an invalid place, or a bucket without credentials. One that
 * cannot be reached is logged and tried again.
 */
export function startBackups(
  {
    backup,
    backupEvery: everyMs,
    backupKeep: keep,
    backupVerify,
    data,
  }: Pick<Config, 'backup' | 'backupEvery' | 'backupKeep' | 'backupVerify' | 'data'>,
  { clock, log, env = process.env }: Dependencies,
): (BackupSchedule & Pick<BackupRepository, 'list'>) | null {
  if (backup === null) return null
  const to = repositoryPlaceIn(backup)
  if (to.kind === 'problem') throw refused(to)
  const open = (name: string) => {
    const access = bucketAccess(env, readSystemFile)
    return access.kind === 'problem' ? access : openBucket({ name, access, clock })
  }
  const repository = repositoryAt(to, open)
  if ('kind' in repository) throw refused(repository)
  const list = () => repository.list()
  const schedule = startBackupSchedule({
    clock,
    log,
    everyMs,
    list,
    make: (name) => backupProcess(name, { data, to, keep, env }),
    verifier:
      backupVerify === 'off'
        ? null
        : createVerifier({
            clock,
            log,
            list,
            verify: (name) => verifyProcess(name, { data, from: to, env }),
            known: readVerification(data),
            keep: (verification) => writeVerification(data, verification),
          }),
  })
  return { ...schedule, list }
}

function refused({ problem }: Problem): StartRefused {
  return new StartRefused(`--backup (BELLHOP_BACKUP): ${problem}`)
}
