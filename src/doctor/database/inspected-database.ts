import { statSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import { SCHEMA_OBJECTS, strangersIn } from '../../database/migration/own-schema.ts'
import type { SchemaObject } from '../../database/migration/own-schema.ts'
import { openReadOnly } from '../../database/read-only-database.ts'
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts'
import { codeOf } from '../../text/error-code.ts'
import { counted, listed } from '../../text/format.ts'
import { failing, findingOf, ok } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { createInspection, schemaOf } from './inspection-store.ts'
import type { FoundApplication, DatabaseInspection } from './inspection-store.ts'

export interface InspectedDatabase extends Disposable {
  readonly opened: Finding
  /** `null`: unreadable. */
  readonly database: ReadOnlyDatabase | null
  readonly schema: number
  /** `null`: a schema that this version does not know. */
  readonly inspection: DatabaseInspection | null
  readonly applications: readonly FoundApplication[]
}

export function openInspectedDatabase(data: string): InspectedDatabase {
  const path = join(data, 'bellhop.db')
  let database: ReadOnlyDatabase | null = null
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) {
      return unread(
        failing(
          `There is no database in ${data}.`,
          'bellhop app create NAME makes one; --data (BELLHOP_DATA) names another data directory.',
        ),
      )
    }
    if (size === 0) {
      return unread(failing(`The database ${path} is empty.`, 'Restore a backup, or delete it to start empty.'))
    }
    database = openReadOnly(data)
    return read(database, path)
  } catch (error) {
    return { ...unread(unreadable(path, error)), database, [Symbol.dispose]: () => database?.[Symbol.dispose]() }
  }
}

function read(database: ReadOnlyDatabase, path: string): InspectedDatabase {
  const schema = schemaOf(database)
  const known = schema <= NEWEST_SCHEMA
  const objects = database.statement<SchemaObject, []>(SCHEMA_OBJECTS).all()
  const isOwn = ['application', 'device', 'push'].every((name) => objects.some((object) => object.name === name))
  const strangers = known && isOwn ? strangersIn(objects, schema) : []
  if (strangers.length > 0) {
    return {
      ...unread(failing(`The tables of ${path} are not as Bellhop makes them: ${listed(strangers, 5)}.`, STRANGE)),
      database,
      schema,
      [Symbol.dispose]: () => database[Symbol.dispose](),
    }
  }
  const inspection = known ? createInspection(database, schema) : null
  const applications = inspection?.applications() ?? []
  const holds = inspection === null ? '' : `, with ${counted(applications.length, 'application')}`
  return {
    opened: ok(`The database can be read${holds}.`),
    database,
    schema,
    inspection,
    applications,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  }
}

const STRANGE =
  'Whoever could write to it may have put that there: stop the server, keep a copy, and restore a backup (bellhop help restore).'

function unreadable(path: string, error: unknown): Finding {
  const code = codeOf(error) ?? ''
  if (code === 'SQLITE_NOTADB') {
    return failing(
      `The file ${path} is not a database, or its beginning is damaged.`,
      'Restore a backup (bellhop help restore), or choose another data directory with --data.',
    )
  }
  if (/^(SQLITE_CANTOPEN|SQLITE_READONLY|EACCES)/.test(code)) {
    return failing(`The database ${path} cannot be opened (${code}).`, "Run doctor as the server's user.")
  }
  if (code === 'SQLITE_ERROR') {
    return failing(`The database ${path} belongs to another program.`, "Pass Bellhop's data directory with --data.")
  }
  return findingOf(error)
}

function unread(opened: Finding): InspectedDatabase {
  return { opened, database: null, schema: 0, inspection: null, applications: [], [Symbol.dispose]: () => undefined }
}
