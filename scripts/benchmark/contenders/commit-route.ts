// The other yardstick of registrations: the route of bare-route.ts, with one durable SQLite commit a call, as the
// service would do without a group commit: WAL, synchronous=FULL, the same rows in simple tables.
// Argument: a folder. Prints its address.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { REGISTRATION } from '../setup/registration-body.ts'

const database = new Database(join(process.argv[2] ?? '.', 'commit-route.db'), { create: true, strict: true })
database.run('PRAGMA journal_mode = WAL')
database.run('PRAGMA synchronous = FULL')
database.run(`CREATE TABLE device (
  id INTEGER PRIMARY KEY, platform TEXT NOT NULL, token TEXT NOT NULL, alias TEXT, registered_at INTEGER NOT NULL
) STRICT`)
database.run('CREATE UNIQUE INDEX device_by_token ON device (platform, token)')
database.run('CREATE UNIQUE INDEX device_by_alias ON device (alias)')
database.run('CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT')
database.run(`CREATE TABLE device_label (label INTEGER NOT NULL, device INTEGER NOT NULL, PRIMARY KEY (label, device))
  STRICT, WITHOUT ROWID`)
database.run('CREATE INDEX device_label_by_device ON device_label (device)')

const insert = database.prepare('INSERT INTO device (platform, token, alias, registered_at) VALUES (?, ?, ?, ?)')
const insertLabel = database.prepare('INSERT OR IGNORE INTO label (name) VALUES (?)')
const attach = database.prepare('INSERT INTO device_label (label, device) SELECT id, ? FROM label WHERE name = ?')
const register = database.transaction((body: typeof REGISTRATION.static) => {
  const { lastInsertRowid } = insert.run(body.platform, body.token, body.alias, Date.now())
  for (const tag of body.tag) {
    insertLabel.run(tag)
    attach.run(lastInsertRowid, tag)
  }
})

const app = new Elysia()
  .put(
    '/deviceToken',
    ({ body, status }) => {
      register.immediate(body)
      return status(201, body)
    },
    { body: REGISTRATION },
  )
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(`http://127.0.0.1:${app.server?.port}`)
