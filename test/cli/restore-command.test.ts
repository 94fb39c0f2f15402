import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { dataDirectories } from '../backup/data.ts'
import { commandLine } from './command-line.ts'
import type { CommandLine } from './command-line.ts'

const HOUR_MS = 3_600_000

let directories: ReturnType<typeof dataDirectories>
let line: CommandLine
let data: string
let backup: string

/** A data directory with 3 devices, and a backup of it; then an hour passes. */
beforeEach(async () => {
  directories = dataDirectories()
  line = commandLine()
  data = directories.make('data', 3)
  backup = directories.path('backup.db')
  expect(await bellhop('backup', backup)).toMatchObject({ exitCode: 0 })
  for (const { clock } of [directories, line]) clock.advance(HOUR_MS)
})
afterEach(() => {
  line[Symbol.dispose]()
  directories[Symbol.dispose]()
})

function bellhop(...argv: readonly string[]) {
  return line.run(argv, { BELLHOP_DATA: data })
}

function devicesIn(path: string): number {
  return directories.rows<{ n: number }>(path, 'SELECT count(*) AS n FROM device')[0]?.n ?? 0
}

const CONTENT =
  'In it: 1 application, 3 devices, 0 pushes, 0 sealed credentials. The last change in it is of 2026-11-20 12:00:00 UTC.'

