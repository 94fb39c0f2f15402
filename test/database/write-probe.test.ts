import { expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import { createWriteProbe } from '../../src/database/write-probe.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

/** What is in the file besides the probe's page. */
function contents(directory: string): unknown {
  using other = new Sqlite(join(directory, 'bellhop.db'), { readonly: true })
  return ['application_id', 'user_version', 'schema_version'].map((name) => other.query(`PRAGMA ${name}`).get())
}

test('each probe writes, and changes nothing', () => {
  using temporary = temporaryDatabase()
  const { database, directory } = temporary
  const before = contents(directory)
  const probe = createWriteProbe(database)
  const sizes = Array.from({ length: 3 }, () => {
    database.transact(probe)
    return Bun.file(join(directory, 'bellhop.db-wal')).size
  })
  const [first = 0, second = 0, third = 0] = sizes
  // One page of 4096 bytes and the 24 bytes of its header.
  expect([second - first, third - second]).toEqual([4120, 4120])
  expect(contents(directory)).toEqual(before)
})

test('a database that takes no write makes it throw', () => {
  using temporary = temporaryDatabase()
  const { database } = temporary
  const probe = createWriteProbe(database)
  database.statement('PRAGMA query_only = ON').run()
  expect(() => database.transact(probe)).toThrow(/readonly/)
})
