import { existsSync, statSync } from 'node:fs'
import { copyDatabase } from '../database/offline-database.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import type { Bucket } from './bucket.ts'
import type { Destination, Replica } from './destination.ts'
import { fetchReplica } from './litestream/replica.ts'
import { strangenessOf } from './summary.ts'
import { UNWATCHED_BACKUP } from './watch.ts'
import type { BackupWatch } from './watch.ts'

export type OneBackup = Extract<Destination, { kind: 'file' | 'object' }> | Replica

interface Options {
  readonly from: OneBackup
  /** Does not exist yet. */
  readonly into: string
  /** Only called for a bucket. */
  readonly openBucket: (name: string) => Bucket | Problem
  readonly watch?: BackupWatch | undefined
}

/** `copiedAt`: of a replica, when its newest part was stored. */
export interface FetchedBackup {
  readonly copiedAt: number | null
}

/** Does not check it. */
export async function fetchBackup({
  from,
  into,
  openBucket,
  watch = UNWATCHED_BACKUP,
}: Options): Promise<FetchedBackup | Problem> {
  switch (from.kind) {
    case 'file':
      return copied(from.path, into, watch) ?? { copiedAt: null }
    case 'object': {
      const bucket = openBucket(from.bucket)
      if ('kind' in bucket) return bucket
      const fetched = await bucket.fetch(from.key, into, watch.moved)
      return fetched.kind === 'problem' ? fetched : { copiedAt: null }
    }
    case 'replica':
      return fetchReplica({ from, into, openBucket, watch })
  }
}

/** Through SQLite: a log beside the file is a part of it. */
function copied(path: string, into: string, watch: BackupWatch): Problem | null {
  if (!existsSync(path)) return problem(`There is no file ${path}.`)
  const strangeness = strangenessOf(path)
  if (strangeness !== null) return problem(`${path} is not a good backup: ${strangeness}`)
  try {
    const { size } = statSync(path)
    watch.during({ into, size }, () => copyDatabase(path, into))
    return null
  } catch (error) {
    if (!isSqliteError(error) || error.code === 'SQLITE_FULL') throw error
    return problem(`${path} is not a good backup: It cannot be read: ${error.message} (${error.code}).`)
  }
}
