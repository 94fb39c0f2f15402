import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tagsOf, tokenOf } from '../../scripts/benchmark/setup/device-labels.ts'
import { insertDevices } from '../../scripts/benchmark/setup/prepared-devices.ts'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { openDatabase } from '../../src/database/database.ts'
import type { Database } from '../../src/database/database.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Half of them rare, half common. */
const COUNT = 2000

test('prepared devices are, table by table, what as many registrations leave behind', () => {
  using folder = temporaryDirectory('bellhop-test')
  const clock = createFakeClock()
  const fill = (name: string, devices: (database: Database, application: number) => void) => {
    const directory = join(folder.path, name)
    using database = openDatabase(directory)
    const made = createApplicationStore({ database, clock }).create('bench')
    if (made.kind !== 'created') throw new Error(made.kind)
    devices(database, made.application.number)
    return directory
  }
  const prepared = fill('prepared', (database, application) => insertDevices(database, application, COUNT, clock.now()))
  const registered = fill('registered', (database, application) => {
    const store = createDeviceStore({ database, clock })
    database.transact(() => {
      for (let n = 0; n < COUNT; n++) {
        store.register(application, { token: tokenOf(n), platform: 0, tag: tagsOf(n, COUNT) })
      }
    })
  })

  const [left, right] = [contentOf(prepared), contentOf(registered)]
  expect(left.get('device')).toHaveLength(COUNT)
  expect(left.get('device_label')).toHaveLength(3 * COUNT)
  expect([...left.keys()]).toEqual([...right.keys()])
  for (const [table, rows] of left) expect({ table, rows }).toEqual({ table, rows: right.get(table) ?? [] })
})

/** All rows of all tables but the application's own, which is another one in each. */
function contentOf(directory: string): Map<string, unknown[]> {
  using database = new Sqlite(join(directory, 'bellhop.db'), { readonly: true })
  expect(database.query('PRAGMA foreign_key_check').all()).toEqual([])
  const tables = database.query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  return new Map(
    tables
      .filter(({ name }) => name !== 'application')
      .map(({ name }) => [name, database.query(`SELECT * FROM ${name}`).all()]),
  )
}
