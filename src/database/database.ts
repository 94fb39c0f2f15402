import type { Database as Sqlite } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { closeSync, fdatasync, fdatasyncSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createCheckpointer, IN_THE_COMMIT, LOG_PAGES } from './checkpoint/checkpointer.ts'
import type { Checkpointer, CheckpointOverrides } from './checkpoint/checkpointer.ts'
import { guardFiles } from './file-guard.ts'
import type { OpenFileGuard } from './file-guard.ts'
import { refuseEmptied, refuseForeign } from './identify-file.ts'
import { LazyStatement } from './statement.ts'
import { ensureRegular, openRegular, refuseLinks } from './regular-file.ts'
import { sqliteVersion } from './sqlite-version.ts'
import type { Statement, Value } from './statement.ts'
import { refuseNewer, upgrade } from './migration/upgrade.ts'
import type { UpgradeOptions } from './migration/upgrade.ts'
import { writeFailureOf } from './write-failure.ts'

export type Drizzle = ReturnType<typeof openDrizzle>

/** A type that is `never` for promises: a transaction must end before its function returns. */
export type NoPromise<T> = T extends PromiseLike<unknown> ? never : T

/** See `Database.syncByHand`. Both throw, or reject, if the disk refuses. */
export interface Sync {
  later(): Promise<void>
  now(): void
}

export interface Database extends Disposable {
  /** Everyday statements, each prepared once: `late(() => orm.select()…)`. */
  readonly orm: Drizzle
  readonly readingOrm: Drizzle
  /** Raw, for the hot paths. A store writes in its caller's transaction, unless it opens one (`transact`, which nests). */
  statement<Row, Params extends readonly Value[]>(sql: string): Statement<Row, Params>
  /** On the reading connection, for long reads: sees no half transaction. */
  reading<Row, Params extends readonly Value[]>(sql: string): Statement<Row, Params>
  /**
   * Runs `work` in one BEGIN IMMEDIATE … COMMIT, or in a savepoint if already inside one; rolls back when it throws.
   * `work` is synchronous: bun:sqlite would commit an async one at its first await.
   *
   * After some failures (a full or failing disk) SQLite rolls back the whole transaction by itself, and the next
   * statement would commit on its own (sqlite.org/lang_transaction, "Response To Errors"). So the next savepoint and
   * the end of the transaction fail with that error, even if `work` caught it.
   */
  transact<T>(work: () => NoPromise<T>): T
  /** Inside `transact` it is `false` once SQLite has rolled back by itself. */
  inTransaction(): boolean
  /**
   * From now on a commit on the writing connection is on disk only after a sync, on another thread, that began after
   * it. By default every commit syncs by itself and blocks.
   */
  syncByHand(): Sync
  /**
   * From now on another thread moves the log into the file, not a commit. Dispose of it before the database. `onFailed`
   * is called with the reason when that thread fails; `overrides` are for tests.
   */
  checkpointBeside(onFailed: (why: string) => void, overrides?: CheckpointOverrides): Checkpointer
  /**
   * From now on checks that the files are still those that were opened. If not, `dispose` closes nothing: SQLite would
   * write the log into, or erase, their replacement.
   */
  guardFiles(): Pick<OpenFileGuard, 'problem' | 'setLogAside'>
  /** Changes whenever another connection or process commits. */
  version(): number
}

/** `foreign_keys` is off in SQLite by default. FULL: what was answered with 2xx survives a power cut. */
const PRAGMAS = [
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  // Erased rows are overwritten in pages that are written anyway; ON would write free pages only for that.
  'PRAGMA secure_delete = FAST',
  'PRAGMA temp_store = MEMORY',
  'PRAGMA cache_size = -16384', // KiB
  'PRAGMA journal_size_limit = 67108864', // bytes
]

/**
 * The page cache of a serving process. A command writes more at a time and keeps the 16 MB above. With 5,000,000
 * devices a registration and a launch took no more CPU time than with 16 MB, and a broadcast 14 MB less (measured on 2
 * busy cores).
 */
const SERVING_CACHE = 'PRAGMA cache_size = -4096' // KiB

/**
 * How far it grows for a large transaction. Pages written to the log before the COMMIT, then read and written again,
 * took 3 to 5 of the 27 µs of a device in a batch (2 busy cores, 2026-11-23, twenty turns).
 */
const SERVING_CACHE_OF_CHANGES = 'PRAGMA cache_spill = -16384' // KiB

const CHECKPOINTS = `PRAGMA wal_autocheckpoint = ${LOG_PAGES}`

/** In older versions a commit during a checkpoint could damage the file (sqlite.org/wal, "The WAL-Reset Bug"). */
const SAFE_BESIDE = '3.51.3'

/** Creates or upgrades it if needed. Throws `DatabaseRefused`. */
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
  let brokenBy: unknown = null

  function transact<T>(work: () => NoPromise<T>): T {
    // A closed connection lives as long as its statements: a BEGIN would lock the file for good.
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
      // Changes that cannot be undone must not be committed with the rest.
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
      // An fsync of the log after each commit is all that FULL adds to NORMAL in WAL mode (sqlite.org/pragma,
      // "synchronous"); frames carry checksums, so a torn log ends at the last whole commit. The log stays the same
      // file as long as a connection is open.
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
  const client = { prepare: (sql: string) => new LazyStatement(connection, sql) }
  return drizzle({ client: client as unknown as Sqlite })
}
