import { accessSync, constants, statSync } from 'node:fs'
import { isBellhops } from '../database/identify-file.ts'
import { readDatabaseFile } from '../database/offline-database.ts'
import { NEWEST_SCHEMA } from '../database/migration/migrations.ts'
import type { OfflineReader } from '../database/offline-database.ts'
import { SCHEMA_OBJECTS, strangersIn } from '../database/migration/own-schema.ts'
import type { SchemaObject } from '../database/migration/own-schema.ts'
import { isSqliteError } from '../database/sqlite-error.ts'
import type { SealedFor } from '../sealing/seal.ts'
import { UNWATCHED_BACKUP } from './watch.ts'
import type { BackupWatch } from './watch.ts'

export interface BackupSummary {
  readonly schema: number
  /** Their ids. */
  readonly applications: readonly string[]
  readonly devices: number
  readonly pushes: number
  /** The last change with a time; `null`: none. */
  readonly newestAt: number | null
  readonly sealed: readonly Sealed[]
}

export interface Sealed extends SealedFor {
  readonly sealed: Uint8Array
}

export type BackupInspection = { readonly kind: 'good'; readonly content: BackupSummary } | Bad

interface Bad {
  readonly kind: 'bad'
  /** A sentence each. */
  readonly problems: readonly string[]
  /** `null`: unreadable. */
  readonly content: BackupSummary | null
}

const MAX_FINDINGS = 5

/**
 * Checks a database file. `quick` does not compare indexes with their tables, which takes ten times as long (1,000,000
 * devices: 10 s instead of 1 s).
 */
export function inspect(
  path: string,
  depth: 'quick' | 'full',
  watch: BackupWatch = UNWATCHED_BACKUP,
): BackupInspection {
  return watch.during({ into: null, size: statSync(path).size }, () => attempt(path, (file) => inspected(file, depth)))
}

/** Why a file must not be read, not even to copy it; `null`: it may. Reads only its schema. */
export function strangenessOf(path: string): string | null {
  const found = attempt(path, (file) => schemaIn(file))
  return found.kind === 'bad' ? found.problems.join(' ') : null
}

const PROBLEMS: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'It is not a database.',
  // A reader cannot (sqlite.org/rescode, SQLITE_READONLY_ROLLBACK).
  SQLITE_READONLY_ROLLBACK:
    'Its journal must be rolled back first. Keep a copy of both files, then open it once: sqlite3 FILE .schema.',
}

function attempt<Found>(path: string, look: (file: OfflineReader) => Found): Found | Bad {
  // SQLite reports missing rights as it does damage.
  accessSync(path, constants.R_OK)
  try {
    using file = readDatabaseFile(path)
    return look(file)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return bad(PROBLEMS[error.code] ?? `It cannot be read: ${error.message}.`)
  }
}

