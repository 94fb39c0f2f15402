import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { differenceOf } from '../../src/backup/compare.ts'
import { inspect } from '../../src/backup/summary.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { copyDatabase, writeDatabaseFile } from '../../src/database/offline-database.ts'
import { cancelOpenPushes } from '../../src/push/restored-push-store.ts'
import { dataDirectories } from '../backup/data.ts'

const HOUR_MS = 3_600_000

interface PushRow {
  number: number
  released_at: number | null
  cancelled_at: number | null
}

function calledOff(directories: ReturnType<typeof dataDirectories>, data: string) {
  const copy = directories.path('copy.db')
  copyDatabase(join(data, 'bellhop.db'), copy)
  using database = writeDatabaseFile(copy)
  const outcome = cancelOpenPushes(database, NEWEST_SCHEMA, directories.clock.now())
  const pushes = database.all<PushRow>('SELECT number, released_at, cancelled_at FROM push ORDER BY number')
  return { outcome, pushes, deliveries: database.all('SELECT * FROM delivery'), database: copy }
}

test('what was being sent, or waited to be tried again, is cancelled, and ends as the API would have ended it', () => {
  using directories = dataDirectories()
  const data = directories.make('data')
  const madeAt = directories.clock.now()
  directories.push(data, { delivery: { finishedAt: madeAt } })
  directories.push(data, { delivery: { finishedAt: null, waiting: 2 } })
  directories.push(data, { delivery: { finishedAt: null } })
  directories.clock.advance(HOUR_MS)
  const now = directories.clock.now()

  const { outcome, pushes, deliveries, database } = calledOff(directories, data)
  expect(outcome).toEqual({ open: 2, scheduled: 0 })
  expect(pushes.map(({ cancelled_at }) => cancelled_at)).toEqual([null, now, now])
  expect(deliveries).toMatchObject([
    { push: 1, finished_at: madeAt, failed: 1 },
    { push: 2, finished_at: now, failed: 3 },
    { push: 3, finished_at: now, failed: 1 },
  ])
  expect(directories.rows(database, 'SELECT push, device, state, reason, due_at FROM push_exception')).toEqual([
    { push: 2, device: 1, state: 'expired', reason: 'cancelled', due_at: now },
    { push: 2, device: 2, state: 'expired', reason: 'cancelled', due_at: now },
  ])
})

test('what was scheduled for a time that has passed is cancelled, what is still to come stays', () => {
  using directories = dataDirectories()
  const data = directories.make('data')
  const noon = directories.clock.now()
  directories.push(data, { sendAt: noon + HOUR_MS, releasedAt: null })
  directories.push(data, { sendAt: noon + 3 * HOUR_MS, releasedAt: null })
  directories.clock.advance(2 * HOUR_MS)

  const { outcome, pushes } = calledOff(directories, data)
  expect(outcome).toEqual({ open: 0, scheduled: 1 })
  expect(pushes).toEqual([
    { number: 1, released_at: null, cancelled_at: directories.clock.now() },
    { number: 2, released_at: null, cancelled_at: null },
  ])
})

test('of a push by local time the waves that have passed are cancelled, and it goes on with the others', () => {
  using directories = dataDirectories()
  const data = directories.make('data')
  const noon = directories.clock.now()
  const waves = [noon + HOUR_MS, noon + 2 * HOUR_MS, noon + 5 * HOUR_MS]
  const whole = directories.push(data, { sendAt: noon + HOUR_MS, releasedAt: null })
  for (const sendAt of waves) directories.push(data, { sendAt, releasedAt: null, parent: whole })
  directories.clock.advance(3 * HOUR_MS)
  const now = directories.clock.now()

  const { outcome, pushes } = calledOff(directories, data)
  expect(outcome).toEqual({ open: 0, scheduled: 1 })
  expect(pushes).toEqual([
    // Released when its first turn was, not at the restore.
    { number: 1, released_at: noon + HOUR_MS, cancelled_at: null },
    { number: 2, released_at: null, cancelled_at: now },
    { number: 3, released_at: null, cancelled_at: now },
    { number: 4, released_at: null, cancelled_at: null },
  ])
})

test('one whose last turn was being sent, or has passed, is cancelled as a whole', () => {
  using directories = dataDirectories()
  const data = directories.make('data')
  const noon = directories.clock.now()
  const sending = directories.push(data, { sendAt: noon })
  directories.push(data, { sendAt: noon, parent: sending, delivery: { finishedAt: null } })
  const waiting = directories.push(data, { sendAt: noon + HOUR_MS, releasedAt: null })
  directories.push(data, { sendAt: noon + HOUR_MS, releasedAt: null, parent: waiting })
  directories.clock.advance(2 * HOUR_MS)

  const { outcome, pushes } = calledOff(directories, data)
  expect(outcome).toEqual({ open: 1, scheduled: 1 })
  expect(pushes.map(({ cancelled_at }) => cancelled_at !== null)).toEqual([true, true, true, true])
})

test('in a backup of the first Bellhop, which knows no cancelled push, its deliveries end, and its schema stays', () => {
  using directories = dataDirectories()
  const path = directories.path('old.db')
  const old = new Database(path)
  old.run(MIGRATIONS[0]?.sql ?? '')
  old.run('PRAGMA user_version = 1')
  old.run(`INSERT INTO application VALUES (1, 'a', 'Shop', x'', 0, 1, 0, 1, 0, 'day', 0, 5)`)
  old.run(`INSERT INTO push VALUES (1, 'p', 1, '{}', '{}', 0, 0, 7, 8)`)
  old.run('INSERT INTO delivery (push, platform, application, lane) VALUES (1, 0, 1, 1)')
  old.close()
  expect(inspect(path, 'full')).toMatchObject({ kind: 'good', content: { schema: 1, pushes: 1, newestAt: 7 } })
  expect(differenceOf(path, { newestAt: 6, applications: ['a'] })).toMatchObject({ kind: 'newer', pushes: 1 })

  using database = writeDatabaseFile(path)
  expect(cancelOpenPushes(database, 1, 9)).toEqual({ open: 1, scheduled: 0 })
  expect(database.all('SELECT finished_at FROM delivery')).toEqual([{ finished_at: 9 }])
  expect(database.all('PRAGMA user_version')).toEqual([{ user_version: 1 }])
})
