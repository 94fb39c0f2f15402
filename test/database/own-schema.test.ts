import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { SCHEMA_OBJECTS, strangersIn } from '../../src/database/migration/own-schema.ts'
import type { SchemaObject } from '../../src/database/migration/own-schema.ts'

/** The objects of a database that every migration was applied to, each as `written` has it. */
function madeBy(written: (sql: string) => string): readonly SchemaObject[] {
  using database = new Sqlite(':memory:')
  for (const { sql } of MIGRATIONS) database.run(written(sql))
  return database.query<SchemaObject, []>(SCHEMA_OBJECTS).all()
}

test('tables that were made when three values were checked by a list are no strangers', () => {
  const old = madeBy((sql) => sql.replaceAll('BETWEEN 0 AND 2', 'IN (0, 1, 2)'))
  expect(old.filter(({ sql }) => sql?.includes('IN (0, 1, 2)')).map(({ name }) => name)).toContain('device')
  expect(strangersIn(old, NEWEST_SCHEMA)).toEqual([])
})

test('a table with another check is one', () => {
  const other = madeBy((sql) => sql.replaceAll('state BETWEEN 0 AND 2', 'state BETWEEN 0 AND 9'))
  expect(strangersIn(other, NEWEST_SCHEMA)).toEqual(['table device (changed)'])
})
