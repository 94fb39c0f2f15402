import { every, SECOND_MS } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { CheckpointOverrides } from '../../database/checkpoint/checkpointer.ts'
import type { Sync } from '../../database/database.ts'
import { createGroupCommit } from '../../database/group-commit.ts'
import type { CommitObserver } from '../../database/group-commit.ts'
import type { FileGuard, OpenFileGuard } from '../../database/file-guard.ts'
import type { Log } from '../../log.ts'
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
}: Dependencies) {
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

const LOOK_MS = SECOND_MS

/** The files may be missing for so long: a disk may be remounted, a directory moved back. */
const PATIENCE_MS = 30 * SECOND_MS

interface WatchedFiles {
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly guard: Pick<OpenFileGuard, 'problem' | 'setLogAside'>
  readonly onGone: (problem: string) => void
}

interface FileWatch extends FileGuard, Disposable {
  /** For a stop: exits at once if the files are gone, since closing the database would write. */
  giveUp(): void
}

/**
 * whole → (a file is removed, or changed by others) → gone, and logged → (it is back) → whole; (30 s have passed) →
 * `onGone`.
 */
export function watchFiles({ clock, log, guard, onGone }: WatchedFiles): FileWatch {
  let gone: { readonly since: number; readonly back: PromiseWithResolvers<void> } | null = null

  function problem(isQuick = false): string | null {
    const found = guard.problem(isQuick)
    if (found === null) {
      if (gone === null) return null
      gone.back.resolve()
      gone = null
      log.info('the database is back')
    } else if (gone === null) {
      gone = { since: clock.monotonic(), back: Promise.withResolvers() }
      log.error(`${found}: nothing more is written. Put it back, or restart Bellhop to use the file that is there now.`)
    }
    return found
  }

  function look(): void {
    const found = problem()
    if (found !== null && gone !== null && clock.monotonic() - gone.since >= PATIENCE_MS) giveUp()
  }

  function giveUp(): void {
    const found = problem()
    if (found === null) return
    const aside = guard.setLogAside()
    if (aside !== null) log.warn(`the WAL file of the opened database was moved aside: ${aside}`)
    onGone(found)
  }

  const end = every(clock, LOOK_MS, look)
  return {
    problem,
    giveUp,
    untilWhole: () => gone?.back.promise ?? Promise.resolve(),
    [Symbol.dispose]: end,
  }
}
