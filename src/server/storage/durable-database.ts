import type { Clock } from '../../clock.ts'
import type { CheckpointOverrides } from '../../database/checkpoint/checkpointer.ts'
import type { Database, Sync } from '../../database/database.ts'
import { createGroupCommit } from '../../database/group-commit.ts'
import type { CommitObserver } from '../../database/group-commit.ts'
import type { Log } from '../../log.ts'
import { watchFiles } from './file-watch.ts'
import { databaseIn } from '../start/start-checks.ts'

interface Dependencies {
  readonly data: string
  readonly clock: Clock
  readonly log: Log
  readonly observer: CommitObserver
  /** Default: the disk makes commits durable. */
  readonly sync?: (own: Sync) => Sync
  /** Default: a thread checkpoints the WAL when it is long. */
  readonly checkpoints?: CheckpointOverrides
  /** Commits may not be on disk: the process must exit. */
  readonly onSyncFailed: (error: unknown) => void
  /** The files are gone for good: the process must exit. */
  readonly onGone: (problem: string) => void
  readonly opened: AsyncDisposableStack
}

interface DurableDatabase {
  readonly database: Database
  readonly group: ReturnType<typeof createGroupCommit>
  readonly files: ReturnType<typeof watchFiles>
}

/** Commits are answered when they are on disk. Another thread checkpoints the WAL. */
export function openDurably({
  data,
  clock,
  log,
  observer,
  sync,
  checkpoints,
  onSyncFailed,
  onGone,
  opened,
}: Dependencies): DurableDatabase {
  const database = opened.use(databaseIn(data, log))
  const files = opened.use(watchFiles({ clock, log, guard: database.guardFiles(), onGone }))
  const checkpointer = opened.use(
    database.checkpointBeside((error) => log.error('the WAL file could not be truncated', { error }), checkpoints),
  )
  const syncByHand = () => {
    const own = database.syncByHand()
    return sync === undefined ? own : sync(own)
  }
  const group = opened.use(createGroupCommit({ ...database, syncByHand }, onSyncFailed, observer, checkpointer, files))
  return { database, group, files }
}