/** For any schema. Reads every device. */
export function newestIn(file: OfflineReader): number | null {
  const known = new Set(
    file
      .all<{ name: string }>(
        `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
      )
      .map(({ name }) => name),
  )
  const times = Object.entries(TIMES).flatMap(([table, columns]) => {
    const there = columns.filter((column) => known.has(`${table}.${column}`))
    if (there.length === 0) return []
    const newest = there.map((column) => `coalesce(max(${column}), 0)`).join(', ')
    const [row] = file.all<{ at: number }>(`SELECT max(0, ${newest}) AS at FROM ${table}`)
    return row === undefined || row.at === 0 ? [] : row.at
  })
  return times.length === 0 ? null : Math.max(...times)
}

/** The times of changes. Not those in the future by intent, such as `send_at`. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  application: ['created_at'],
  credential: ['created_at'],
  webhook: ['changed_at', 'disabled_at'],
  device: ['registered_at', 'seen_at', 'updated_at'],
  push: ['created_at', 'released_at', 'cancelled_at'],
  delivery: ['started_at', 'finished_at'],
  feedback: ['at'],
  opened: ['at'],
  receipt: ['at'],
}

interface OwnSchema {
  readonly kind: 'schema'
  readonly schema: number
  readonly tables: readonly string[]
}

/** Before anything else is read: a foreign view or trigger would run. */
function schemaIn(file: OfflineReader): OwnSchema | Bad {
  const schema = file.all<{ user_version: number }>('PRAGMA user_version')[0]?.user_version ?? 0
  const objects = file.all<SchemaObject>(SCHEMA_OBJECTS)
  const names = objects.map(({ name }) => name)
  if (schema < 1 || !isBellhops(names)) return bad('It is a database, but not one of Bellhop.')
  if (schema > NEWEST_SCHEMA) {
    return bad(
      `It was written by a newer Bellhop (schema ${schema}; this one knows ${NEWEST_SCHEMA}): use that version, or newer.`,
    )
  }
  const strangers = strangersIn(objects, schema)
  if (strangers.length === 0) return { kind: 'schema', schema, tables: names }
  const more = strangers.length > MAX_FINDINGS ? ` and ${strangers.length - MAX_FINDINGS} more` : ''
  return bad(
    `Its tables are not as Bellhop makes them, so nothing in it is run: ${strangers.slice(0, MAX_FINDINGS).join(', ')}${more}.`,
  )
}

function bad(problem: string): Bad {
  return { kind: 'bad', problems: [problem], content: null }
}

function inspected(file: OfflineReader, depth: 'quick' | 'full'): BackupInspection {
  const own = schemaIn(file)
  if (own.kind === 'bad') return own
  const findings = [
    ...file
      .all<Record<string, string>>(`PRAGMA ${depth === 'full' ? 'integrity' : 'quick'}_check(${MAX_FINDINGS})`)
      .flatMap(Object.values<string>)
      .flatMap((finding) => (finding === 'ok' ? [] : `SQLite finds: ${finding.replaceAll('\n', ' ')}.`)),
    ...file
      .all<{ table: string; rows: number }>(
        'SELECT "table", count(*) AS rows FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1',
      )
      .map(({ table, rows }) => `${rows} rows of the table ${table} belong to nothing.`),
  ]
  const content = summaryOf(file, own.schema, own.tables)
  return findings.length === 0 ? { kind: 'good', content } : { kind: 'bad', problems: findings, content }
}

function summaryOf(file: OfflineReader, schema: number, tables: readonly string[]): BackupSummary {
  const count = (from: string) => file.all<{ n: number }>(`SELECT count(*) AS n ${from}`)[0]?.n ?? 0
  return {
    schema,
    applications: file.all<{ id: string }>('SELECT id FROM application ORDER BY number').map(({ id }) => id),
    devices: count('FROM device WHERE state = 0'),
    pushes: count('FROM push'),
    newestAt: newestIn(file),
    sealed: Object.entries(SEALED).flatMap(([table, sql]) => (tables.includes(table) ? file.all<Sealed>(sql) : [])),
  }
}

const OF_APPLICATION = 'JOIN application a ON a.number = s.application'

/** By table: the owner, as `SealedFor` has it, and what is sealed. */
const SEALED: Readonly<Record<string, string>> = {
  credential: `SELECT a.id AS application, s.provider, s.sealed FROM credential s ${OF_APPLICATION}`,
  webhook: `SELECT a.id AS application, 'webhook secret' AS provider, s.sealed FROM webhook s ${OF_APPLICATION}`,
  user_key: `SELECT a.id AS application, 'user key' AS provider, s.sealed FROM user_key s ${OF_APPLICATION}`,
  second_factor: `SELECT 'administrator ' || administrator AS application, 'second factor' AS provider, sealed
    FROM second_factor`,
  hook: `SELECT 'hook ' || name AS application, 'hook secret' AS provider, sealed FROM hook WHERE sealed IS NOT NULL`,
  application_move: `SELECT id AS application, 'move secret' AS provider, sealed
    FROM application_move WHERE sealed IS NOT NULL`,
  alert: `SELECT 'alert ' || name AS application, 'alert target' AS provider, sealed FROM alert`,
}
