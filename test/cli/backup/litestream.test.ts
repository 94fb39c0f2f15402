import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readDatabaseFile } from '../../../src/database/offline-database.ts'
import { directoryOfEachTest } from '../../support/directory-of-tests.ts'
import { startS3 } from '../../support/s3-service.ts'
import { commandLine, refused } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

/* Litestream 0.3.13's copy of a server with ten registrations every two seconds, and `min-checkpoint-page-count: 12` for short WAL files. Only the first five files, the last one cut after its first part. */
const RECORDED = join(import.meta.dir, 'litestream-0.3.13')
const GENERATION = 'generations/c45890c6b2b1e4ae/'
const SNAPSHOT = `${GENERATION}snapshots/00000000.snapshot.lz4`
const wal = (name: string) => `${GENERATION}wal/${name}.wal.lz4`

/** A restore upgrades nothing. */
const OLDER = 'bellhop: This was not recorded in the audit log: the database has schema 39, and is left as it is.\n'

const BEGIN = Date.parse('2026-11-20T11:59:00Z')

const root = directoryOfEachTest('bellhop-litestream')
let replica: string
let line: CommandLine
let files: string[]

beforeEach(() => {
  replica = join(root(), 'replica')
  cpSync(RECORDED, replica, { recursive: true })
  const segments = readdirSync(join(replica, GENERATION, 'wal')).toSorted()
  files = [SNAPSHOT, ...segments.map((name) => `${GENERATION}wal/${name}`)]
  // One a second.
  for (const [at, name] of files.entries()) utimesSync(join(replica, name), 0, BEGIN / 1000 + at)
  line = commandLine({ isEmpty: true })
})
afterEach(() => line[Symbol.dispose]())

function devices(): number {
  using file = readDatabaseFile(join(line.data, 'bellhop.db'))
  return file.all<{ n: number }>('SELECT count(*) AS n FROM device')[0]?.n ?? 0
}

const restore = (...more: readonly string[]) => line.run(['restore', '--litestream', replica, ...more])

test('a replica is restored, and its age is told', async () => {
  const { exitCode, stdout, stderr } = await restore()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: OLDER })
  expect(stdout).toStartWith(`${join(line.data, 'bellhop.db')} was restored from the Litestream replica ${replica}.\n`)
  const at = `2026-11-20 11:59:${String(files.length - 1).padStart(2, '0')} UTC`
  expect(stdout).toContain(
    `It was copied at ${at}, ${61 - files.length}.0 s ago. What was stored after that is lost.\n`,
  )
  expect(devices()).toBe(11)
  expect(readdirSync(line.data).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
})

test('--at restores what it was at that time', async () => {
  const at = new Date(BEGIN + 2_000).toISOString()
  expect(await restore('--at', at, '--json')).toMatchObject({ exitCode: 0, stderr: OLDER })
  expect(devices()).toBe(2)
  expect(await restore('--at', '2026-11-20T11:00:00Z')).toEqual(
    refused(1, `${replica}: --at: the replica begins at 2026-11-20 11:59:00 UTC.`),
  )
})

test('the newest generation is taken, and of it the newest snapshot', async () => {
  const older = join(replica, 'generations/0000000000000001')
  cpSync(join(replica, GENERATION), older, { recursive: true })
  rmSync(join(older, 'snapshots'), { recursive: true })
  for (const name of readdirSync(join(older, 'wal'))) utimesSync(join(older, 'wal', name), 0, BEGIN / 1000 - 60)
  expect(await restore()).toMatchObject({ exitCode: 0, stderr: OLDER })
  expect(devices()).toBe(11)

  const snapshot = `${GENERATION}snapshots/00000004.snapshot.lz4`
  writeFileSync(join(replica, snapshot), '')
  expect(await restore()).toEqual(refused(1, `${replica}: ${snapshot} is empty.`))
})

test('a bucket is read too', async () => {
  await using s3 = startS3()
  for (const name of files) s3.objects.set(`live/${name}`, readFileSync(join(replica, name)))
  const { exitCode, stdout, stderr } = await line.run(
    ['restore', '--litestream', 's3://backups/live', '--json'],
    s3.env,
  )
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: OLDER })
  expect(JSON.parse(stdout)).toMatchObject({ devices: 11, copiedAt: '2026-11-20T12:00:00.000Z' })
})

