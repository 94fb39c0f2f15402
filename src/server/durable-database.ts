import type { CheckpointOverrides } from '../database/checkpoint/checkpointer.ts'
import type { Database, Sync } from '../database/database.ts'
import { createGroupCommit } from '../database/group-commit.ts'
import type { CommitObserver } from '../database/group-commit.ts'
import type { Log } from '../log.ts'
import { databaseIn } from './start-checks.ts'

interface Dependencies {
  /** The data directory. */
  readonly data: string
  readonly log: Log
  readonly observer: CommitObserver
  /** Makes commits durable, in the place of the disk itself. Default: the disk does. */
  readonly sync?: (own: Sync) => Sync
  /** Default: a thread moves the log whenever it is long. */
  readonly checkpoints?: CheckpointOverrides
  /** What was committed may not be on disk: the process must end. */
  readonly onSyncFailed: (error: unknown) => void
  /** Closes what is opened here, in reverse. */
  readonly opened: AsyncDisposableStack
}

interface DurableDatabase {
  readonly database: Database
  readonly group: ReturnType<typeof createGroupCommit>
}

/** The database, whose log another thread empties, and the commits that are answered when they are on disk. */
export function openDurably({
  data,
  log,
  observer,
  sync,
  checkpoints,
  onSyncFailed,
  opened,
}: Dependencies): DurableDatabase {
  const database = opened.use(databaseIn(data, log))
  const checkpointer = opened.use(
    database.checkpointBeside(
      (error) => log.error('the log of the database could not be emptied', { error }),
      checkpoints,
    ),
  )
  const syncByHand = () => {
    const own = database.syncByHand()
    return sync === undefined ? own : sync(own)
  }
  const group = opened.use(createGroupCommit({ ...database, syncByHand }, onSyncFailed, observer, checkpointer))
  return { database, group }
}
