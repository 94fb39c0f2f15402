import type { Database as Sqlite } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { closeSync, fdatasync, fdatasyncSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createCheckpointer, IN_THE_COMMIT, LOG_PAGES } from './checkpoint/checkpointer.ts'
import type { Checkpointer, CheckpointOverrides } from './checkpoint/checkpointer.ts'
import { guardFiles } from './file-guard.ts'
import type { OpenFileGuard } from './file-guard.ts'
import { refuseEmptied, refuseForeign } from './identify-file.ts'
import { LazyStatement } from './lazy-statement.ts'
import { ensureRegular, openRegular, refuseLinks } from './regular-file.ts'
import { sqliteVersion } from './sqlite-version.ts'
import type { Statement, Value } from './statement.ts'
import { refuseNewer, upgrade } from './migration/upgrade.ts'
import type { UpgradeOptions } from './migration/upgrade.ts'
import { writeFailureOf } from './write-failure.ts'

export type Drizzle = ReturnType<typeof openDrizzle>

/** A type that is `never` for promises: a transaction must be over before its function returns. */
export type NoPromise<T> = T extends PromiseLike<unknown> ? never : T

/** Makes commits durable: see `Database.syncByHand`. Both throw, or reject, when the disk does not take it. */
export interface Sync {
  later(): Promise<void>
  now(): void
}

/** The database file of one data directory: one writing connection and one that only reads. */
export interface Database extends Disposable {
  /** Everyday statements, each prepared once: `late(() => orm.select()…)`. */
  readonly orm: Drizzle
  /** The same on the reading connection. */
  readonly readingOrm: Drizzle
  /** A raw prepared statement on the writing connection, for the hot paths. */
  statement<Row, Params extends readonly Value[]>(sql: string): Statement<Row, Params>
  /** A raw prepared statement on the reading connection: long reads that must not see half a transaction. */
  reading<Row, Params extends readonly Value[]>(sql: string): Statement<Row, Params>
  /**
   * Runs `work` in one BEGIN IMMEDIATE … COMMIT, or in a savepoint when already inside one; rolls back when it throws.
   * `work` is synchronous: bun:sqlite would commit an async one at its first await.
   *
   * After some failures (a disk that is full, or fails) SQLite rolls back the whole transaction by itself, and a
   * statement after that would commit on its own (sqlite.org/lang_transaction, "Response To Errors"). Then a savepoint
   * is refused at once, with that failure, and so is the end of the transaction, whatever `work` made of it.
   */
  transact<T>(work: () => NoPromise<T>): T
  /** Whether a transaction is open. Inside `transact` it is not once SQLite has rolled back by itself. */
  inTransaction(): boolean
  /**
   * From now on a commit on the writing connection is on disk only after a sync, which another thread makes. What this
   * thread wrote before the sync began is in it. Without it every commit syncs by itself, and blocks meanwhile.
   */
  syncByHand(): Sync
  /**
   * From now on no commit on the writing connection moves the log into the file: another thread does. Dispose of it before
   * the database. `onFailed` hears what keeps that thread from it; `overrides` are for tests.
   */
  checkpointBeside(onFailed: (why: string) => void, overrides?: CheckpointOverrides): Checkpointer
  /**
   * Looks from now on whether the files are still those that were opened. `dispose` closes nothing once they are not:
   * SQLite would write the log into, or erase, what somebody has put in their place.
   */
  guardFiles(): Pick<OpenFileGuard, 'problem' | 'setLogAside'>
  /** Changes whenever another connection, or process, has committed. */
  version(): number
}

/** `foreign_keys` is off in SQLite by default. FULL: what was answered with 2xx survives a power cut. */
const PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  // What is erased is overwritten where its page is written anyway; ON would write free pages only for that.
  'PRAGMA secure_delete = FAST',
  'PRAGMA temp_store = MEMORY',
  'PRAGMA cache_size = -16384', // KiB
  'PRAGMA journal_size_limit = 67108864', // bytes
]

/**
 * What the writing connection keeps of the file in memory where it serves. A command, which writes more at a time, keeps
 * the 16 MB above. The system has the file in memory as far as there is room: with 1,000,000 and 5,000,000 devices a
 * registration and a launch took no more CPU time than with 16 MB, and a broadcast 14 MB less at the most (measured on 2
 * busy cores, three turns).
 */
const SERVING_CACHE = 'PRAGMA cache_size = -4096' // KiB

/**
 * Up to where it grows for a transaction that changes more. Pages that were written to the log before the COMMIT, and read
 * and written again, took 3 to 5 of 27 µs of a device that comes in a batch (2 busy cores, 2026-11-23, twenty turns).
 */
const SERVING_CACHE_OF_CHANGES = 'PRAGMA cache_spill = -16384' // KiB

/** The commit that makes the log as long moves it into the file. */
const CHECKPOINTS = `PRAGMA wal_autocheckpoint = ${LOG_PAGES}`

/** Before it a commit at the moment of a checkpoint could damage the file (sqlite.org/wal, "The WAL-Reset Bug"). */
const SAFE_BESIDE = '3.51.3'

/**
 * Opens, and where needed creates and upgrades, the database in `directory`. Throws `DatabaseRefused` where that is the
 * operator's to change: `NewerDatabase` when a newer Bellhop has written it.
 */
