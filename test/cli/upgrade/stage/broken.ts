// A version that never gets ready, in the ways listed in BROKEN. Tests compile, sign and install it.
import { Database as Sqlite } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../../../../src/database/directory-lock.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../../../src/database/migration/migrations.ts'
import { upgrade } from '../../../../src/database/migration/upgrade.ts'
import { schemaOfFile } from '../../../../src/database/offline-database.ts'
import { RELEASE } from '../../../../src/version.ts'

const NEXT = { number: NEWEST_SCHEMA + 1, sql: 'CREATE TABLE of_the_future (id INTEGER PRIMARY KEY) STRICT' }
const how = new Set((process.env['BROKEN'] ?? '').split(' '))
const data = process.argv.find((word) => word.startsWith('--data='))?.slice('--data='.length) ?? ''

if (process.argv[2] === 'version') {
  if (how.has('mute')) process.exit(1)
  const schema = how.has('older') ? 1 : how.has('raises') ? NEXT.number : NEWEST_SCHEMA
  process.stdout.write(`${JSON.stringify({ version: RELEASE, schema })}\n`)
  process.exit(0)
}
// Held until the end of the process.
const lock = lockDirectory(data)
if (lock === null) throw new Error('the directory is locked')
const path = join(data, 'bellhop.db')
const wasRaised = schemaOfFile(path) === NEXT.number
if (how.has('raises')) {
  const database = new Sqlite(path)
  database.run('PRAGMA journal_mode = WAL')
  upgrade(database, path, { serving: true, migrations: [...MIGRATIONS, NEXT] })
  // Like a phone's call, later than all other rows.
  if (how.has('registers')) database.run(`UPDATE device SET seen_at = ${Date.now() + 60_000}`)
}
if (how.has('ends') && !wasRaised) process.exit(7)
// Hangs, and ignores SIGTERM.
process.on('SIGTERM', () => undefined)
setInterval(() => undefined, 60_000)
writeFileSync(join(data, '../hangs'), '')
