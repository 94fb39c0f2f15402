// A version that does not get ready, in the ways that BROKEN names. It is compiled, signed and installed by the tests.
import { Database as Sqlite } from 'bun:sqlite'
import { join } from 'node:path'
import { lockDirectory } from '../../../../src/database/directory-lock.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../../../src/database/migration/migrations.ts'
import { upgrade } from '../../../../src/database/migration/upgrade.ts'
import { RELEASE } from '../../../../src/version.ts'

const NEXT = { number: NEWEST_SCHEMA + 1, sql: 'CREATE TABLE of_the_future (id INTEGER PRIMARY KEY) STRICT' }
const how = process.env['BROKEN'] ?? ''
const data = process.argv.find((word) => word.startsWith('--data='))?.slice('--data='.length) ?? ''

if (process.argv[2] === 'version') {
  const schema = { older: 1, raises: NEXT.number, registers: NEXT.number }[how] ?? NEWEST_SCHEMA
  if (how === 'mute') process.exit(1)
  process.stdout.write(`${JSON.stringify({ version: RELEASE, schema })}\n`)
  process.exit(0)
}
if (how === 'ends') process.exit(7)
// Held until the end of the process.
const lock = lockDirectory(data)
if (lock === null) throw new Error('the directory is locked')
if (how === 'raises' || how === 'registers') {
  const path = join(data, 'bellhop.db')
  const database = new Sqlite(path)
  database.run('PRAGMA journal_mode = WAL')
  upgrade(database, path, { serving: true, migrations: [...MIGRATIONS, NEXT] })
  // As if a phone had called meanwhile; later than all else.
  if (how === 'registers') database.run(`UPDATE device SET seen_at = ${Date.now() + 60_000}`)
}
// It hangs, and takes no notice of SIGTERM.
process.on('SIGTERM', () => undefined)
setInterval(() => undefined, 60_000)
