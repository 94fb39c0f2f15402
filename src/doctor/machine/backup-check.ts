import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lastTimeOf } from '../../backup/backup-name.ts'
import { repositoryPlaceIn, destinationText } from '../../backup/destination.ts'
import { bucketRepository, folderRepository } from '../../backup/repository.ts'
import type { RepositoryPlace, BackupRepository, StoredBackup } from '../../backup/repository.ts'
import type { Verification } from '../../backup/verified-file.ts'
import { DAY_MS, MINUTE_MS } from '../../clock.ts'
import { byteSize } from '../../text/byte-size.ts'
import { codeOf } from '../../text/error-code.ts'
import { ago, counted, longTime } from '../../text/format.ts'
import type { DoctorContext } from '../context.ts'
import { failing, note, ok, skipped, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

interface Options extends Pick<DoctorContext, 'openBucket'> {
  readonly data: string
  /** Value of --backup, if set. */
  readonly backup: string | null
  readonly everyMs: number
  readonly offline: boolean
  readonly now: number
}

/** Whether the service can store backups, and the age of the newest. */
export async function checkBackups({ data, backup, everyMs, offline, now, openBucket }: Options): Promise<Finding> {
  if (backup === null) {
    const replication = judgeReplication(data, now)
    if (replication !== null) return replication
    return warning(
      'Backups are off: if this disk fails, all devices are lost until their apps are opened again.',
      'serve --backup /var/backups/bellhop, or s3://bucket/prefix, creates one a day. Ignore this if you back up by other means.',
    )
  }
  const place = repositoryPlaceIn(backup)
  if (place.kind === 'problem') return failing(`--backup (BELLHOP_BACKUP): ${place.problem}`, REFUSED)
  if (place.kind === 'folder')
    return folderHindrance(place.path) ?? judged(place, folderRepository(place.path), { everyMs, now })

  const bucket = openBucket(place.bucket)
  if ('kind' in bucket) return failing(`--backup (BELLHOP_BACKUP): ${bucket.problem}`, REFUSED)
  if (offline) return skipped(`The bucket of ${destinationText(place)} was not asked (--offline).`)
  const tried = await bucket.probe(`${place.prefix}.doctor-${randomUUID()}`)
  if (tried.kind === 'problem') return failing(tried.problem, UNREACHED)
  return judged(place, bucketRepository(bucket, place.prefix), { everyMs, now })
}

/** Litestream waits for a second, or for its own one-minute checkpoint. */
const BEHIND_MS = 5 * MINUTE_MS

/** Reads Litestream's local state; its bucket is not asked. `null`: it never ran here. */
function judgeReplication(data: string, now: number): Finding | null {
  const own = join(data, '.bellhop.db-litestream')
  if (!existsSync(own)) return null
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const readAt = Math.max(
    ...readdirSync(own, { recursive: true, encoding: 'utf8' }).map((name) => timeOf(join(own, name))),
    timeOf(own),
  )
  if (timeOf(join(data, 'bellhop.db-wal')) - readAt > BEHIND_MS) {
    return warning(
      `Litestream has read no change for ${longTime(now - readAt)}, and the database has some.`,
      'Start it: systemctl status bellhop-litestream. serve --backup creates backups without it.',
    )
  }
  return note(
    `Litestream replicates the database; it last read a change ${ago(readAt, now)}.`,
    'The replica lacks the sealing key: keep a copy of that. bellhop backup verify --litestream URL checks the replica.',
  )
}

interface Times {
  readonly everyMs: number
  readonly now: number
}

async function judged(place: RepositoryPlace, repository: BackupRepository, times: Times): Promise<Finding> {
  const listed = await repository.list()
  if (listed.kind === 'problem') return failing(listed.problem, UNREACHED)
  return judgeBackups(destinationText(place), listed.backups, times)
}

const REFUSED = 'Fix --backup: serve does not start.'
const UNREACHED = 'No backups until then. serve retries by itself.'

/** In intervals: two failed backups in a row are no accident. */
const LATE = 2.5

function judgeBackups(where: string, backups: readonly StoredBackup[], { everyMs, now }: Times): Finding {
  const newestAt = lastTimeOf(
    backups.map(({ name }) => name),
    now,
  )
  if (newestAt === null) {
    return warning(
      `There is no backup in ${where} yet.`,
      'A running service makes the first one 10 seconds after its start.',
    )
  }
  const newest = backups.find(({ name }) => lastTimeOf([name], now) === newestAt)
  const size = newest === undefined ? '' : `, of ${byteSize(newest.bytes)}`
  const found = `${counted(backups.length, 'backup')} in ${where}; the newest is ${longTime(now - newestAt)} old${size}`
  if (now - newestAt <= everyMs * LATE) return ok(`${found}.`)
  return warning(
    `${found}, and one should be made every ${longTime(everyMs)}.`,
    'Start the service with this --backup; if it runs, its log says why it creates none ("no backup was made").',
  )
}

/** Why no backup can be written to `path`. Writes a file and removes it. */
function folderHindrance(path: string): Finding | null {
  try {
    const there = statSync(path, { throwIfNoEntry: false })
    // The first backup creates the folder, but not its parent, which may be an unmounted disk.
    if (there === undefined && statSync(dirname(path), { throwIfNoEntry: false }) === undefined) {
      return failing(`There is no directory ${dirname(path)} for the backups.`, `Create or mount it. ${UNREACHED}`)
    }
    const probe = join(there === undefined ? dirname(path) : path, `.doctor-${randomUUID()}`)
    closeSync(openSync(probe, 'wx', 0o600))
    rmSync(probe)
    return null
  } catch (error) {
    const code = codeOf(error)
    if (code === null) throw error
    return failing(`No backup can be written in ${path} (${code}).`, ADVICE[code] ?? UNREACHED)
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "Run doctor as the server's user, or give that user the folder: chown, chmod u+rwX.",
  EPERM: "Run doctor as the server's user, or give that user the folder: chown, chmod u+rwX.",
  EROFS: 'Under a hardened unit the folder must be in ReadWritePaths=; else mount its disk for writing.',
  ENOSPC: 'Make room on its disk.',
  EDQUOT: "Free space: this user's disk quota is used up.",
  ENOTDIR: 'A part of its path is a file: name another folder.',
}

/** A server verifies daily; two misses in a row are no accident. */
const LATE_MS = 2.5 * DAY_MS

export function judgeVerified({ good, problem }: Verification, now: number): Finding {
  if (problem !== null) {
    const before = good === null ? '' : ` The last good one was ${good.name}.`
    return failing(
      `${problem.what}${before}`,
      'Create another now (bellhop backup), and check the others: bellhop backup verify.',
    )
  }
  if (good === null) {
    return skipped('No backup was verified yet: a running server verifies the newest within an hour, then once a day.')
  }
  const { name, at, devices } = good
  const found = `${name} was opened ${longTime(now - at)} ago: it is whole, with ${counted(devices, 'device')}.`
  if (now - at <= LATE_MS) return ok(found)
  return warning(found, 'A running server verifies the newest backup once a day; its log says why it did not.')
}
