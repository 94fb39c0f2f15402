import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { migrate } from '../../src/database/migrations.ts'
import * as schema from '../../src/database/schema.ts'

let directory: string
let path: string

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'bellhop-database-')), 'data')
  path = join(directory, 'bellhop.db')
})
afterEach(() => rm(join(directory, '..'), { recursive: true }))

describe('opening a database', () => {
  test('makes the directory and the file for their owner alone', () => {
    using _ = openDatabase(directory)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('commits survive a power cut: WAL with synchronous FULL', () => {
    using database = openDatabase(directory)
    expect(database.statement<object, []>('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(database.statement<object, []>('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    expect(database.statement<object, []>('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
  })

  test('the reading connection cannot write', () => {
    using database = openDatabase(directory)
    expect(() => database.reading<never, []>('DELETE FROM device').run()).toThrow('readonly')
  })

  test('the version changes when another connection commits, and not for a read', () => {
    using database = openDatabase(directory)
    using other = openDatabase(directory)
    const before = database.version()
    other.statement<object, []>('SELECT count(*) FROM device').get()
    expect(database.version()).toBe(before)
    other.statement<never, []>(`INSERT INTO label (application, kind, name) SELECT 1, 0, 'x' WHERE 0`).run()
    other.transact(() => void other.statement<never, []>('PRAGMA user_version = 1').run())
    expect(database.version()).not.toBe(before)
  })
})

describe('migrations', () => {
  test('a database of a newer Bellhop is refused with a sentence, and left alone', () => {
    openDatabase(directory)[Symbol.dispose]()
    using raw = new Sqlite(path)
    raw.run('PRAGMA user_version = 99')
    expect(() => openDatabase(directory)).toThrow(
      `The database ${path} was written by a newer Bellhop (schema 99; this one knows 2). Use that version, or newer.`,
    )
    expect(raw.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version).toBe(99)
  })

  test('apply in order, once each, and keep a copy of what was there before', () => {
    openDatabase(directory)[Symbol.dispose]()
    using raw = new Sqlite(path)
    raw.run(`INSERT INTO label (id, application, kind, name) VALUES (1, 1, 0, 'kept')`)
    const steps = [
      { number: 2, sql: 'CREATE TABLE never (x)' },
      { number: 3, sql: 'CREATE TABLE second (x ANY) STRICT' },
      { number: 4, sql: 'INSERT INTO second VALUES (4)' },
    ]
    migrate(raw, path, steps)
    migrate(raw, path, steps)
    expect(raw.query('SELECT x FROM second').all()).toEqual([{ x: 4 }])
    expect(raw.query(`SELECT 1 FROM sqlite_schema WHERE name = 'never'`).all()).toEqual([])
    using copy = new Sqlite(`${path}.before-4`, { readonly: true })
    expect(copy.query('SELECT name FROM label').all()).toEqual([{ name: 'kept' }])
    expect(copy.query('PRAGMA user_version').get()).toEqual({ user_version: 2 })
  })

  test('one that fails changes nothing', () => {
    openDatabase(directory)[Symbol.dispose]()
    using raw = new Sqlite(path)
    const broken = [{ number: 3, sql: 'CREATE TABLE half (x); CREATE TABLE half (x)' }]
    expect(() => migrate(raw, path, broken)).toThrow('already exists')
    expect(raw.query(`SELECT 1 FROM sqlite_schema WHERE name = 'half'`).all()).toEqual([])
    expect(raw.query('PRAGMA user_version').get()).toEqual({ user_version: 2 })
  })

  test('every table is STRICT', () => {
    using database = openDatabase(directory)
    const loose = database
      .statement<{ name: string }, []>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
      )
      .all()
    expect(loose).toEqual([])
  })

  test('the tables drizzle knows have the columns that the migrations made', () => {
    using database = openDatabase(directory)
    for (const table of Object.values(schema) as SQLiteTable[]) {
      const { name, columns } = getTableConfig(table)
      const made = database
        .statement<{ name: string; notnull: number; pk: number }, [string]>(
          'SELECT name, "notnull", pk FROM pragma_table_info(?)',
        )
        .all(name)
      expect(columns.map((column) => column.name)).toEqual(made.map((column) => column.name))
      // A primary key's NOT NULL is implied.
      expect(columns.filter((column) => column.notNull && !column.primary).map((column) => column.name)).toEqual(
        made
          .filter(
            (column) =>
              column.notnull === 1 && !(column.pk > 0 && columns.some((c) => c.primary && c.name === column.name)),
          )
          .map((column) => column.name),
      )
    }
  })
})

describe('the lock of a data directory', () => {
  test('is held by one, and free again when that one lets go', () => {
    const first = lockDirectory(directory)
    expect(first).not.toBeNull()
    expect(lockDirectory(directory)).toBeNull()
    first?.[Symbol.dispose]()
    using again = lockDirectory(directory)
    expect(again).not.toBeNull()
  })

  test('keeps no command out of the database', () => {
    using _ = lockDirectory(directory)
    using database = openDatabase(directory)
    expect(database.transact(() => 1)).toBe(1)
  })
})
