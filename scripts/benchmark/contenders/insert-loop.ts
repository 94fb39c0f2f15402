// The yardstick for imports: inserts rows from memory into the service's own tables, indexes and triggers, without
// lookups or checks. Durable, 1,000 rows in each transaction. Arguments: a data directory with an application and no
// devices, and a count. Prints the seconds it took.
import { openDatabase } from '../../../src/database/database.ts'
import { packToken } from '../../../src/device/device.ts'
import { tagsOf, tokenOf } from '../setup/device-labels.ts'

const ROWS_AT_ONCE = 1000

const [directory = '.', count = '0'] = process.argv.slice(2)
const rows = Array.from({ length: Number(count) }, (_, n) => ({ token: tokenOf(n), tags: tagsOf(n, Number(count)) }))

using database = openDatabase(directory)
const { number: application = 0 } =
  database.statement<{ number: number }, []>('SELECT number FROM application').get() ?? {}
const insert = database.statement<never, [number, string | Uint8Array, number, number, number]>(
  'INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at) VALUES (?, 0, ?, ?, ?, ?)',
)
const makeLabel = database.statement<never, [number, string]>(
  'INSERT INTO label (application, kind, name) VALUES (?, 0, ?)',
)
const attach = database.statement<never, [number, number]>('INSERT INTO device_label (label, device) VALUES (?, ?)')
const labels = new Map<string, number>()

const started = performance.now()
const now = Date.now()
for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
  database.transact(() => {
    for (const { token, tags } of rows.slice(from, from + ROWS_AT_ONCE)) {
      const device = Number(insert.run(application, packToken(token, 0), now, now, now).lastInsertRowid)
      for (const tag of tags) attach.run(labelOf(tag), device)
    }
  })
}
console.log((performance.now() - started) / 1000)

function labelOf(name: string): number {
  const id = labels.get(name) ?? Number(makeLabel.run(application, name).lastInsertRowid)
  labels.set(name, id)
  return id
}
