import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { open } from '../../../src/sealing/seal.ts'
import type { SealedFor } from '../../../src/sealing/seal.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

/*
 * A directory as a new process sees it. Equal digests mean equal content except for random values, times, and SQLite's
 * layout of the rows.
 */

/** Longer than a run and everything that it schedules. */
const DAY_MS = 24 * 60 * 60 * 1000
const STARTED_AT = Date.now()

/** 32 bytes in base64, and a line end. */
const KEY = /^[A-Za-z0-9+/]{43}=\n$/

/** In names of unfinished key files, and times: `key.until-20261122T101500Z`, `replaced-2026-11-22T101500Z`. */
const DRAWN_NAMES: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-?\d\d-?\d\dT\d{6}Z/g, 'TIME'],
]

/** Ciphertext starts with a nonce. Secrets and links are stored as hashes. */
const DRAWN_COLUMNS = /^(sealed|secret_hash|digest)$/

/** `drawn`: texts in tables that differ in each run. `null`: a damaged or unknown file, which equals nothing. */
export function digestOf(directory: string, drawn: RegExp): string | null {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pathsOf = (some: typeof entries) => some.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const folders = pathsOf(entries.filter((entry) => entry.isDirectory()))
  const paths = pathsOf(entries.filter((entry) => entry.isFile()))
  if (folders.length + paths.length < entries.length) return null
  // In the order of their files, since keys have none.
  const keys = [...new Set(paths.map((path) => contentOf(path)).filter((text) => KEY.test(text)))]
  const headOf = (path: string) => `${nameOf(path.slice(directory.length))} ${statSync(path).mode}`
  const lines = folders.map(headOf)
  for (const path of paths) {
    const told = toldOf(path, keys, drawn)
    if (told === null) return null
    if (told !== '') lines.push(`${headOf(path)} ${told}`)
  }
  return Bun.SHA256.hash(lines.toSorted().join('\n'), 'hex')
}

function nameOf(path: string): string {
  return DRAWN_NAMES.reduce((name, [pattern, instead]) => name.replaceAll(pattern, instead), path)
}

function contentOf(path: string): string {
  return statSync(path).size < 100 ? readFileSync(path, 'latin1') : ''
}

/** Empty: a new process ignores the file. */
function toldOf(path: string, keys: readonly string[], drawn: RegExp): string | null {
  const name = basename(path)
  const { size } = statSync(path)
  // Shared memory: the first new process rebuilds it (sqlite.org/walformat).
  if (name.endsWith('-shm')) return ''
  // Empty ones do not count. The WAL is read with its database.
  if (/-(wal|journal)$/.test(name) && size === 0) return ''
  if (name.endsWith('-wal') && isDatabase(path.slice(0, -'-wal'.length))) return 'log'
  // The journal of a lock has no pages to roll back, and `reserve` no content.
  if (name === 'reserve' || name.endsWith('.lock-journal')) return `${size} bytes`
  const text = contentOf(path)
  // Only which keys are equal matters.
  if (KEY.test(text)) return `key ${keys.indexOf(text)}`
  if (isDatabase(path)) return databaseOf(path, keys, drawn)
  return `${size} ${Bun.SHA256.hash(readFileSync(path), 'hex')}`
}

function isDatabase(path: string): boolean {
  return existsSync(path) && readFileSync(path).subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** By file content: most files are the same in every trial. */
const known = new Map<string, string | null>()

function databaseOf(path: string, keys: readonly string[], drawn: RegExp): string | null {
  const files = [path, `${path}-wal`, `${path}-journal`].filter((each) => existsSync(each))
  const hasher = new Bun.CryptoHasher('sha256')
  for (const each of files) hasher.update(each.slice(path.length)).update(readFileSync(each))
  const key = [hasher.digest('hex'), ...keys, String(drawn)].join(' ')
  if (!known.has(key)) known.set(key, readDatabase(path, files, keys, drawn))
  return known.get(key) ?? null
}

/** Reads a copy with its WAL or journal: opening changes the files beside it. */
function readDatabase(path: string, files: readonly string[], keys: readonly string[], drawn: RegExp): string | null {
  using scratch = temporaryDirectory('bellhop-nth-digest')
  const copy = join(scratch.path, 'copy')
  try {
    for (const each of files) copyFileSync(each, copy + each.slice(path.length))
    using database = new Database(copy)
    const values = (sql: string) => database.query(sql).values()
    if (String(values('PRAGMA integrity_check')) !== 'ok') return null
    const head = ['user_version', 'application_id', 'journal_mode', 'auto_vacuum'].map((pragma) =>
      values(`PRAGMA ${pragma}`),
    )
    const schema = values('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2')
    const tables = values("SELECT name FROM sqlite_schema WHERE type = 'table'").flat().map(String).toSorted()
    const rows = tables.map((table) => [table, rowsOf(database, table, drawn)])
    return Bun.SHA256.hash(JSON.stringify([head, schema, rows, openedBy(copy, keys)]), 'hex')
  } catch {
    return null
  }
}

function rowsOf(database: Database, table: string, drawn: RegExp): readonly string[] {
  const rows = database.query<Record<string, unknown>, []>(`SELECT * FROM "${table}"`).all()
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([column, value]) => [column, shown(column, value, drawn)])))
    .toSorted()
}

function shown(column: string, value: unknown, drawn: RegExp): unknown {
  if (typeof value === 'number' && value >= STARTED_AT && value < STARTED_AT + DAY_MS) return 'now'
  if (typeof value === 'string' && drawn.test(value)) return 'drawn'
  if (!(value instanceof Uint8Array)) return value
  return DRAWN_COLUMNS.test(column) ? `${value.length} bytes` : Buffer.from(value).toString('hex')
}

/** Which keys open each sealed value. */
function openedBy(path: string, keys: readonly string[]): readonly string[] | number | null {
  const { kind, content } = inspect(path, 'quick')
  if (kind === 'bad') return content?.schema ?? null
  const opens = (of: SealedFor, sealed: Uint8Array) =>
    keys.map((key) => open(Buffer.from(key, 'base64'), of, sealed) !== null)
  return content.sealed
    .map(({ sealed, ...of }) => `${of.application} ${of.provider} ${opens(of, sealed).join()}`)
    .toSorted()
}