export function openDatabase(directory: string, options: UpgradeOptions = {}): Database {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  refuseLinks(directory)
  const path = join(directory, 'bellhop.db')
  const writer = openWriter(path, options)
  const reader = openRegular(path, { readonly: true })
  reader.run('PRAGMA busy_timeout = 5000')
  reader.run('PRAGMA trusted_schema = OFF')
  reader.run('PRAGMA cache_size = -4096')

  let wal: number | null = null
  let guard: OpenFileGuard | null = null
  const begin = writer.prepare('BEGIN IMMEDIATE')
  const commit = writer.prepare('COMMIT')
  const rollback = writer.prepare('ROLLBACK')
  const savepoint = writer.prepare('SAVEPOINT inner_work')
  const release = writer.prepare('RELEASE inner_work')
  const undo = writer.prepare('ROLLBACK TO inner_work')
  const dataVersion = writer.prepare<{ data_version: number }, []>('PRAGMA data_version')

  let depth = 0
  let closed = false
  /** What ended the transaction that runs, before its end. */
  let brokenBy: unknown = null

  function transact<T>(work: () => NoPromise<T>): T {
    // Statements that are still held keep a closed connection alive: a BEGIN would lock the file, and nobody end it.
    if (closed) throw new Error('the database is closed')
    const nested = depth > 0
    if (nested) ensureWhole()
    ;(nested ? savepoint : begin).run()
    depth++
    try {
      const result = work()
      ensureWhole()
      ;(nested ? release : commit).run()
      return result
    } catch (error) {
      takeBack(nested, error)
      throw nested ? error : writeFailureOf(error, path)
    } finally {
      depth--
      if (!nested) brokenBy = null
    }
  }

  function ensureWhole(): void {
    if (!writer.inTransaction) brokenBy ??= new Error('SQLite has rolled back the transaction')
    if (brokenBy !== null) throw brokenBy
  }

  function takeBack(nested: boolean, error: unknown): void {
    if (!writer.inTransaction) {
      brokenBy ??= error
      return
    }
    if (!nested) {
      rollback.run()
      return
    }
    try {
      undo.run()
      release.run()
    } catch (failed) {
      // What was to be undone must not be committed with the rest.
      brokenBy ??= failed
      throw failed
    }
  }

  return {
    orm: openDrizzle(writer),
    readingOrm: openDrizzle(reader),
    statement: (sql) => prepare(writer, sql),
    reading: (sql) => prepare(reader, sql),
    transact,
    inTransaction: () => writer.inTransaction,
    version: () => dataVersion.get()?.data_version ?? 0,
    syncByHand() {
      // What FULL adds to NORMAL in WAL mode is just this, an fsync of the log after each commit (sqlite.org/pragma,
      // "synchronous"); frames carry checksums, so a log that is cut short ends at the last whole commit. The file stays
      // the same one for as long as a connection is open.
      writer.run('PRAGMA synchronous = NORMAL')
      wal ??= openSync(`${path}-wal`, 'r+')
      const file = wal
      return {
        later: () => new Promise((resolve, reject) => fdatasync(file, (error) => (error ? reject(error) : resolve()))),
        now: () => fdatasyncSync(file),
      }
    },
    checkpointBeside(onFailed, overrides = {}) {
      if (Bun.semver.order(sqliteVersion(), SAFE_BESIDE) < 0) return IN_THE_COMMIT
      writer.run('PRAGMA wal_autocheckpoint = 0')
      // Moves nothing (sqlite.org/pragma, "wal_checkpoint").
      const look = writer.prepare<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)')
      return createCheckpointer({
        path,
        pages() {
          const { log = 0, checkpointed: moved = 0 } = look.get() ?? {}
          return { log, moved }
        },
        onGone: () => writer.run(CHECKPOINTS),
        onFailed,
        ...overrides,
      })
    },
    guardFiles() {
      return (guard ??= guardFiles(path, () => {
        try {
          writer.run('PRAGMA wal_checkpoint(PASSIVE)')
        } catch {
          // On a full disk the log stays as it is.
        }
      }))
    },
    [Symbol.dispose]() {
      closed = true
      if (guard !== null && guard.problem() !== null) return
      if (wal !== null) closeSync(wal)
      reader.close(false)
      writer.close(false)
      guard?.[Symbol.dispose]()
    },
  }
}

function openWriter(path: string, options: UpgradeOptions): Sqlite {
  refuseEmptied(path)
  ensureRegular(path)
  const writer = openRegular(path, { readwrite: true })
  try {
    // ms; first, because everything else may meet a lock.
    writer.run('PRAGMA busy_timeout = 5000')
    refuseForeign(writer, path)
    refuseNewer(writer, path)
    for (const pragma of [...PRAGMAS, CHECKPOINTS]) writer.run(pragma)
    upgrade(writer, path, options)
    if (options.serving) {
      writer.run(SERVING_CACHE)
      writer.run(SERVING_CACHE_OF_CHANGES)
    }
    return writer
  } catch (error) {
    writer.close()
    throw error
  }
}

function prepare<Row, Params extends readonly Value[]>(connection: Sqlite, sql: string): Statement<Row, Params> {
  // bun:sqlite types its parameters as one loose union; the caller names the exact ones beside the SQL.
  return new LazyStatement(connection, sql) as unknown as Statement<Row, Params>
}

function openDrizzle(connection: Sqlite) {
  // All that drizzle asks of a connection here.
  const client = { prepare: (sql: string) => new LazyStatement(connection, sql) }
  return drizzle({ client: client as unknown as Sqlite })
}
