import { expect, test } from 'bun:test'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { is } from 'drizzle-orm'
import { join } from 'node:path'
import * as schema from '../../src/database/schema.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'

const src = join(import.meta.dir, '..', '..', 'src')
const tables = Object.entries<unknown>(schema).flatMap(([name, table]) =>
  is(table, SQLiteTable) ? [{ name, table }] : [],
)

interface MadeColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  /** Its place in the primary key, from 1; 0: it is not in it. */
  readonly pk: number
}

test('the schema describes tables as the migrations make them', () => {
  using file = temporaryDatabase()
  // SQLite says of the number of a row that it may be NULL, which it never is.
  const made = file.database.statement<MadeColumn, [string]>(
    `SELECT name, type, "notnull" OR type = 'INTEGER' AND pk = 1 AND max(pk) OVER () = 1 AS "notnull", pk
     FROM pragma_table_info(?) ORDER BY cid`,
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const { table } of tables) {
    const { name, columns, primaryKeys } = getTableConfig(table)
    const key = primaryKeys[0]?.columns.map((column) => column.name) ?? []
    const described = columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notnull: column.notNull ? 1 : 0,
      pk: column.primary ? 1 : key.indexOf(column.name) + 1,
    }))
    expect([name, described]).toEqual([name, made.all(name)])
  }
})

test('no table is in the schema that nobody uses', async () => {
  const used = new Set<string>()
  for (const path of new Bun.Glob('**/*.ts').scanSync(src)) {
    const text = await Bun.file(join(src, path)).text()
    for (const [, list = ''] of text.matchAll(/import (?:type )?\{([^}]*)\} from '[^']*\/schema\.ts'/g)) {
      for (const [name] of list.matchAll(/\w+/g)) used.add(name)
    }
  }
  expect(tables.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
})
