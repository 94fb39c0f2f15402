import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import { createWriteProbe } from '../../src/database/write-probe.ts'

let directory: string
let database: Database

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bellhop-probe-'))
  database = openDatabase(directory)
})
afterEach(async () => {
  database[Symbol.dispose]()
  await rm(directory, { recursive: true })
})

/** What is in the file besides the probe's page. */
function contents(): unknown {
  using other = new Sqlite(join(directory, 'bellhop.db'), { readonly: true })
  return ['application_id', 'user_version', 'schema_version'].map((name) => other.query(`PRAGMA ${name}`).get())
}

test('each probe writes, and changes nothing', () => {
  const before = contents()
  const probe = createWriteProbe(database)
  const sizes = Array.from({ length: 3 }, () => {
    database.transact(probe)
    return Bun.file(join(directory, 'bellhop.db-wal')).size
  })
  const [first = 0, second = 0, third = 0] = sizes
  // One page of 4096 bytes and the 24 bytes of its header.
  expect([second - first, third - second]).toEqual([4120, 4120])
  expect(contents()).toEqual(before)
})

test('a database that takes no write makes it throw', () => {
  const probe = createWriteProbe(database)
  database.statement('PRAGMA query_only = ON').run()
  expect(() => database.transact(probe)).toThrow(/readonly/)
})
