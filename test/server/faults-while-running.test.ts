import { Database as Sqlite } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { openDatabase } from '../../src/database/database.ts'
import { readExposition, valueOf } from '../monitoring/read-exposition.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { startService } from '../support/service.ts'
import type { Credentials } from '../support/service.ts'
import { storeDevices } from '../support/stored-devices.ts'

/* A damaged page that is met only when needed. A start reads few pages of a large file. */
const PAGE_BYTES = 4096
const DEVICES = 5000

const parent = directoryOfTests('bellhop-damage')
const template = join(parent, 'template')
let application: Credentials
let pages: readonly number[]

beforeAll(async () => {
  using database = openDatabase(template)
  const applications = createApplicationStore({ database, clock: createFakeClock() })
  const made = applications.create('Shop')
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setSimulated(made.application.id, true)
  applications.setLimits(made.application.id, { rate: 0, backendRate: 0 })
  application = { id: made.application.id, secret: made.secret }
  storeDevices(database, DEVICES, (n) => ({ token: tokenOf(n) }))
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').all()
  pages = pagesIn(readFileSync(join(template, 'bellhop.db')))
})

let copies = 0
function damaged(noisy: readonly number[]): string {
  const data = join(parent, `data-${++copies}`)
  cpSync(template, data, { recursive: true })
  const path = join(data, 'bellhop.db')
  const bytes = readFileSync(path)
  for (const page of noisy) bytes.fill(0xa5, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
  writeFileSync(path, bytes)
  return data
}

const sentence = (data: string) =>
  `The database ${data}/bellhop.db is damaged. Stop Bellhop and copy its directory before anything else; then restore a backup (bellhop restore), or save what can be read (sqlite3 ${data}/bellhop.db .recover | sqlite3 saved.db).`

describe('a damaged page that a running service meets', () => {
  test('is a 500 for the call that needs it, one sentence in the log, and the end of being ready', async () => {
    const data = damaged(pages.slice(20, 30))
    await using service = await startService({ data, application })
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(200)

    const statuses: number[] = []
    for (let device = 0; device < DEVICES; device += 50) {
      const token = Buffer.from(tokenOf(device)).toString('hex')
      const answer = await service.put('/deviceToken', { token, platform: 0 })
      statuses.push(answer.status)
      if (answer.status === 500) expect(answer.body.message).toMatch(/^Internal error\. Support ID [0-9a-f-]{36}$/)
    }
    expect(new Set(statuses)).toEqual(new Set([200, 500]))
    expect(service.log.filter(({ event }) => event === sentence(data))).toHaveLength(1)
    const ready = await fetch(`${service.adminUrl}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('damaged')
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  })

  test('holds up the push whose audience is on it, and nothing else', async () => {
    const data = damaged(pages.slice(20, 30))
    const clock = createFakeClock()
    await using service = await startService({ data, application, clock })
    const id = (await service.post('/push/all', { platform: 0, msg: 'Hello', sound: '', badge: '' })).body.id
    const held = service.logged(({ event }) => event === 'a delivery cannot be read; trying again')
    await passing(service, clock, held)
    expect(service.log.map(({ event }) => event)).toContain(sentence(data))

    const other = service.addApplication('Other')
    await service.put('/deviceToken', { token: 'cd'.repeat(32), platform: 0 }, { application: other })
    const push = { token: 'cd'.repeat(32), platform: 0, msg: 'Hello', sound: '', badge: '' }
    const one = (await service.post('/push/one', push, { application: other })).body.id
    const sent = service.logged(({ event, push: sentPush }) => event === 'push sent' && sentPush === one)
    await passing(service, clock, sent)
    expect(service.log.some(({ event, push: sentPush }) => event === 'push sent' && sentPush === id)).toBe(false)
  })

  test('is left out of /metrics, which says so and tells all the rest', async () => {
    const data = damaged([rootOf('registry_size')])
    await using service = await startService({ data, application })
    const answer = await fetch(`${service.adminUrl}/metrics`)
    expect(answer.status).toBe(200)
    const families = readExposition(await answer.text())
    const said = (part: string) => valueOf(families, 'bellhop_metrics_ok', { part })
    expect([said('sizes'), said('webhooks'), said('certificates'), said('scheduled')]).toEqual([0, 1, 1, 1])
    expect(families.has('bellhop_registry_rows')).toBe(false)
    expect(families.get('bellhop_webhook_events_waiting')?.series).toEqual([])
    expect(valueOf(families, 'bellhop_scheduled_pushes', {})).toBe(0)
    expect(valueOf(families, 'bellhop_ready', {})).toBe(0)
    expect(service.log).toContainEqual(
      expect.objectContaining({ event: 'a part of the metrics could not be read', part: 'sizes' }),
    )
    expect(service.log.filter(({ event }) => event === sentence(data))).toHaveLength(1)
  })
})

describe('a credential that cannot be read for a moment, when its first push comes,', () => {
  test('is no reason to refuse what is stored, and the push goes out a second later', async () => {
    const clock = createFakeClock()
    await using gateways = await startOutsideGateways(clock)
    await using service = await startService({ clock, simulated: false, config: gateways.config })
    service.equip(service.application, gateways.simulator)
    clock.advance(1000)
    const token = 'cd'.repeat(32)
    await service.put('/deviceToken', { token, platform: 0 })
    service.database.statement('ALTER TABLE credential RENAME TO elsewhere').run()
    const push = { token, platform: 0, msg: 'Hello', sound: '', badge: '' }
    const { status, body } = await service.post('/push/one', push)
    expect({ status, message: body.message }).toEqual({ status: 200, message: 'Queued' })
    expect(service.log).toContainEqual(expect.objectContaining({ event: 'deliveries cannot be read; trying again' }))
    service.database.statement('ALTER TABLE elsewhere RENAME TO credential').run()
    await passing(
      service,
      clock,
      service.logged(({ event, push }) => event === 'push sent' && push === body.id),
    )
  })
})

function tokenOf(device: number): Uint8Array {
  const token = Buffer.alloc(32, 7)
  token.writeUInt32BE(device)
  return token
}

/** Counted from 0. */
function rootOf(table: string): number {
  using database = new Sqlite(join(template, 'bellhop.db'), { readonly: true })
  const row = database.query<{ rootpage: number }, [string]>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
  return (row.get(table)?.rootpage ?? 0) - 1
}

/** The leaves of the device table, found by their tokens. */
function pagesIn(bytes: Buffer): readonly number[] {
  const found: number[] = []
  for (let page = 1; page < bytes.length / PAGE_BYTES; page++) {
    const at = page * PAGE_BYTES
    // B-tree page flags (sqlite.org/fileformat2, 1.6): 13 is a table leaf.
    if (bytes[at] === 13 && bytes.subarray(at, at + PAGE_BYTES).includes(Buffer.alloc(20, 7))) found.push(page)
  }
  return found
}
