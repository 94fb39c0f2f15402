import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_SCHEMA } from '../../../src/database/migration/migrations.ts'
import { directoryOfTests } from '../../support/directory-of-tests.ts'
import { oldDatabase } from '../../support/old-database.ts'
import { digestOf } from './state-digest.ts'

const root = directoryOfTests('bellhop-nth-states')

let count = 0

function newDirectory(): string {
  return join(root, String(++count))
}

/** Its nonces differ each time. */
function made(): string {
  const directory = newDirectory()
  oldDatabase(directory, NEWEST_SCHEMA)
  run(`UPDATE application SET created_at = ${Date.now()} WHERE number = 1`)(directory)
  return directory
}

function run(sql: string): (directory: string) => void {
  return (directory) => {
    using database = new Database(join(directory, 'bellhop.db'))
    database.run(sql)
  }
}

function digest(directory: string): string | null {
  return digestOf(directory, /^drawn \d$/)
}

const original = made()
const sound = digest(original)

function digestAfter(change: (directory: string) => void): string | null {
  const directory = newDirectory()
  cpSync(original, directory, { recursive: true })
  change(directory)
  return digest(directory)
}

describe('a directory is the same as another one, when', () => {
  test('nothing but a nonce is another', () => {
    expect(sound).toBeString()
    expect(digest(made())).toBe(sound)
  })

  const same: Readonly<Record<string, (directory: string) => void>> = {
    'a moment of this run is another': run('UPDATE application SET created_at = created_at + 1000 WHERE number = 1'),
    'its rows lie otherwise in the file': run('VACUUM'),
    'only the memory that processes shared is left beside': (directory) =>
      writeFileSync(join(directory, 'bellhop.db-shm'), 'x'),
    'an empty log is left beside': (directory) => writeFileSync(join(directory, 'bellhop.db-wal'), ''),
  }
  test.each(Object.entries(same))('%s', (_, change) => expect(digestAfter(change)).toBe(sound))

  test('a text that is drawn is another, and a file bears another time', () => {
    const drawn = (text: string, time: string) =>
      digestAfter((directory) => {
        run(`UPDATE application SET name = '${text}' WHERE number = 1`)(directory)
        writeFileSync(join(directory, `key.until-${time}`), 'x')
      })
    const one = drawn('drawn 1', '20261122T101500Z')
    expect(drawn('drawn 2', '20261122T101501Z')).toBe(one)
    expect(one).not.toBe(sound)
  })
})

describe('a directory is another one, when', () => {
  const others: Readonly<Record<string, (directory: string) => void>> = {
    'a row is another': run("UPDATE device SET alias = 'x' WHERE id = 1"),
    'a row is missing': run('DELETE FROM feedback'),
    'a moment of before this run is another': run(
      'UPDATE application SET created_at = created_at - 1 WHERE number = 2',
    ),
    'the number of its schema is another': run('PRAGMA user_version = 1'),
    'an index is missing': run('DROP INDEX device_by_alias'),
    'its key does not open what is sealed': (directory) =>
      writeFileSync(join(directory, 'key'), `${Buffer.alloc(32, 8).toString('base64')}\n`),
    'its key is cut off': (directory) => writeFileSync(join(directory, 'key'), 'AAAA'),
    'its key has another name': (directory) => renameSync(join(directory, 'key'), join(directory, 'key.next')),
    'others may read the key': (directory) => chmodSync(join(directory, 'key'), 0o644),
    'a log is beside, even one that says nothing': (directory) => writeFileSync(join(directory, 'bellhop.db-wal'), 'x'),
    'its database is missing beside its log': (directory) =>
      renameSync(join(directory, 'bellhop.db'), join(directory, 'bellhop.db-wal')),
    'an empty folder is beside': (directory) => mkdirSync(join(directory, 'restoring')),
    'something half written is beside': (directory) => writeFileSync(join(directory, 'bellhop.db.partial'), 'x'),
  }
  test.each(Object.entries(others))('%s', (_, change) => {
    const changed = digestAfter(change)
    expect(changed).toBeString()
    expect(changed).not.toBe(sound)
  })
})

test('a damaged database is like nothing else', () => {
  const text = `SQLite format 3\0${'x'.repeat(5000)}`
  expect(digestAfter((directory) => writeFileSync(join(directory, 'bellhop.db'), text))).toBeNull()
})
