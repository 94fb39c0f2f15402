import { readDatabaseFile } from '../database/offline-database.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import { newestIn } from './summary.ts'
import type { BackupSummary } from './summary.ts'

export type BackupDifference =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'newer'
      readonly newestAt: number
      /** Devices first registered, and devices changed, since the last change in the backup. */
      readonly registered: number
      readonly changed: number
      readonly pushes: number
    }
  /** The backup lacks these applications: it is of another service. */
  | { readonly kind: 'other'; readonly applications: readonly string[] }
  | { readonly kind: 'damaged'; readonly problem: string }

/** `path`: a database of any schema. */
export function differenceOf(path: string, backup: Pick<BackupSummary, 'newestAt' | 'applications'>): BackupDifference {
  try {
    using file = readDatabaseFile(path)
    const since = backup.newestAt ?? 0
    const others = file
      .all<{ id: string; name: string; createdAt: number }>('SELECT id, name, created_at AS createdAt FROM application')
      .filter(({ id, createdAt }) => createdAt <= since && !backup.applications.includes(id))
    if (others.length > 0) return { kind: 'other', applications: others.map(({ name }) => name) }
    const newestAt = newestIn(file)
    if (newestAt === null || newestAt <= since) return { kind: 'none' }
    const count = (from: string) => file.all<{ n: number }>(`SELECT count(*) AS n ${from}`, since)[0]?.n ?? 0
    const registered = count('FROM device WHERE registered_at > ?')
    return {
      kind: 'newer',
      newestAt,
      registered,
      changed: count('FROM device WHERE max(seen_at, updated_at) > ?') - registered,
      pushes: count('FROM push WHERE created_at > ?'),
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return { kind: 'damaged', problem: `${error.message} (${error.code})` }
  }
}
