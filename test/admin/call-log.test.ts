import { expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { createAdminCaller } from './admin-caller.ts'
import { fileService } from '../support/file-service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

interface Rows {
  readonly changes: number
  readonly entries: number
}

/** At each sync: what a process that is killed there leaves. */
let left: Rows[] | null = null
const service = await fileService({
  sync: (own) => ({
    now: () => own.now(),
    async later() {
      left?.push(afterKill())
      await own.later()
      left?.push(afterKill())
    },
  }),
})
const call = createAdminCaller(service)
const v1 = `/api/applications/${service.application.id}/v1`

/** The next start would read the database and its log as they are on disk. */
function afterKill(): Rows {
  using directory = temporaryDirectory('bellhop')
  for (const name of ['bellhop.db', 'bellhop.db-wal']) {
    const path = join(service.data, name)
    if (existsSync(path)) copyFileSync(path, join(directory.path, name))
  }
  using database = openDatabase(directory.path)
  const count = (sql: string) => database.statement<{ count: number }, []>(sql).get()?.count ?? 0
  return {
    changes: count(
      `SELECT (SELECT count(*) FROM push) + (SELECT count(*) FROM device)
         + (SELECT count(*) FROM label) AS count`,
    ),
    entries: count("SELECT count(*) AS count FROM admin_log WHERE result = 'ok'"),
  }
}

/** What was left at each moment while `work` ran. */
async function watched(work: () => Promise<unknown>): Promise<readonly Rows[]> {
  left = []
  await work()
  const seen = left
  left = null
  return seen
}

test('no change of the public API on behalf of an application is ever there without its entry in the log', async () => {
  const device = { token: 'a1'.repeat(32), platform: 0 }
  const push = { platform: [0], msg: 'Hello', sound: '', badge: '' }
  const { changes, entries } = afterKill()
  const seen = await watched(async () => {
    expect(await call('PUT', `${v1}/deviceToken`, device)).toMatchObject({ status: 201 })
    expect(await call('PUT', `${v1}/tag`, { ...device, tag: 'new' })).toMatchObject({ status: 201 })
    expect(await call('POST', `${v1}/push/all`, push)).toMatchObject({ status: 200 })
  })
  expect(seen.at(-1)).toEqual({ changes: changes + 3, entries: entries + 3 })
  expect(seen.filter((rows) => rows.changes !== rows.entries)).toEqual([])
})

test('of several at once each has its own, and one that changes nothing has none', async () => {
  const before = afterKill()
  const tokens = Array.from({ length: 5 }, (_, n) => `b${n}`.repeat(32))
  const seen = await watched(() =>
    Promise.all([
      ...tokens.map((token) => call('PUT', `${v1}/deviceToken`, { token, platform: 0 })),
      call('POST', `${v1}/push/019a9f7e-3c1b-7000-8000-000000000000/cancel`),
      call('PUT', `${v1}/deviceToken/del`, { token: 'c0'.repeat(32), platform: 0 }),
    ]),
  )
  const after = { changes: before.changes + tokens.length, entries: before.entries + tokens.length }
  expect(afterKill()).toEqual(after)
  expect(seen.filter(({ changes, entries }) => changes !== entries)).toEqual([])
})
