// The minimum cost of a registration: HTTP, JSON and durable rows. Bun.serve on the service's own tables, indexes,
// pragmas, group commit and checkpoint thread, without Elysia, admission, checks, metrics and quota. A new device gets
// the service's rows; for a known one it reads the labels and updates when it was seen, as the service does if nothing
// changed. Argument: a data directory with one application. Prints its address.
import { openDatabase } from '../../../src/database/database.ts'
import { createGroupCommit } from '../../../src/database/group-commit.ts'
import { packToken } from '../../../src/device/device.ts'

interface Said {
  readonly token: string
  readonly platform: string
  readonly tag: readonly string[]
  readonly alias: string
}

interface Known {
  readonly id: number
  readonly alias: string | null
  readonly lat: number | null
  readonly lng: number | null
  readonly badge: number
  readonly registered_at: number
}

const database = openDatabase(process.argv[2] ?? '.', { serving: true })
const { commit } = createGroupCommit(database, fail, undefined, database.checkpointBeside(fail))
const application = database.statement<{ number: number }, []>('SELECT number FROM application').get()?.number ?? 0

const byToken = database.statement<Known, [number, number, ReturnType<typeof packToken>]>(
  `SELECT id, alias, lat, lng, badge, registered_at FROM device
   WHERE application = ? AND platform = ? AND token = ?`,
)
const insert = database.statement(
  `INSERT INTO device (application, platform, token, alias, registered_at, seen_at, updated_at)
   VALUES (?, ?, ?, ?, ?, ?, ?)`,
)
const count = database.statement('UPDATE registry_size SET devices = devices + 1 WHERE application = ?')
const labelByName = database.statement<{ id: number }, [number, string]>(
  'SELECT id FROM label WHERE application = ? AND kind = 0 AND name = ?',
)
const insertLabel = database.statement('INSERT INTO label (application, kind, name) VALUES (?, 0, ?)')
const attach = database.statement('INSERT INTO device_label (label, device) VALUES (?, ?)')
const labelsOf = database.statement<{ name: string }, [number]>(
  'SELECT l.name FROM device_label dl CROSS JOIN label l ON l.id = dl.label WHERE dl.device = ?',
)
const touch = database.statement('UPDATE device SET seen_at = ?, updated_at = ? WHERE id = ?')
const labels = new Map<string, number>()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const said = (await request.json()) as Said
    const { status, record } = await commit(() => register(said))
    return Response.json(record, { status })
  },
})
console.log(`http://127.0.0.1:${server.port}`)

function register({ token, platform, tag, alias }: Said) {
  const packed = packToken(token, platform === '0' ? 0 : 1)
  const found = byToken.get(application, Number(platform), packed)
  const now = Date.now()
  const updated_at = new Date(now).toISOString()
  if (found !== null) {
    const { id, lat, lng, badge } = found
    const had = labelsOf.all(id).map(({ name }) => name)
    if (had.length !== tag.length) fail('the floor knows only launches that bring nothing new')
    touch.run(now, now, id)
    const created_at = new Date(found.registered_at).toISOString()
    const record = {
      token,
      platform,
      lat,
      lng,
      active: [],
      tag: had,
      alias: found.alias,
      badge,
      created_at,
      updated_at,
    }
    return { status: 200, record }
  }
  const device = Number(insert.run(application, Number(platform), packed, alias, now, now, now).lastInsertRowid)
  count.run(application)
  for (const name of tag) attach.run(labelOf(name), device)
  const record = {
    token,
    platform,
    lat: null,
    lng: null,
    active: [],
    tag,
    alias,
    badge: 0,
    created_at: updated_at,
    updated_at,
  }
  return { status: 201, record }
}

function labelOf(name: string): number {
  const known = labels.get(name) ?? labelByName.get(application, name)?.id
  const id = known ?? Number(insertLabel.run(application, name).lastInsertRowid)
  labels.set(name, id)
  return id
}

function fail(why: unknown): never {
  console.error(why)
  process.exit(1)
}
