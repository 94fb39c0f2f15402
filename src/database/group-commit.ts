import { IN_THE_COMMIT } from './checkpoint/checkpointer.ts'
import type { Checkpointer } from './checkpoint/checkpointer.ts'
import type { Database, NoPromise } from './database.ts'
import { UNGUARDED } from './file-guard.ts'
import type { FileGuard } from './file-guard.ts'

/**
 * Runs `operation` in the transaction that all writes of this event-loop turn share, and resolves with its result once
 * that is on disk. An operation that throws is undone alone, and its promise rejects. If the commit fails, or SQLite
 * rolls back before it (a full disk), every promise of the turn rejects and nothing is stored.
 *
 * An operation may run twice: it must change only the database.
 */
export type Commit = <T>(operation: () => NoPromise<T>) => Promise<T>

interface Waiting {
  readonly operation: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

interface Committed {
  readonly answer: (outcome: never) => void
  readonly outcome: unknown
  readonly reject: (error: unknown) => void
}

export interface GroupCommit extends Disposable {
  readonly commit: Commit
  /** Adds work for the start of every shared transaction. */
  alongside(work: () => void): void
}

export interface CommitObserver {
  /** A transaction has run, up to its COMMIT, which is not durable yet. */
  committed(operations: number, seconds: number): void
  synced(seconds: number): void
  failed(): void
}

const NOBODY: CommitObserver = { committed() {}, synced() {}, failed() {} }

/**
 * waiting → (the turn ends: one transaction) → committed → (a sync that began after it is through) → answered.
 *
 * Many share one fsync, on another thread. Measured on 2 cores, registrations over 64 connections: one commit a call
 * 5.8k/s, shared 20.4k/s.
 *
 * A turn may have to wait for the end of a checkpoint (`checkpointer.ts`).
 *
 * While the files are not those that were opened (`file-guard.ts`) nothing begins. Earlier commits are answered once
 * the files are back, and must not be repeated.
 *
 * When a sync fails, its commits may not be on disk, and no later sync tells: Linux reports such an error once. So they
 * are neither answered nor repeated, and everything is refused from then on. `onSyncFailed` must end the process; the
 * next start reads what is really there.
 */
export function createGroupCommit(
  database: Database,
  onSyncFailed: (error: unknown) => void,
  observer: CommitObserver = NOBODY,
  checkpointer: Pick<Checkpointer, 'look' | 'pause'> = IN_THE_COMMIT,
  files: FileGuard = UNGUARDED,
): GroupCommit {
  const sync = database.syncByHand()
  const riders: (() => void)[] = []
  let waiting: Waiting[] = []
  let committed: Committed[] = []
  let scheduled = false
  let closed = false
  let syncing = false
  let brokenBy: { readonly error: unknown } | null = null

  function hindrance(): typeof brokenBy {
    if (brokenBy !== null) return brokenBy
    const problem = files.problem(true)
    return problem === null ? null : { error: new Error(problem) }
  }

  function runTurn(): void {
    const pause = checkpointer.pause()
    if (pause === null) runNow()
    else void pause.then(runTurn)
  }

  function runNow(): void {
    scheduled = false
    const turn = waiting
    waiting = []
    if (turn.length === 0) return
    const found = hindrance()
    if (found !== null) {
      refuse(turn, found.error)
      return
    }
    const started = performance.now()
    try {
      committed.push(...(runTogether(turn) ?? runApart(turn)))
      observer.committed(turn.length, (performance.now() - started) / 1000)
    } catch (error) {
      observer.failed()
      refuse(turn, error)
      return
    }
    if (!syncing) void makeDurable()
  }

  /** All in one transaction; `null`, with nothing done, if an operation threw and that is all that failed. */
  function runTogether(turn: readonly Waiting[]): Committed[] | null {
    let threw = false
    function run(operation: () => unknown): unknown {
      try {
        const result = operation()
        if (!database.inTransaction())
          throw new Error('an operation made nothing of a failure that ended its transaction')
        return result
      } catch (error) {
        // Otherwise SQLite has rolled back by itself, which ends the whole turn.
        threw = database.inTransaction()
        throw error
      }
    }
    try {
      return database.transact(() => {
        for (const ride of riders) ride()
        return turn.map(({ operation, resolve, reject }) => ({ answer: resolve, outcome: run(operation), reject }))
      })
    } catch (error) {
      if (threw) return null
      throw error
    }
  }

  /** A savepoint for each, so that one that throws is undone alone. */
  function runApart(turn: readonly Waiting[]): Committed[] {
    return database.transact(() => {
      for (const ride of riders) ride()
      return turn.map(({ operation, resolve, reject }) => {
        try {
          return { answer: resolve, outcome: database.transact(operation), reject }
        } catch (error) {
          return { answer: reject, outcome: error, reject }
        }
      })
    })
  }

  async function makeDurable(): Promise<void> {
    syncing = true
    while (committed.length > 0) {
      const batch = committed
      committed = []
      const started = performance.now()
      await sync.later().then(
        () => {
          observer.synced((performance.now() - started) / 1000)
          if (files.problem(true) === null) return tell(batch)
          return files.untilWhole().then(() => tell(batch))
        },
        (error: unknown) => {
          observer.failed()
          brokenBy = { error }
          refuse([...batch, ...committed], error)
          committed = []
          onSyncFailed(error)
        },
      )
    }
    syncing = false
  }

  function tell(batch: readonly Committed[]): void {
    answer(batch)
    checkpointer.look()
  }

  return {
    commit: (operation) =>
      new Promise((resolve, reject) => {
        // SQLite keeps a connection usable until its last statement is gone: a transaction begun now would never end.
        if (closed) {
          reject(new Error('the database is closed'))
          return
        }
        waiting.push({ operation, resolve, reject })
        if (scheduled) return
        scheduled = true
        // Not a microtask: those run before the turn's other requests have been read.
        setImmediate(runTurn)
      }),
    alongside: (work) => void riders.push(work),
    [Symbol.dispose]() {
      runNow()
      closed = true
      const batch = committed
      committed = []
      if (brokenBy !== null) return
      try {
        const found = hindrance()
        if (found !== null) throw found.error
        sync.now()
        answer(batch)
      } catch (error) {
        refuse(batch, error)
      }
    },
  }
}

function answer(batch: readonly Committed[]): void {
  for (const { answer: tell, outcome } of batch) tell(outcome as never)
}

function refuse(batch: readonly Pick<Committed, 'reject'>[], error: unknown): void {
  for (const { reject } of batch) reject(error)
}
