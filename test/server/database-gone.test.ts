import { Database as Sqlite } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { command, serve, shopHeaders } from '../support/service-process.ts'

/* Administrators do this to a database in use. The service must answer nothing that its next start will not find. */
const CALLS = 20

const parent = directoryOfTests('bellhop-gone')
const template = join(parent, 'template')
const backup = join(parent, 'backup.db')
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  headers = await shopHeaders(template)
  await command(['backup', backup, '--data', template])
})

let copies = 0
function dataDirectory(): string {
  const data = join(parent, `data-${++copies}`)
  cpSync(template, data, { recursive: true })
  return data
}

const file = (data: string, end = '') => join(data, `bellhop.db${end}`)

const WAYS: readonly (readonly [what: string, deed: (data: string) => void, said: RegExp])[] = [
  ['the database is removed', (data) => rmSync(file(data)), /bellhop\.db was removed/],
  ['its log is removed', (data) => rmSync(file(data, '-wal')), /bellhop\.db-wal was removed/],
  ['all files are removed', (data) => readdirSync(data).forEach((name) => rmSync(join(data, name))), /was removed/],
  ['the directory is moved away', (data) => renameSync(data, `${data}-elsewhere`), /bellhop\.db was removed/],
  [
    'a backup is copied over it',
    (data) => writeFileSync(file(data), readFileSync(backup)),
    /bellhop\.db was changed by/,
  ],
  [
    'a backup is moved over it',
    (data) => {
      cpSync(backup, `${data}-backup`)
      renameSync(`${data}-backup`, file(data))
    },
    /bellhop\.db was replaced/,
  ],
  ['the database is truncated', (data) => truncateSync(file(data), 4096), /bellhop\.db was changed by/],
  ['its log is truncated', (data) => truncateSync(file(data, '-wal'), 0), /bellhop\.db-wal was changed by/],
]

const put = (url: string, n: number) =>
  fetch(`${url}/deviceToken`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ token: n.toString(16).padStart(64, '0'), platform: '0' }),
  })

describe('while it is served', () => {
  for (const [what, deed, said] of WAYS) {
    test(`${what}: nothing more is taken, it says why, and ends with 4`, async () => {
      const data = dataDirectory()
      await using service = await serve(data)
      for (let n = 0; n < CALLS; n++) expect((await put(service.url, n)).status).toBe(201)
      expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(200)
      deed(data)

      const statuses: number[] = []
      for (let n = CALLS; n < 2 * CALLS; n++) statuses.push((await put(service.url, n)).status)
      expect(new Set(statuses)).toEqual(new Set([500]))
      expect(
        (await fetch(`${service.url}/deviceToken`, { headers: { ...headers, token: '0'.repeat(64) } })).status,
      ).not.toBe(201)
      const ready = await fetch(`${service.adminUrl}/readyz`)
      expect(ready.status).toBe(503)
      expect(await ready.json()).toMatchObject({
        reasons: [expect.stringMatching(said)],
        checks: { database: 'failed' },
      })
      expect(service.log()).toMatch(said)
      expect(await service.kill('SIGTERM')).toBe(4)
      expect(service.log()).toContain('Stopped, so that nothing is acknowledged that is not on disk.')
    })
  }

  test('a database that is moved back is taken up again, and all that was answered is in it', async () => {
    const data = dataDirectory()
    await using service = await serve(data)
    expect((await put(service.url, 0)).status).toBe(201)
    renameSync(data, `${data}-elsewhere`)
    expect((await put(service.url, 1)).status).toBe(500)
    renameSync(`${data}-elsewhere`, data)
    expect((await put(service.url, 2)).status).toBe(201)
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(200)
    expect(await service.kill('SIGTERM')).toBe(0)
    using database = new Sqlite(file(data), { readonly: true })
    expect(database.query('SELECT count(*) AS devices FROM device').get()).toEqual({ devices: 2 })
  })

  test('what other programs do with SQLite is none of it: they write, move the log, and make backups', async () => {
    const data = dataDirectory()
    await using service = await serve(data)
    for (let n = 0; n < CALLS; n++) {
      expect((await put(service.url, n)).status).toBeLessThan(300)
      using other = new Sqlite(file(data))
      other.run('PRAGMA busy_timeout = 5000')
      other.run('CREATE TABLE other (value TEXT) STRICT')
      other.run('INSERT INTO other VALUES (?)', ['x'.repeat(20_000)])
      other.run('DROP TABLE other')
      other.run(`PRAGMA wal_checkpoint(${['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'][n % 4]})`)
      expect((await put(service.url, 1000 + n)).status).toBe(201)
    }
    expect(await command(['backup', `${data}.backup`, '--data', data])).toMatchObject({ exitCode: 0 })
    expect((await put(service.url, 5000)).status).toBe(201)
    expect(await service.kill('SIGTERM')).toBe(0)
  })

  test('a backup that was put in its place is what the next start opens, without the log of the one before', async () => {
    const data = dataDirectory()
    await using service = await serve(data)
    for (let n = 0; n < CALLS; n++) await put(service.url, n)
    writeFileSync(file(data), readFileSync(backup))
    expect(await service.kill('SIGTERM')).toBe(4)
    expect(existsSync(file(data, '-wal.set-aside'))).toBe(true)
    await using next = await serve(data)
    expect((await put(next.url, 0)).status).toBe(201)
    expect(await next.kill('SIGTERM')).toBe(0)
    expect(statSync(file(data)).size).toBeGreaterThan(0)
    using database = new Sqlite(file(data), { readonly: true })
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(database.query('SELECT count(*) AS devices FROM device').get()).toEqual({ devices: 1 })
  })
})
