import { Database as Sqlite } from 'bun:sqlite'
import { MIGRATIONS } from './migrations.ts'

export interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly sql: string | null
}

export const SCHEMA_OBJECTS = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name'

/**
 * The differences from the schema of the migrations up to `schema`. A foreign trigger or view would run with every
 * statement, so run nothing but `SCHEMA_OBJECTS` on such a file.
 */
export function strangersIn(found: readonly SchemaObject[], schema: number): readonly string[] {
  const made = new Map(madeBy(schema).map((object) => [keyOf(object), object]))
  const strange = found
    .filter((object) => {
      const own = made.get(keyOf(object))
      return own === undefined ? !isHarmless(object) : plain(own.sql) !== plain(object.sql)
    })
    .toSorted((a, b) => TELLING.indexOf(b.type) - TELLING.indexOf(a.type))
  const names = new Set(found.map(keyOf))
  return [
    ...strange.map((object) => described(object, made.has(keyOf(object)) ? ' (changed)' : '')),
    ...[...made.values()]
      .filter((object) => !names.has(keyOf(object)))
      .map((object) => described(object, ' (missing)')),
  ]
}

const TELLING = ['index', 'table', 'view', 'trigger']

function madeBy(schema: number): readonly SchemaObject[] {
  using model = new Sqlite(':memory:')
  for (const { number, sql } of MIGRATIONS) if (number <= schema) model.run(sql)
  return model.query<SchemaObject, []>(SCHEMA_OBJECTS).all()
}

function keyOf({ type, name, tbl_name: table }: SchemaObject): string {
  return JSON.stringify([type, name, table])
}

/** SQLite's statistics, Litestream's tables and an index of plain columns run no code. */
const HARMLESS = [
  /^CREATE TABLE sqlite_stat\d\([\w,]*\)$/,
  /^CREATE TABLE _litestream_(seq|lock) \([\w ,]*\)$/,
  /^CREATE INDEX \w+ ON \w+ ?\([\w ,]*\)$/,
]

function isHarmless({ sql }: SchemaObject): boolean {
  return HARMLESS.some((pattern) => pattern.test(plain(sql)))
}

/**
 * Versions of SQLite differ in quotes and white space. Databases made before 2026-11-22, 20:30 UTC, check three values
 * by a list, for which SQLite builds a table for each row.
 */
function plain(sql: string | null): string {
  return (sql ?? '').replaceAll('"', '').replaceAll(/\s+/g, ' ').replaceAll('IN (0, 1, 2)', 'BETWEEN 0 AND 2')
}

function described({ type, name, tbl_name: table }: SchemaObject, how: string): string {
  const suffix = table === name ? '' : ` on ${legible(table)}`
  return `${legible(type)} ${legible(name)}${suffix}${how}`
}

/** The name may come from an attacker. */
function legible(name: string): string {
  return name.replaceAll(/[^\w .-]/g, '?').slice(0, 60)
}
