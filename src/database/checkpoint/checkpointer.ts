import { ensureSpareFiles, threadProgram } from '../../system/thread.ts'

export interface CheckpointOrder {
  readonly path: string
  /** See `ACTIVITY`. */
  readonly flags: Int32Array<SharedArrayBuffer>
}

export const ACTIVITY = 0
export const FREE = 0
export const ASKED = 1
export const WORKING = 2

/**
 * Pages by which the log grows before a checkpoint: 40 MB. Registrations share index pages, which are then copied once
 * for many; at 4000 a registration cost 6 of 45 µs more (measured).
 */
export const LOG_PAGES = 10_000

/** Of `LOG_PAGES`: what is moved while transactions wait, and how much the log grows before a retry. 4 MB. */
const LAST_SHARE = 0.1

/** A writer that is faster than the disk has to wait after so many rounds, or with a log of 160 MB. */
const MAX_ROUNDS = 4
const MAX_SHARE = 4

/** `moved`: pages that are in the database file too. */
export interface LogPages {
  readonly log: number
  readonly moved: number
}

export interface Checkpointer extends Disposable {
  /** Call after a commit, outside of any transaction: starts a checkpoint if the log is long. */
  look(): void
  /** No transaction may begin before this resolves; `null`: one may begin now. */
  pause(): Promise<void> | null
}

export const IN_THE_COMMIT: Checkpointer = { look() {}, pause: () => null, [Symbol.dispose]() {} }

interface Options extends CheckpointOverrides {
  readonly path: string
  readonly pages: () => LogPages
  /** The thread has ended: from now on commits must move the log themselves. */
  readonly onGone: () => void
  /** The next attempt comes when the log has grown a little. */
  readonly onFailed: (why: string) => void
  /** For tests. */
  readonly program?: string
}

/** For tests. */
export interface CheckpointOverrides {
  /** Default: `LOG_PAGES`. */
  readonly logPages?: number
  readonly move?: (path: string) => Promise<string | null>
}

/**
 * Checkpoints on a thread and a connection of their own, so that no commit waits for the database file. SQLite syncs
 * the log before it writes that file, and the file before it counts any of the log as moved (sqlite.org/wal): a crash
 * in between loses nothing.
 *
 * short → (the log has grown) → moving, while others write → (little is left) → moving the rest, while transactions
 * wait → all is moved, and the next commit restarts the log → short.
 *
 * Without that wait a busy writer would stay ahead, and the log would never restart. After a long read, such as a
 * backup, the log grows as much again before the next attempt. PASSIVE throughout: the other modes make each connection
 * drop its page cache.
 */
export function createCheckpointer({
  path,
  pages,
  onGone,
  onFailed,
  logPages = LOG_PAGES,
  move: moveInstead,
  program = threadProgram('database/checkpoint/checkpoint-worker.ts'),
}: Options): Checkpointer {
  const flags = new Int32Array(new SharedArrayBuffer(4))
  let thread: Worker | null = null
  let answered: (problem: string | null) => void = () => {}
  let pausing: PromiseWithResolvers<void> | null = null
  let dueAt = logPages
  let moving = false
  let over = false

  function look(): void {
    if (over) return
    try {
      lookAt(pages())
    } catch (error) {
      onFailed(String(error))
    }
  }

  function lookAt({ log }: LogPages): void {
    if (moving) {
      if (log >= MAX_SHARE * logPages) pausing ??= Promise.withResolvers()
      return
    }
    // The log may have restarted.
    dueAt = Math.min(dueAt, log + logPages)
    if (log >= dueAt) void move()
  }

  async function move(): Promise<void> {
    moving = true
    const problem = await moveInRounds().catch(String)
    moving = false
    pausing?.resolve()
    pausing = null
    if (problem === null || over) return
    dueAt += (LAST_SHARE - 1) * logPages
    onFailed(problem)
  }

  async function moveInRounds(): Promise<string | null> {
    let before = pages()
    for (let round = 1; ; round++) {
      dueAt = before.log + logPages
      const isLast = round === MAX_ROUNDS || before.log - before.moved <= LAST_SHARE * logPages
      if (isLast) pausing ??= Promise.withResolvers()
      const problem = await ask()
      if (over || problem !== null) return problem
      const after = pages()
      // If nothing was moved, a reader still needs the old pages.
      if (isLast || after.moved === after.log || after.moved <= before.moved) return null
      before = after
    }
  }

  function ask(): Promise<string | null> {
    if (moveInstead !== undefined) return moveInstead(path)
    return new Promise((resolve) => {
      answered = resolve
      Atomics.store(flags, ACTIVITY, ASKED)
      thread ??= start()
      thread.postMessage(null)
    })
  }

  function start(): Worker {
    ensureSpareFiles()
    const order: CheckpointOrder = { path, flags }
    const started = new Worker(program, {
      workerData: order,
      ref: false,
      smol: true,
    } as WorkerOptions)
    started.addEventListener('message', ({ data }: MessageEvent<string | null>) => answered(data))
    started.addEventListener('error', ({ message }) => leave(message))
    started.addEventListener('close', () => leave('the thread has ended'))
    return started
  }

  function leave(why: string): void {
    if (over) return
    over = true
    onFailed(`there is no thread for it: ${why}`)
    onGone()
    answered(null)
  }

  return {
    look,
    pause: () => pausing?.promise ?? null,
    [Symbol.dispose]() {
      over = true
      Atomics.compareExchange(flags, ACTIVITY, ASKED, FREE)
      while (Atomics.load(flags, ACTIVITY) === WORKING) Atomics.wait(flags, ACTIVITY, WORKING)
      thread?.terminate()
      answered(null)
    },
  }
}
