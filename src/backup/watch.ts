export interface BackupStep {
  /** The file that the database is copied to; `null`: it is checked, and some of it read more than once. */
  readonly into: string | null
  readonly size: number
}

export interface BackupWatch {
  during<T>(step: BackupStep, work: () => T): T
  /** Bytes moved to or from a bucket so far. `total`: `null` if unknown. */
  readonly moved: (done: number, total: number | null) => void
}

export const UNWATCHED_BACKUP: BackupWatch = { during: (_, work) => work(), moved: () => undefined }
