import { expect, test } from 'bun:test'
import { logChanges } from '../../src/database/change-log-store.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

test('a log of changes notes what is committed, nothing that is rolled back, and nothing once it is disposed of', () => {
  using file = temporaryDatabase()
  const { database } = file
  const add = database.statement<never, [string]>(
    "INSERT INTO administrator (name, password, created_at) VALUES (?, '', 1)",
  )
  const rename = database.statement<never, [string]>('UPDATE administrator SET name = ?')
  const open = () =>
    logChanges<{ name: string }>(
      database,
      'name',
      [
        { table: 'administrator', on: 'insert', values: 'new.name' },
        {
          table: 'administrator',
          on: 'update',
          column: 'name',
          when: "new.name <> 'eve'",
          values: "old.name || '>' || new.name",
        },
      ],
      'SELECT name FROM changes ORDER BY n',
    )
  const temporary = () => database.statement<object, []>('SELECT name FROM sqlite_temp_schema').all()

  const first = open()
  const second = open()
  add.run('ann')
  database.transact(() => {
    expect(() =>
      database.transact(() => {
        add.run('bob')
        throw new Error('undone')
      }),
    ).toThrow('undone')
    rename.run('amy')
    rename.run('eve')
  })
  expect(() =>
    database.transact(() => {
      rename.run('zoe')
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(first.take()).toEqual([{ name: 'ann' }, { name: 'ann>amy' }])
  expect(first.take()).toEqual([])
  first[Symbol.dispose]()
  rename.run('joe')
  expect(second.take()).toEqual([{ name: 'ann' }, { name: 'ann>amy' }, { name: 'eve>joe' }])
  second[Symbol.dispose]()
  expect(temporary()).toEqual([])
})

test('a log of changes that cannot be opened leaves nothing behind', () => {
  using file = temporaryDatabase()
  const { database } = file
  const writes = ['administrator', 'no_such_table'].map(
    (table) => ({ table, on: 'insert', values: 'new.name' }) as const,
  )
  expect(() => logChanges(database, 'name', writes, 'SELECT name FROM changes')).toThrow('no such table')
  const temporary = database.statement<object, []>('SELECT name FROM sqlite_temp_schema')
  expect(temporary.all()).toEqual([])
})
