import { expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/database/database.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { upgrade } from '../../src/database/migration/upgrade.ts'
import { arrivalsOf, tokensReached } from '../support/arrivals.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'
import { inTurn } from '../support/in-turn.ts'
import { APPLICATION, OPEN_PUSH, REGISTERED, RETRIED_PUSH, contentOf, oldDatabase } from '../support/old-database.ts'
import { startService } from '../support/service.ts'

const LATEST = NEWEST_SCHEMA

const directory = directoryOfEachTest('bellhop-upgrade')

function schemaOf(path: string): readonly unknown[] {
  using database = new Sqlite(path, { readonly: true })
  return database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').values()
}

function read(path: string, sql: string): readonly unknown[] {
  using database = new Sqlite(path, { readonly: true })
  return database.query(sql).values()
}

for (const { number: schema } of inTurn(MIGRATIONS.slice(0, -1))) {
  test(`a database of schema ${schema} is upgraded with everything in it, and a copy of it stays`, () => {
    const path = oldDatabase(directory(), schema)
    const before = contentOf(path)
    expect(Object.values(before).every(({ rows }) => rows.length > 0)).toBe(true)

    openDatabase(directory())[Symbol.dispose]()
    expect(contentOf(path, before)).toEqual(before)
    expect(read(path, 'PRAGMA user_version')).toEqual([[LATEST]])
    expect(read(path, 'PRAGMA integrity_check')).toEqual([['ok']])
    expect(read(path, 'PRAGMA foreign_key_check')).toEqual([])
    const fresh = join(directory(), 'fresh')
    openDatabase(fresh)[Symbol.dispose]()
    expect(schemaOf(path)).toEqual(schemaOf(join(fresh, 'bellhop.db')))

    const copy = `${path}.before-${LATEST}`
    expect(contentOf(copy)).toEqual(before)
    expect(read(copy, 'PRAGMA user_version')).toEqual([[schema]])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    // The binary of that schema takes it for its own.
    using old = new Sqlite(copy)
    upgrade(old, copy, {
      migrations: MIGRATIONS.filter(({ number }) => number <= schema),
      report: () => expect.unreachable(),
    })
  })
}

test('jumps of the clock that a process did not live to follow are followed once by each time to live', () => {
  const path = oldDatabase(directory(), 27)
  const [hour, day] = [3_600_000, 86_400_000]
  {
    using old = new Sqlite(path)
    const { now } = old.query<{ now: number }, []>('SELECT created_at AS now FROM push WHERE number = 2').get() ?? {}
    if (now === undefined) throw new Error('there is no push 2')
    const jump = old.query('INSERT INTO clock_jump (number, by_ms, since, until, reached) VALUES (?, ?, ?, ?, ?)')
    old.run('DELETE FROM clock_jump')
    // The first has reached the delivery of push 3; who was accepted after the second is by the new time already.
    const at = old.query<{ at: number }, []>('SELECT expires_at AS at FROM delivery WHERE push = 3').get()?.at ?? 0
    jump.run(1, day, now + day, now + day, JSON.stringify([1, 0, 1, at, 3]))
    jump.run(2, -hour, now + 2, now + 5, null)
    old.run(`UPDATE push SET created_at = ${now + 3}, released_at = ${now + 3} WHERE number = 3`)
    old.run(`UPDATE delivery SET waits_until = expires_at + ${day} WHERE push = 3`)
  }
  const ends = () =>
    read(path, 'SELECT push, platform, expires_at FROM delivery WHERE finished_at IS NULL ORDER BY 1, 2') as number[][]
  const before = ends()
  openDatabase(directory())[Symbol.dispose]()
  // Push 2 lies before push 3 in the index for iOS, and behind it for Android.
  const byMs = new Map([
    ['2 0', day - hour],
    ['2 1', -hour],
    ['3 0', 0],
  ])
  expect(ends()).toEqual(
    before.map(([push = 0, platform = 0, at = 0]) => [push, platform, at + (byMs.get(`${push} ${platform}`) ?? 0)]),
  )
  const [[until]] = read(path, 'SELECT waits_until FROM delivery WHERE push = 3') as [[number]]
  expect(until).toBeLessThanOrEqual(Date.now() + hour)
})

test('a database of the first schema is served: its pushes go on, and new ones address the same devices', async () => {
  oldDatabase(directory(), 1, { simulated: true })
  await using service = await startService({ data: directory(), application: APPLICATION })
  const addressed = async (filter: object) =>
    (await service.post('/push/preview', { platform: [0, 1], msg: 'New', sound: '', badge: '', ...filter })).body.t
  expect(await addressed({})).toBe(3)
  expect(await addressed({ tags: 'vip' })).toBe(2)
  expect(await addressed({ active: 'news', platform: 0 })).toBe(1)
  expect(await addressed({ alias: 'cem' })).toBe(1)
  expect(await addressed({ near: { lat: 52.5, lng: 13.4, radius_km: 50 } })).toBe(1)
  expect((await arrivalsOf(service, OPEN_PUSH)).map(({ token }) => token).toSorted()).toEqual(REGISTERED.toSorted())
  expect((await arrivalsOf(service, RETRIED_PUSH)).map(({ token }) => token)).toEqual(REGISTERED.slice(2))
  const all = await service.post('/push/all', { platform: [0, 1], msg: 'New', sound: '', badge: '' })
  expect(await tokensReached(service, all)).toEqual(REGISTERED.toSorted())
  const tagged = await service.post('/push/all', { tags: 'vip', msg: 'New' })
  expect(await tokensReached(service, tagged)).toEqual(REGISTERED.slice(0, 2).toSorted())
})

test('an application that has more labels than the usual limit is given a limit of twice as many', () => {
  const path = oldDatabase(directory(), 8)
  {
    using database = new Sqlite(path)
    database.run(
      `INSERT INTO label (application, kind, name)
       WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 60000)
       SELECT 1, 0, 'user ' || value FROM n`,
    )
  }
  openDatabase(directory())[Symbol.dispose]()
  expect(read(path, 'SELECT application, devices, labels FROM registry_size ORDER BY 1')).toEqual([
    [1, 5, 60_002],
    [2, 1, 1],
  ])
  expect(read(path, 'SELECT max_labels, max_devices FROM application ORDER BY number')).toEqual([
    [120_004, 1_000_000],
    [100_000, 1_000_000],
  ])
})

test('the ids of devices that were erased before browsers became a platform do not come again', () => {
  const path = oldDatabase(directory(), 23)
  {
    using database = new Sqlite(path)
    database.run('DELETE FROM device WHERE id >= 5')
  }
  openDatabase(directory())[Symbol.dispose]()
  using database = new Sqlite(path)
  const browser = `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at)
    VALUES (1, 2, 'https://fcm.googleapis.com/wp/1', 0, 0, 0) RETURNING id`
  expect(database.query(browser).values()).toEqual([[7]])
  expect(read(path, "SELECT seq FROM sqlite_sequence WHERE name LIKE 'device%'")).toEqual([[7]])
})

test('whoever waited for another attempt when badges counted only what was accepted has it counted', () => {
  const path = oldDatabase(directory(), 27)
  {
    using database = new Sqlite(path)
    database.run('UPDATE device SET badge = 3')
    const notifications = [{ set: 9 }, { add: 1 }, { add: 2 }, { set: 7 }, null].map((badge) =>
      JSON.stringify({ badge }),
    )
    for (const [at, notification] of [...notifications, 'damaged'].entries()) {
      database.run(
        `INSERT INTO push (number, id, application, notification, audience, ceiling, created_at, expires_at)
         VALUES (?, ?, 1, ?, '{}', 6, 0, 0)`,
        [at + 10, `push ${at}`, notification],
      )
    }
    const waits = database.query(
      `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, reason) VALUES (?, 0, ?, ?, 1, 0, '')`,
    )
    for (const push of [10, 11, 12, 13, 14, 15]) waits.run(push, 1, 'retry')
    for (const push of [11, 12]) waits.run(push, 2, push === 11 ? 'leased' : 'rejected')
    waits.run(14, 3, 'retry')
  }
  openDatabase(directory())[Symbol.dispose]()
  expect(read(path, 'SELECT id, badge FROM device WHERE id < 5')).toEqual([
    [1, 10],
    [2, 4],
    [3, 3],
    [4, 3],
  ])
})

test('whoever made a token is known from the audit log, where that still has it', () => {
  const path = oldDatabase(directory(), 42)
  {
    using database = new Sqlite(path, { strict: true })
    const wrote = database.query(`INSERT INTO admin_log (at, who, action, subject, detail, result)
      VALUES (0, ?, 'make token', ?, '{}', ?)`)
    wrote.run('administrator ann', 'CI', 'ok')
    wrote.run('token other', 'ci', 'refused')
    database.run(`INSERT INTO admin_token (name, digest, created_at) VALUES ('older', x'00', 0)`)
  }
  openDatabase(directory())[Symbol.dispose]()
  expect(read(path, 'SELECT name, made_by FROM admin_token ORDER BY name')).toEqual([
    ['ci', 'administrator ann'],
    ['older', null],
  ])
})

test('tokens of before may do everything as they could, and have no end', () => {
  const path = oldDatabase(directory(), 32)
  openDatabase(directory())[Symbol.dispose]()
  const rows = read(path, 'SELECT purpose, expires_at FROM admin_token') as unknown[]
  expect(rows.length).toBeGreaterThan(0)
  expect(rows).toEqual(rows.map(() => ['administer', null]))
})
