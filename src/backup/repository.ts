import { lstatSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { codeOf } from '../text/error-code.ts'
import { timeInName } from './backup-name.ts'
import type { Bucket } from './bucket.ts'
import type { Destination } from './destination.ts'

export interface StoredBackup {
  readonly name: string
  readonly bytes: number
}

export interface BackupRepository {
  /** Backups named by time, newest first. Other files are not ours. */
  list(): Promise<{ readonly kind: 'list'; readonly backups: readonly StoredBackup[] } | Problem>
  remove(name: string): Promise<Problem | null>
}

export type RepositoryPlace = Extract<Destination, { kind: 'folder' | 'prefix' }>

export function backupNames({ backups }: { readonly backups: readonly StoredBackup[] }): readonly string[] {
  return backups.map(({ name }) => name)
}

/** `openBucket` is only called for a bucket. */
export function repositoryAt(
  place: RepositoryPlace,
  openBucket: (name: string) => Bucket | Problem,
): BackupRepository | Problem {
  if (place.kind === 'folder') return folderRepository(place.path)
  const bucket = openBucket(place.bucket)
  return 'kind' in bucket ? bucket : bucketRepository(bucket, place.prefix)
}

export function folderRepository(path: string): BackupRepository {
  return {
    async list() {
      try {
        const entries = readdirSync(path).map((name) => ({
          name,
          bytes: lstatSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0,
        }))
        return { kind: 'list', backups: newestFirst(entries) }
      } catch (error) {
        const code = codeOf(error) ?? ''
        if (code === 'ENOENT') return { kind: 'list', backups: [] }
        const why = REASONS[code]
        if (why === undefined) throw error
        return problem(`The folder ${path} cannot be read: ${why}.`)
      }
    },
    async remove(name) {
      await rm(join(path, name), { force: true })
      return null
    },
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  ENOTDIR: 'it is, or is in, a file',
  EIO: 'its disk fails (see dmesg)',
  ESTALE: 'the share that it is on is gone',
}

/** `prefix` is `''` or ends in a slash. */
export function bucketRepository(bucket: Bucket, prefix: string): BackupRepository {
  return {
    async list() {
      const listed = await bucket.list(prefix)
      if (listed.kind === 'problem') return listed
      const entries = listed.value.map(({ key, bytes }) => ({ name: key.slice(prefix.length), bytes }))
      return { kind: 'list', backups: newestFirst(entries) }
    },
    async remove(name) {
      const removed = await bucket.remove(prefix + name)
      return removed.kind === 'problem' ? removed : null
    },
  }
}

function newestFirst(entries: readonly StoredBackup[]): readonly StoredBackup[] {
  return entries
    .filter(({ name }) => timeInName(name) !== null)
    .toSorted((a, b) => (timeInName(b.name) ?? 0) - (timeInName(a.name) ?? 0))
}