describe('restore', () => {
  test('over a database that has nothing else keeps that one, under another name', async () => {
    const path = join(data, 'bellhop.db')
    expect(await bellhop('restore', backup)).toEqual({
      exitCode: 0,
      stdout: `${path} is restored from ${backup}.
${CONTENT}
The database that was there is now ${path}.replaced-2026-11-20T130000Z: remove it when you are sure.
Start the service now.
`,
      stderr: '',
    })
    expect(devicesIn(path)).toBe(3)
    expect(devicesIn(`${path}.replaced-2026-11-20T130000Z`)).toBe(3)
    expect(readdirSync(data).toSorted()).toEqual([
      'bellhop.db',
      'bellhop.db.replaced-2026-11-20T130000Z',
      'serving.lock',
    ])
  })

  test('over a newer one only with --yes, and says first what would be lost', async () => {
    directories.register(data, 2)
    directories.push(data, { delivery: { finishedAt: directories.clock.now() } })
    const path = join(data, 'bellhop.db')
    expect(await bellhop('restore', backup)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: ${path} is newer than the backup: since then 2 devices registered, 0 devices changed and 1 push made, the last change at 2026-11-20 13:00:00 UTC. Nothing is changed: --yes restores all the same, and keeps it.\n`,
    })
    expect(devicesIn(path)).toBe(5)
    expect(await bellhop('restore', backup, '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(devicesIn(path)).toBe(3)
    expect(devicesIn(`${path}.replaced-2026-11-20T130000Z`)).toBe(5)
  })

  test('over the database of another service only with --yes', async () => {
    const other = directories.make('other', 1, 'Other Shop')
    // Older than the backup, and yet not an earlier state of it.
    const late = directories.path('late.db')
    directories.clock.advance(HOUR_MS)
    directories.register(data, 1)
    expect(await bellhop('backup', late)).toMatchObject({ exitCode: 0 })
    expect(await line.run(['restore', late], { BELLHOP_DATA: other })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: ${join(other, 'bellhop.db')} is not an older or newer state of the backup: that has no application "Other Shop". Nothing is changed: --yes restores all the same, and keeps it.\n`,
    })
  })

  test('over a damaged one only with --yes, and keeps it as it is', async () => {
    const path = join(data, 'bellhop.db')
    const damaged = Buffer.from('no database at all '.repeat(1000))
    writeFileSync(path, damaged)
    expect(await bellhop('restore', backup)).toMatchObject({
      exitCode: 1,
      stderr: `bellhop: ${path} is damaged, so what it has that the backup does not have cannot be told: file is not a database (SQLITE_NOTADB). Nothing is changed: --yes restores all the same, and keeps it.\n`,
    })
    expect(readFileSync(path)).toEqual(damaged)
    expect(await bellhop('restore', backup, '--yes')).toMatchObject({ exitCode: 0 })
    expect(devicesIn(path)).toBe(3)
    expect(readFileSync(`${path}.replaced-2026-11-20T130000Z`)).toEqual(damaged)
  })

  test('not while a Bellhop serves the directory', async () => {
    using _ = lockDirectory(data)
    expect(await bellhop('restore', backup, '--yes')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: A Bellhop serves the data directory ${data}: stop it, restore, and start it again.\n`,
    })
  })

  test('into a directory that does not exist yet; a mistake in the name makes none', async () => {
    const into = directories.path('new')
    expect(await bellhop('restore', directories.path('bakcup.db'), '--data', into)).toMatchObject({
      exitCode: 1,
      stderr: `bellhop: There is no file ${directories.path('bakcup.db')}.\n`,
    })
    expect(existsSync(into)).toBeFalse()
    expect(await bellhop('restore', backup, '--data', into)).toMatchObject({ exitCode: 0 })
    expect(devicesIn(join(into, 'bellhop.db'))).toBe(3)
  })

  test('after one that was killed in the middle goes through', async () => {
    mkdirSync(join(data, 'restoring'))
    writeFileSync(join(data, 'restoring', 'bellhop.db'), 'half')
    expect(await bellhop('restore', backup)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(devicesIn(join(data, 'bellhop.db'))).toBe(3)
    expect(readdirSync(data)).not.toContain('restoring')
  })

  test('a copy made by hand, with what is still in its log, is as good', async () => {
    const data2 = directories.path('by hand')
    const killed = Bun.spawnSync(
      [
        process.execPath,
        '-e',
        `const { copyDatabase } = await import('../../src/database/plain-file.ts')
       const { Database } = await import('bun:sqlite')
       const { mkdirSync } = await import('node:fs')
       mkdirSync(${JSON.stringify(data2)})
       copyDatabase(${JSON.stringify(backup)}, ${JSON.stringify(`${data2}/x.db`)})
       const file = new Database(${JSON.stringify(`${data2}/x.db`)})
       file.run('PRAGMA journal_mode = WAL')
       file.run('DELETE FROM device WHERE id = 1')
       process.kill(process.pid, 'SIGKILL')`,
      ],
      { cwd: import.meta.dir },
    )
    expect(killed.signalCode).toBe('SIGKILL')
    expect(await bellhop('restore', `${data2}/x.db`, '--data', directories.path('new'))).toMatchObject({ exitCode: 0 })
    expect(devicesIn(directories.path('new/bellhop.db'))).toBe(2)
  })
})

describe('what was not sent yet when the backup was made', () => {
  beforeEach(async () => {
    const now = directories.clock.now()
    directories.push(data, { delivery: { finishedAt: null, waiting: 1 } })
    directories.push(data, { sendAt: now + HOUR_MS, releasedAt: null })
    directories.push(data, { sendAt: now + 48 * HOUR_MS, releasedAt: null })
    backup = directories.path('busy.db')
    expect(await bellhop('backup', backup)).toMatchObject({ exitCode: 0 })
    for (const { clock } of [directories, line]) clock.advance(2 * HOUR_MS)
  })

  const cancelled = () =>
    directories
      .rows<{ number: number }>(join(data, 'bellhop.db'), 'SELECT number FROM push WHERE cancelled_at IS NOT NULL')
      .map(({ number }) => number)

  test('is cancelled, since it has probably gone out, and said', async () => {
    const { stdout } = await bellhop('restore', backup)
    expect(stdout).toContain(
      'Cancelled, since they have probably gone out: 1 push being sent when the backup was made, 1 push scheduled for a time that has passed.\n',
    )
    expect(cancelled()).toEqual([1, 2])
  })

  test('is sent with --resume-pushes, which says that phones may get it twice', async () => {
    const { stdout } = await bellhop('restore', backup, '--resume-pushes')
    expect(stdout).toContain('What was not sent when the backup was made is sent now: phones may get it twice.\n')
    expect(cancelled()).toEqual([])
  })

  test('--json is one line', async () => {
    expect(JSON.parse((await bellhop('restore', backup, '--json')).stdout)).toMatchObject({
      data,
      devices: 3,
      pushes: 3,
      kept: join(data, 'bellhop.db.replaced-2026-11-20T150000Z'),
      cancelledPushes: 2,
      key: 'opens',
    })
  })
})
