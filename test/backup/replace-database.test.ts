import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceDatabase } from '../../src/backup/replace-database.ts'
import { inspect } from '../../src/backup/summary.ts'
import { openDatabase } from '../../src/database/database.ts'
import { copyDatabase } from '../../src/database/offline-database.ts'
import { dataDirectories } from './data.ts'

class Stopped extends Error {}

/** 3 devices, some only in the log, and a backup of another directory with 5. */
function oldAndNew(directories: ReturnType<typeof dataDirectories>) {
  const data = directories.make('data', 3)
  const by = directories.path('new.db')
  copyDatabase(join(directories.make('other', 5), 'bellhop.db'), by)
  const path = join(data, 'bellhop.db')
  return { data, path, by, keepAs: `${path}.replaced-x` }
}

function devicesIn(path: string): number | null {
  const found = inspect(path, 'full')
  return found.kind === 'good' ? found.content.devices : null
}

/** A killed process leaves its log, which alone holds its last commits. */
function withLog(path: string): void {
  const killed = Bun.spawnSync([
    process.execPath,
    '-e',
    `const { Database } = await import('bun:sqlite')
     const file = new Database(${JSON.stringify(path)})
     file.run('PRAGMA journal_mode = WAL')
     file.run('UPDATE device SET badge = 1')
     file.run("INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at) VALUES (1, 0, x'00', 1, 1, 1)")
     process.kill(process.pid, 'SIGKILL')`,
  ])
  if (killed.signalCode !== 'SIGKILL') throw new Error(killed.stderr.toString())
}

describe('a database is replaced', () => {
  test('in one step, and the old one is kept as one file with what was in its log', () => {
    using directories = dataDirectories()
    const { data, path, by, keepAs } = oldAndNew(directories)
    withLog(path)
    expect(existsSync(`${path}-wal`)).toBeTrue()
    expect(replaceDatabase({ path, by, keepAs })).toEqual({ kind: 'replaced', kept: keepAs })
    expect(devicesIn(path)).toBe(5)
    expect(devicesIn(keepAs)).toBe(4)
    expect(readdirSync(data).toSorted()).toEqual(['bellhop.db', 'bellhop.db.replaced-x'])
  })

  test('whatever ends the process in between, one of the two is whole in its place', () => {
    for (const at of ['alone', 'kept', 'set aside']) {
      using directories = dataDirectories()
      const { path, by, keepAs } = oldAndNew(directories)
      withLog(path)
      const step = (name: string) => {
        if (name === at) throw new Stopped()
      }
      expect(() => replaceDatabase({ path, by, keepAs, step })).toThrow(Stopped)
      expect(devicesIn(path)).toBe(4)
      // The next try works under another name.
      expect(replaceDatabase({ path, by, keepAs: `${keepAs}-again` })).toMatchObject({ kind: 'replaced' })
      expect(devicesIn(path)).toBe(5)
      expect(devicesIn(`${keepAs}-again`)).toBe(4)
    }
  })

  test('not while another process has it open', () => {
    using directories = dataDirectories()
    const { path, by, keepAs } = oldAndNew(directories)
    using open = openDatabase(directories.path('data'))
    expect(open.statement<{ n: number }, []>('SELECT count(*) AS n FROM device').get()).toEqual({ n: 3 })
    expect(replaceDatabase({ path, by, keepAs, patienceMs: 0 })).toEqual({
      kind: 'problem',
      problem: `Another process has the database ${path} open: end it, then try again.`,
    })
    expect(existsSync(keepAs)).toBeFalse()
    expect(existsSync(by)).toBeTrue()
  })

  test('one that is damaged is kept as it is, and no log of it stays beside the new one', () => {
    using directories = dataDirectories()
    const { data, path, by, keepAs } = oldAndNew(directories)
    const damaged = Buffer.from('no database at all '.repeat(1000))
    writeFileSync(path, damaged)
    for (const suffix of ['-wal', '-shm', '-journal']) writeFileSync(path + suffix, damaged)
    expect(replaceDatabase({ path, by, keepAs })).toEqual({ kind: 'replaced', kept: keepAs })
    expect(devicesIn(path)).toBe(5)
    expect(readFileSync(keepAs)).toEqual(damaged)
    const beside = readdirSync(data).filter((name) => name.startsWith('bellhop.db-'))
    expect(beside).toEqual([])
  })

  test('into a place where there is none, with a log that somebody left there', () => {
    using directories = dataDirectories()
    const { path, by, keepAs } = oldAndNew(directories)
    const empty = directories.path('empty.db')
    copyFileSync(by, `${empty}-wal`)
    expect(replaceDatabase({ path: empty, by, keepAs })).toEqual({ kind: 'replaced', kept: null })
    expect(devicesIn(empty)).toBe(5)
    expect(existsSync(`${empty}-wal`)).toBeFalse()
    expect(path).not.toBe(empty)
  })
})
