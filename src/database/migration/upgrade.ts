import type { Database } from 'bun:sqlite'
import { dirname } from 'node:path'
import { MINUTE_MS } from '../../clock.ts'
import { DatabaseRefused } from '../database-refused.ts'
import { isServed } from '../directory-lock.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Migration } from './migrations.ts'
import { isBusy, isFull } from '../sqlite-error.ts'
import { copyBeforeUpgrade, copyFor, copyName, dropCopy, pruneCopies } from './upgrade-copy.ts'
import type { Copy } from './upgrade-copy.ts'

/** Progress of an upgrade; sizes in bytes. A new database reports nothing. */
export type UpgradeStep =
  | { readonly kind: 'waiting' }
  | ({ readonly kind: 'copying' } & Copy)
  | { readonly kind: 'upgrading'; readonly from: number; readonly to: number }
  | { readonly kind: 'migrating'; readonly number: number; readonly from: number; readonly to: number }
  | ({
      readonly kind: 'upgraded'
      readonly from: number
      readonly to: number
      readonly erased: readonly string[]
    } & Copy)

export interface UpgradeOptions {
  /** This process holds the lock of the data directory. Default: it does not. */
  readonly serving?: boolean
  readonly report?: (step: UpgradeStep) => void
  readonly migrations?: readonly Migration[]
}

const PATIENCE_MS = 10 * MINUTE_MS

/**
 * Brings the database at `path` to this binary's schema. `PRAGMA user_version` holds the number of the last migration
 * applied. Throws `DatabaseRefused`.
 *
 * old → (write lock) → copied to `<path>.before-<number>` → migrated, all in one transaction → new.
 * Anything that ends it before the commit, kill -9 and a full disk too, leaves it old: the previous version still runs
 * on it, and the next start tries again.
 */
export function upgrade(connection: Database, path: string, options: UpgradeOptions = {}): void {
  const { report = () => {}, migrations = MIGRATIONS } = options
  const to = refuseNewer(connection, path, migrations)
  if (versionOf(connection) === to) return

  lock(connection, report)
  const from = versionOf(connection)
  let copied: Copy | null = null
  try {
    if (from > 0 && from < to) copied = prepare(connection, path, from, to, options)
    for (const { number, sql } of migrations) {
      if (number <= from) continue
      if (from > 0) report({ kind: 'migrating', number, from, to })
      connection.run(sql)
    }
    if (from < to) connection.run(`PRAGMA user_version = ${to}`)
    connection.run('COMMIT')
  } catch (error) {
    // A full disk has rolled it back already.
    if (connection.inTransaction) connection.run('ROLLBACK')
    if (!isFull(error)) throw error
    dropCopy(path, to)
    throw new DatabaseRefused(
      `The disk became full while the database ${path} was upgraded. All of it is undone, and the version before still runs on it. Make room and start again.`,
    )
  }
  if (copied === null) return
  // Otherwise the first calls would wait for the checkpoint, and the log would keep its size.
  connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
  report({ kind: 'upgraded', from, to, ...copied, erased: pruneCopies(path) })
}

/** Returns the newest known schema. Throws `DatabaseRefused` for a newer database. */
export function refuseNewer(connection: Database, path: string, migrations: readonly Migration[] = MIGRATIONS): number {
  const known = migrations.at(-1)?.number ?? 0
  const found = versionOf(connection)
  if (found <= known) return known
  const copy = copyFor(path, known)
  const back =
    copy === null
      ? ''
      : ` To go back to what it was before that upgrade: bellhop restore ${copy} --data ${dirname(path)}`
  throw new DatabaseRefused(
    `The database ${path} was written by a newer Bellhop (schema ${found}; this one knows ${known}). Use that version, or newer.${back}`,
  )
}

function prepare(
  connection: Database,
  path: string,
  from: number,
  to: number,
  { serving = false, report = () => {} }: UpgradeOptions,
): Copy {
  if (!serving && isServed(dirname(path))) {
    throw new DatabaseRefused(
      `The database ${path} is of an older Bellhop (schema ${from}; this one has ${to}) that serves it now: restart that one, which upgrades it, and try again.`,
    )
  }
  const bytes = numberOf(connection, 'PRAGMA page_count') * numberOf(connection, 'PRAGMA page_size')
  report({ kind: 'copying', copy: copyName(path, to), bytes })
  const copied = copyBeforeUpgrade(path, to, bytes)
  report({ kind: 'upgrading', from, to })
  return copied
}

function lock(connection: Database, report: (step: UpgradeStep) => void): void {
  try {
    connection.run('BEGIN IMMEDIATE')
  } catch (error) {
    if (!isBusy(error)) throw error
    // Nothing else holds the lock for as long as `busy_timeout`.
    report({ kind: 'waiting' })
    const usualMs = numberOf(connection, 'PRAGMA busy_timeout')
    connection.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
    connection.run('BEGIN IMMEDIATE')
    connection.run(`PRAGMA busy_timeout = ${usualMs}`)
  }
}

function versionOf(connection: Database): number {
  return numberOf(connection, 'PRAGMA user_version')
}

function numberOf(connection: Database, pragma: string): number {
  return Number(connection.query<Record<string, number>, []>(pragma).values()[0]?.[0] ?? 0)
}
