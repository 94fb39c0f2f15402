import { beforeEach, describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { chmodSync, closeSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'

const parent = directoryOfEachTest('bellhop-database')
let directory: string
let path: string
beforeEach(() => {
  directory = join(parent(), 'data')
  path = join(directory, 'bellhop.db')
})

describe('a statement', () => {
  test('is compiled when it is first run, and not before', () => {
    using database = openDatabase(directory)
    const rows = database.statement<{ n: number }, [number]>('SELECT n FROM later WHERE n > ?')
    expect(() => rows.all(0)).toThrow('no such table: later')
    database.statement<never, []>('CREATE TABLE later (n)').run()
    database.statement<never, [number, number]>('INSERT INTO later VALUES (?), (?)').run(1, 2)
    expect(rows.all(1)).toEqual([{ n: 2 }])
    expect([...rows.iterate(0)]).toEqual([{ n: 1 }, { n: 2 }])
    expect(rows.get(2)).toBeNull()
  })

  test('is not compiled once the database is closed', () => {
    const database = openDatabase(directory)
    const version = database.statement<object, []>('PRAGMA user_version')
    database[Symbol.dispose]()
    expect(() => version.get()).toThrow('Cannot use a closed database')
  })
})

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

  test('a process that serves keeps less of the file in memory than a command', () => {
    const cacheKb = (database: ReturnType<typeof openDatabase>) => database.statement('PRAGMA cache_size').get()
    using command = openDatabase(directory)
    using service = openDatabase(directory, { serving: true })
    expect([cacheKb(command), cacheKb(service)]).toEqual([{ cache_size: -16384 }, { cache_size: -4096 }])
  })

  test('a process that serves writes 8 MB of one transaction to the log at its end, not before', () => {
    using database = openDatabase(directory, { serving: true })
    database.statement('CREATE TABLE large (bytes BLOB)').run()
    const insert = database.statement('INSERT INTO large (bytes) VALUES (zeroblob(1000000))')
    const logBytes = () => statSync(join(directory, 'bellhop.db-wal')).size
    const before = logBytes()
    const within = database.transact(() => {
      for (let n = 0; n < 8; n++) insert.run()
      return logBytes()
    })
    expect(within).toBe(before)
    expect(logBytes()).toBeGreaterThan(before + 8_000_000)
  })

  test('what is erased is overwritten, and not only set free', () => {
    using database = openDatabase(directory)
    const name = 'a name that is nowhere else'
    const raw = (sql: string) => database.statement<never, []>(sql).all()
    raw('PRAGMA foreign_keys = OFF')
    for (const at of [1, 2, 3]) raw(`INSERT INTO label (application, kind, name) VALUES (1, 0, '${name} ${at}')`)
    raw(`DELETE FROM label WHERE name LIKE '${name}%'`)
    raw('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(readFileSync(path).includes(name)).toBeFalse()
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

describe('a database that is closed', () => {
  test('takes no transaction, and leaves the file to others', () => {
    const closed = openDatabase(directory)
    closed[Symbol.dispose]()
    expect(() => closed.transact(() => null)).toThrow('the database is closed')
    using database = openDatabase(directory)
    database.statement('PRAGMA busy_timeout = 0').get()
    expect(database.transact(() => 'written')).toBe('written')
  })
})

describe('migrations', () => {
  test('a database of a newer Bellhop is refused with a sentence, and left alone', () => {
    openDatabase(directory)[Symbol.dispose]()
    using raw = new Sqlite(path)
    raw.run('PRAGMA user_version = 99')
    expect(() => openDatabase(directory)).toThrow(
      `The database ${path} was written by a newer Bellhop (schema 99; this one knows ${NEWEST_SCHEMA}). Use that version, or newer.`,
    )
    expect(raw.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version).toBe(99)
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

  test('is for its owner alone, also where it was there for all: whoever could open it could hold it', () => {
    const file = join(directory, 'serving.lock')
    lockDirectory(directory)?.[Symbol.dispose]()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    lockDirectory(directory)?.[Symbol.dispose]()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('keeps no command out of the database', () => {
    using _ = lockDirectory(directory)
    using database = openDatabase(directory)
    expect(database.transact(() => 1)).toBe(1)
  })
})

test.if(process.platform === 'linux')('files that cannot be read are a problem, and no exception', () => {
  const database = openDatabase(directory)
  database.statement<never, []>('CREATE TABLE some (n)').run()
  const before = filesOpen()
  const guard = database.guardFiles()
  expect(guard.problem(true)).toBeNull()
  const own = filesOpen().find((fd) => !before.includes(fd) && linkOf(fd) === `${path}-shm`) ?? -1
  // Reading it fails as it does on a broken disk, with another code.
  closeSync(own)
  const found = `${path} and its log cannot be checked (EBADF: bad file descriptor, read)`
  expect(guard.problem(true)).toBe(found)
  expect(guard.problem()).toBe(found)
  database[Symbol.dispose]()
})

const filesOpen = (): number[] => readdirSync('/proc/self/fd').map(Number)

/** `null`: closed by now, as is what the directory was read by. */
function linkOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return null
  }
}