test('verify reads all of it and changes nothing', async () => {
  const { exitCode, stdout } = await line.run(['backup', 'verify', '--litestream', replica])
  expect(exitCode).toBe(0)
  expect(stdout).toContain(`the Litestream replica ${replica} is a good backup.\nIn it: 1 application, 11 devices`)
  expect(existsSync(join(line.data, 'bellhop.db'))).toBe(false)
})

describe('a replica that is not whole says what is wrong, and the database stays', () => {
  const remove = (name: string) => rmSync(join(replica, name))
  const cut = (name: string, bytes: number) => truncateSync(join(replica, name), bytes)
  function flip(name: string, at: number) {
    const bytes = readFileSync(join(replica, name))
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(join(replica, name), bytes)
  }

  test.each<[string, () => void, string]>([
    ['the first part of two', () => remove(wal('00000001_00000000')), `${wal('00000001_00000000')} is missing.`],
    [
      'all parts of a WAL file',
      () => ['00000001_00000000', '00000001_00001038'].forEach((name) => remove(wal(name))),
      `${wal('00000001_00000000')} is missing.`,
    ],
    ['the first part of three', () => remove(wal('00000003_00000000')), `${wal('00000003_00000000')} is missing.`],
    ['a later part', () => remove(wal('00000003_00001038')), `${wal('00000003_00001038')} is missing.`],
    [
      'all WAL files',
      () => rmSync(join(replica, GENERATION, 'wal'), { recursive: true }),
      `${wal('00000000_00000000')} is missing.`,
    ],
    [
      'the snapshot',
      () => remove(SNAPSHOT),
      `${GENERATION}snapshots/ has no snapshot, so nothing of it can be restored.`,
    ],
    ['the end of the snapshot', () => cut(SNAPSHOT, 9000), `${SNAPSHOT} is cut off.`],
    ['the end of a part', () => cut(wal('00000002_00001038'), 1000), `${wal('00000002_00001038')} is cut off.`],
    ['its checksum', () => cut(wal('00000002_00001038'), 1556), `${wal('00000002_00001038')} is cut off.`],
    ['what is in a part', () => cut(wal('00000004_00000000'), 0), `${wal('00000004_00000000')} is empty.`],
    ['a bit of the snapshot', () => flip(SNAPSHOT, 9000), `${SNAPSHOT} is damaged: its checksum differs.`],
    [
      'a bit of a part',
      () => flip(wal('00000001_00001038'), 400),
      `${wal('00000001_00001038')}, or one before it with its index, is damaged: SQLite does not take all of it.`,
    ],
    ['the format', () => writeFileSync(join(replica, SNAPSHOT), 'SQLite format 3'), `${SNAPSHOT} is not LZ4.`],
    [
      'everything',
      () => rmSync(join(replica, 'generations'), { recursive: true }),
      'There is no replica of Litestream 0.3, which is a folder generations/. (0.5 writes ltx/ instead.)',
    ],
  ])('%s', async (_, damage, what) => {
    expect(await restore()).toMatchObject({ exitCode: 0 })
    const path = join(line.data, 'bellhop.db')
    const { ino } = statSync(path)
    damage()
    // Rewriting a file does not make it newer.
    for (const [at, name] of files.entries()) {
      if (existsSync(join(replica, name))) utimesSync(join(replica, name), 0, BEGIN / 1000 + at)
    }
    expect(await restore('--yes')).toEqual(refused(1, `${replica}: ${what}`))
    // The same file with one more audit entry.
    expect(statSync(path).ino).toBe(ino)
    expect(devices()).toBe(11)
    expect(readdirSync(line.data).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
  })
})

test.each([
  [['restore'], 'Name one backup: FROM or --litestream URL.'],
  [['restore', 'a.db', '--litestream', 's3://backups/live'], 'Name one backup: FROM or --litestream URL.'],
  [['backup', 'verify', 'a.db', '--at', '2026-11-20T12:00:00Z'], '--at: only with --litestream.'],
  [
    ['restore', '--litestream', 'gs://backups/live'],
    '--litestream: "gs://backups/live" is not a place for backups: a path, or s3://bucket/prefix/.',
  ],
])('%p is no usage', async (argv, what) => {
  const { exitCode, stderr } = await line.run(argv)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(what)
})
