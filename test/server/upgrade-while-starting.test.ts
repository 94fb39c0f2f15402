import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { contentOf, oldDatabase } from '../support/old-database.ts'
import { PROGRAM, serve } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const OLD = 20
const PATIENCE_MS = 20_000

const parent = directoryOfTests('bellhop-upgrading')

/** `serve` and its output so far. The service does not become ready while another process holds the database. */
function starting(data: string) {
  const addresses = ['--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
  const child = Bun.spawn([...PROGRAM, 'serve', `--data=${data}`, ...addresses], { stdout: 'pipe', stderr: 'pipe' })
  let log = ''
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stderr) log += decoder.decode(chunk, { stream: true })
  })()
  return { child, log: () => log }
}

test('an upgrade says every two seconds how far it is, and a signal ends it with the database as it was', async () => {
  const data = join(parent, 'data')
  const path = oldDatabase(data, OLD)
  const before = contentOf(path)
  using other = new Sqlite(path, { readwrite: true })
  other.run('BEGIN IMMEDIATE')
  const { child, log } = starting(data)
  await until(() => log().includes('"the database upgrade continues"'))
  expect(log()).toMatch(/"the database upgrade continues","seconds":\d+/)

  const signalledAt = performance.now()
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(performance.now() - signalledAt).toBeLessThan(PATIENCE_MS)
  expect(log()).toContain('Stopped during the database upgrade')
  other.run('ROLLBACK')
  expect(other.query('PRAGMA user_version').get()).toEqual({ user_version: OLD })
  expect(contentOf(path)).toEqual(before)
})

test('a start that upgrades on a thread finds the database of this version, and its copy beside it', async () => {
  const data = join(parent, 'upgraded')
  const path = oldDatabase(data, OLD)
  await using service = await serve(data)
  expect((await fetch(`${service.adminUrl}/healthz`)).status).toBe(200)
  expect(service.log()).toContain('"upgrading the database"')
  expect(service.log()).toContain('"upgraded the database; delete its copy when everything works"')
  expect(existsSync(`${path}.before-${NEWEST_SCHEMA}`)).toBe(true)
  expect(readdirSync(data).filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(await service.kill('SIGTERM')).toBe(0)
})
