import { describe, expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compact } from '../../src/backup/compact.ts'
import { inspect } from '../../src/backup/summary.ts'
import { openDatabase } from '../../src/database/database.ts'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { writeDatabaseFile } from '../../src/database/offline-database.ts'
import { dataDirectories } from './data.ts'

class Stopped extends Error {}

/** A database that is nearly all free after its devices left. */
function emptied(directories: ReturnType<typeof dataDirectories>, devices = 1000) {
  const data = directories.make('data', devices)
  const path = join(data, 'bellhop.db')
  using database = writeDatabaseFile(path)
  database.run('DELETE FROM device WHERE id > 3')
  return { data, path }
}

const contentOf = (path: string) => {
  const found = inspect(path, 'full')
  return found.kind === 'good' ? { ...found.content, sealed: [] } : found.problems
}

describe('a database is compacted', () => {
  test('to what is in it, with what was in its log, and stays the same otherwise', () => {
    using directories = dataDirectories()
    const { data, path } = emptied(directories, 20_000)
    const before = statSync(path).size
    const content = contentOf(path)
    const sequence = 'SELECT name, seq FROM sqlite_sequence ORDER BY name'
    const numbers = directories.rows(path, sequence)
    const done = compact({ data })
    expect(done).toEqual({ kind: 'compacted', database: path, beforeBytes: before, afterBytes: statSync(path).size })
    expect(before).toBeGreaterThan(2_000_000)
    expect(statSync(path).size).toBeLessThan(before / 8)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(contentOf(path)).toEqual(content)
    // An id is never reused.
    expect(directories.rows(path, sequence)).toEqual(numbers)
    expect(readdirSync(data).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
    // A server continues in WAL mode.
    using database = openDatabase(data)
    expect(database.statement<{ mode: string }, []>('PRAGMA journal_mode').get()).toEqual({
      journal_mode: 'wal',
    } as never)
  })

  test('whatever ends the process in between, it is whole, and the next time clears what was left', () => {
    for (const at of ['alone', 'copied']) {
      using directories = dataDirectories()
      const { data, path } = emptied(directories)
      const content = contentOf(path)
      const stopAt = (name: string) => {
        if (name === at) throw new Stopped()
      }
      expect(() => compact({ data, step: stopAt })).toThrow(Stopped)
      expect(contentOf(path)).toEqual(content)
      writeFileSync(join(data, 'bellhop.db.compact.partial'), 'of one that was killed')
      expect(compact({ data })).toMatchObject({ kind: 'compacted' })
      expect(contentOf(path)).toEqual(content)
      expect(readdirSync(data).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
    }
  })

  test('not while a server runs on it, or another process has it open', () => {
    using directories = dataDirectories()
    const { data, path } = emptied(directories)
    const size = statSync(path).size
    {
      using _ = lockDirectory(data)
      expect(compact({ data })).toEqual({
        kind: 'problem',
        problem: `A Bellhop serves the data directory ${data}: stop it, compact, and start it again.`,
      })
    }
    {
      using _ = openDatabase(data)
      expect(compact({ data, patienceMs: 10 })).toEqual({
        kind: 'problem',
        problem: `Another process has the database ${path} open: end it, then try again.`,
      })
    }
    expect(statSync(path).size).toBe(size)
  })

  test('not where there is no room for what is in it', () => {
    using directories = dataDirectories()
    const { data, path } = emptied(directories)
    const size = statSync(path).size
    const [{ used } = { used: 0 }] = directories.rows<{ used: number }>(
      path,
      'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
    )
    expect(compact({ data, freeIn: () => used - 1 })).toMatchObject({
      kind: 'problem',
      problem: expect.stringMatching(
        /^There is no room to compact \S+\/bellhop\.db: its copy needs \d+ KB, and \d+ KB are free\. Nothing has changed\.$/,
      ),
    })
    expect(statSync(path).size).toBe(size)
    expect(compact({ data, freeIn: () => used })).toMatchObject({ kind: 'compacted' })
    expect(statSync(path).size).toBeLessThanOrEqual(used)
  })

  test('nobody comes in between: who waits meanwhile writes to the new one, or not at all', () => {
    using directories = dataDirectories()
    const { data, path } = emptied(directories)
    const attempt = () =>
      Bun.spawnSync([
        process.execPath,
        '-e',
        `const { Database } = await import('bun:sqlite')
         const file = new Database(${JSON.stringify(path)})
         file.run('PRAGMA busy_timeout = 10')
         file.run('UPDATE device SET badge = 77')`,
      ]).stderr.toString()
    const refused: string[] = []
    compact({ data, step: () => void refused.push(attempt()) })
    expect(refused).toEqual([
      expect.stringContaining('database is locked'),
      expect.stringContaining('database is locked'),
    ])
    expect(attempt()).toBe('')
    expect(directories.rows(path, 'SELECT DISTINCT badge FROM device')).toEqual([{ badge: 77 }])
  })

  test('not where it is damaged', () => {
    using directories = dataDirectories()
    const { data, path } = emptied(directories)
    const bytes = new Uint8Array(statSync(path).size - 100).fill(7)
    writeFileSync(path, Buffer.concat([Buffer.from('SQLite format 3\0').subarray(0, 16), bytes]))
    expect(compact({ data })).toMatchObject({ kind: 'problem', problem: expect.stringContaining('damaged') })
    expect(readdirSync(data).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
  })
})
