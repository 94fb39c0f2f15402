import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { open } from '../../../src/sealing/seal.ts'
import type { SealedFor } from '../../../src/sealing/seal.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

/*
 * What a directory of files is to whoever starts there: two that have the same digest are the same but for what is drawn
 * or read from a clock, and for how SQLite has laid out the same rows.
 */

/** No run is longer, and nothing that a run stores lies further ahead. */
const DAY_MS = 24 * 60 * 60 * 1000
const STARTED_AT = Date.now()

/** 32 bytes in base64, and a line's end. */
const KEY = /^[A-Za-z0-9+/]{43}=\n$/

/** Of a key file that is not whole yet, and of a time: `key.until-20261122T101500Z`, `replaced-2026-11-22T101500Z`. */
const DRAWN_NAMES: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\d{4}-?\d\d-?\d\dT\d{6}Z/g, 'TIME'],
]

/** Ciphertext begins with a nonce; secrets and links are stored as their hashes. */
const DRAWN_COLUMNS = /^(sealed|secret_hash|digest)$/

/**
 * `drawn`: texts in tables that are others in each run. `null`: something in the directory is damaged, or not known here,
 * and like nothing else.
 */
export function digestOf(directory: string, drawn: RegExp): string | null {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const pathsOf = (some: typeof entries) => some.map(({ parentPath, name }) => join(parentPath, name)).toSorted()
  const folders = pathsOf(entries.filter((entry) => entry.isDirectory()))
  const paths = pathsOf(entries.filter((entry) => entry.isFile()))
  if (folders.length + paths.length < entries.length) return null
  // By the order of their files: what is in them has none.
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

/** A short file as text; a long one is no key. */
function contentOf(path: string): string {
  return statSync(path).size < 100 ? readFileSync(path, 'latin1') : ''
}

/** Empty: the file says nothing to whoever starts. */
function toldOf(path: string, keys: readonly string[], drawn: RegExp): string | null {
  const name = basename(path)
  const { size } = statSync(path)
  // What processes that run share: the first of the next ones makes it anew (sqlite.org/walformat).
  if (name.endsWith('-shm')) return ''
  // An empty log, or journal, is none. What is in the log stands with its database.
  if (/-(wal|journal)$/.test(name) && size === 0) return ''
  if (name.endsWith('-wal') && isDatabase(path.slice(0, -'-wal'.length))) return 'log'
  // That of a lock holds no pages that could be rolled back, and `reserve` nothing.
  if (name === 'reserve' || name.endsWith('.lock-journal')) return `${size} bytes`
  const text = contentOf(path)
  // Which ones are the same, and not what they are.
  if (KEY.test(text)) return `key ${keys.indexOf(text)}`
  if (isDatabase(path)) return databaseOf(path, keys, drawn)
  return `${size} ${Bun.SHA256.hash(readFileSync(path), 'hex')}`
}

function isDatabase(path: string): boolean {
  return existsSync(path) && readFileSync(path).subarray(0, 15).toString('latin1') === 'SQLite format 3'
}

/** By what is in the files: most of them stay as they are from trial to trial. */
const known = new Map<string, string | null>()

function databaseOf(path: string, keys: readonly string[], drawn: RegExp): string | null {
  const files = [path, `${path}-wal`, `${path}-journal`].filter((each) => existsSync(each))
  const hasher = new Bun.CryptoHasher('sha256')
  for (const each of files) hasher.update(each.slice(path.length)).update(readFileSync(each))
  const key = [hasher.digest('hex'), ...keys, String(drawn)].join(' ')
  if (!known.has(key)) known.set(key, readDatabase(path, files, keys, drawn))
  return known.get(key) ?? null
}

/** Read in a copy, with its log or journal: what is beside it belongs to those who start there. */
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

/** By which keys each of what is sealed in it opens. */
function openedBy(path: string, keys: readonly string[]): readonly string[] | number | null {
  const { kind, content } = inspect(path, 'quick')
  if (kind === 'bad') return content?.schema ?? null
  const opens = (of: SealedFor, sealed: Uint8Array) =>
    keys.map((key) => open(Buffer.from(key, 'base64'), of, sealed) !== null)
  return content.sealed
    .map(({ sealed, ...of }) => `${of.application} ${of.provider} ${opens(of, sealed).join()}`)
    .toSorted()
}
