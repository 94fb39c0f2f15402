/** A step that blocks this thread until it is done: one statement over a whole database. */
export interface BackupStep {
  /** A file that the database is copied to; `null`: it is checked, and some of it read more than once. */
  readonly into: string | null
  /** Bytes of the database. */
  readonly size: number
}

/** Shows an operator who waits how far a backup is. */
export interface BackupWatch {
  during<T>(step: BackupStep, work: () => T): T
  /** Bytes on their way to or from a bucket, so far. `total`: `null` where nobody knows. */
  readonly moved: (done: number, total: number | null) => void
}

/** No operator waits. */
export const UNWATCHED_BACKUP: BackupWatch = { during: (_, work) => work(), moved: () => undefined }
