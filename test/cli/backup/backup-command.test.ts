import { Database as Sqlite } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { lockBackups } from '../../../src/database/directory-lock.ts'
import { dataDirectories } from '../../backup/data.ts'
import { startS3 } from '../../support/s3-service.ts'
import { commandLine, refused } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const DAY_MS = 86_400_000

let directories: ReturnType<typeof dataDirectories>
let line: CommandLine
let data: string

beforeEach(() => {
  directories = dataDirectories()
  line = commandLine()
  data = directories.make('data', 3)
})
afterEach(() => {
  line[Symbol.dispose]()
  directories[Symbol.dispose]()
})

function bellhop(...argv: readonly string[]) {
  return line.run(argv, { BELLHOP_DATA: data })
}

describe('backup', () => {
  test('copies the database into a file that only the owner may read, and says what is in it', async () => {
    const to = directories.path('x.db')
    const made = await bellhop('backup', to)
    expect({ ...made, stdout: made.stdout.replace(/: 0\.\d MB/, ': 0.N MB') }).toEqual({
      exitCode: 0,
      stdout: `${to}: 0.N MB in 0.0 s, checked.
In it: 1 application, 3 devices, 0 pushes, 0 sealed credentials. Its last change was at 2026-11-20 12:00:00 UTC.
`,
      stderr: '',
    })
    expect(statSync(to).mode & 0o777).toBe(0o600)
    expect(directories.rows(to, 'SELECT count(*) AS n FROM device')).toEqual([{ n: 3 }])
    expect(readdirSync(directories.root).filter((name) => name.includes('partial'))).toEqual([])
  })

  test('gives a name by time in a folder, which it makes', async () => {
    const to = directories.path('backups/')
    expect((await bellhop('backup', to, '--json')).stdout).toStartWith(
      `{"backup":"${to}bellhop-2026-11-20T120000Z.db","bytes":`,
    )
    expect(statSync(to).mode & 0o777).toBe(0o700)
  })

  test('writes over nothing', async () => {
    const to = directories.path('mine.db')
    writeFileSync(to, 'holiday')
    expect(await bellhop('backup', to)).toEqual(
      refused(1, `${to} exists already: a backup is never written over. Name another one.`),
    )
    expect(readFileSync(to, 'utf8')).toBe('holiday')
  })

  test('erases what is one too many of its own, after the new one is made, and nothing else', async () => {
    const to = directories.path('backups')
    mkdirSync(to)
    for (const name of ['bellhop.db', 'aaa.db', 'bellhop-2020-01-01T000000Z.db.gz']) writeFileSync(join(to, name), '')
    for (let day = 0; day < 4; day++) {
      expect(await bellhop('backup', to, '--keep', '2')).toMatchObject({ exitCode: 0, stderr: '' })
      line.clock.advance(DAY_MS)
    }
    expect(readdirSync(to).toSorted()).toEqual([
      'aaa.db',
      'bellhop-2020-01-01T000000Z.db.gz',
      'bellhop-2026-11-22T120000Z.db',
      'bellhop-2026-11-23T120000Z.db',
      'bellhop.db',
    ])
  })

  test('a copy that is not good is not kept, and no older one is erased for it', async () => {
    const to = directories.path('backups')
    await bellhop('backup', `${to}/`)
    line.clock.advance(DAY_MS)
    // An index lacks an entry, and so does its copy.
    const bytes = readFileSync(join(data, 'bellhop.db'))
    writeFileSync(join(data, 'bellhop.db'), Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192)]))
    const failed = await bellhop('backup', to, '--keep', '1')
    expect(failed.exitCode).toBe(1)
    expect(failed.stderr).toContain('damaged')
    expect(readdirSync(to)).toEqual(['bellhop-2026-11-20T120000Z.db'])
  })

  test('what is asked for wrongly is said, all of it', async () => {
    expect(await bellhop('backup', directories.path('x.db'), '--keep', '3')).toEqual(
      refused(2, '--keep needs a folder or s3://bucket/prefix/, where backups are named by time.'),
    )
    expect((await bellhop('backup', 'x/', '--keep', '0')).stderr).toBe(
      'bellhop: --keep: "0" is not a whole number from 1 to 10000\n',
    )
    expect((await bellhop('backup', 'ftp://x')).exitCode).toBe(2)
    const nowhere = directories.path('not/mounted/x.db')
    expect(await bellhop('backup', nowhere)).toEqual(
      refused(1, `There is no directory ${directories.path('not/mounted')} for the backup: create or mount it.`),
    )
    data = directories.path('none')
    expect(await bellhop('backup', directories.path('y.db'))).toEqual(
      refused(
        1,
        `There is no Bellhop database in ${data}: bellhop app create NAME creates one, --data selects another.`,
      ),
    )
  })

  /** Left by a killed process; `ageMs` by the commands' clock. */
  function leave(path: string, ageMs: number): string {
    for (const name of [path, `${path}-journal`]) {
      writeFileSync(name, 'half')
      const at = new Date(line.clock.now() - ageMs)
      utimesSync(name, at, at)
    }
    return path
  }

  test('clears away what one that was killed has left, at the next try and by --keep', async () => {
    const to = directories.path('backups')
    mkdirSync(to)
    leave(join(to, 'bellhop-2026-11-20T115700Z.db.partial'), 3 * 60_000)
    // This exact name is taken.
    leave(join(to, 'bellhop-2026-11-20T120000Z.db.partial'), 0)
    const another = leave(join(to, 'bellhop-2026-11-20T115959Z.db.partial'), 1000)
    expect(await bellhop('backup', to, '--keep', '2')).toMatchObject({ exitCode: 0, stderr: '' })
    // Another service may be writing it.
    expect(readdirSync(to).toSorted()).toEqual([
      'bellhop-2026-11-20T115959Z.db.partial',
      'bellhop-2026-11-20T115959Z.db.partial-journal',
      'bellhop-2026-11-20T120000Z.db',
    ])
    expect(another).toBeString()
    const mine = directories.path('x.db')
    leave(`${mine}.partial`, 0)
    expect(await bellhop('backup', mine)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(readdirSync(directories.root).filter((name) => name.includes('partial'))).toEqual([])
    expect(readdirSync(data)).toEqual(['bellhop.db'])
  })

  test('leaves alone what another one writes now, and says what stands in its way', async () => {
    const to = directories.path('backups')
    mkdirSync(to)
    leave(join(to, 'bellhop-2026-11-18T120000Z.db.partial'), 2 * DAY_MS)
    const young = leave(join(to, 'bellhop-2026-11-20T120000Z.db.partial'), 0)
    using _ = lockBackups(data)
    expect(await bellhop('backup', to)).toEqual(
      refused(1, `${young} is there: another backup writes it. If none runs, remove that file.`),
    )
    expect(readdirSync(to).toSorted()).toEqual([basename(young), `${basename(young)}-journal`])
  })
})

describe('backup to a bucket', () => {
  test('puts it there, checked, lists, keeps, verifies and restores it', async () => {
    await using s3 = startS3()
    const run = (...argv: readonly string[]) => line.run(argv, { BELLHOP_DATA: data, ...s3.env })
    s3.objects.set('shop/other.db', Buffer.from('x'))
    for (let day = 0; day < 3; day++) {
      expect(await run('backup', 's3://backups/shop', '--keep', '2')).toMatchObject({ exitCode: 0, stderr: '' })
      line.clock.advance(DAY_MS)
    }
    const last = 'shop/bellhop-2026-11-22T120000Z.db'
    expect([...s3.objects.keys()].toSorted()).toEqual(['shop/bellhop-2026-11-21T120000Z.db', last, 'shop/other.db'])
    expect(readdirSync(data).filter((name) => name.includes('partial'))).toEqual([])

    const verified = await run('backup', 'verify', `s3://backups/${last}`)
    expect(verified).toMatchObject({ exitCode: 0, stderr: '' })
    expect(verified.stdout).toContain('is a good backup.\nIt was created at 2026-11-22 12:00:00 UTC.\n')

    const into = directories.path('new')
    const restored = await run('restore', `s3://backups/${last}`, '--data', into)
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    expect(directories.rows(join(into, 'bellhop.db'), 'SELECT count(*) AS n FROM device')).toEqual([{ n: 3 }])
    expect(readdirSync(into).toSorted()).toEqual(['bellhop.db', 'serving.lock'])

    expect(await run('backup', `s3://backups/${last}`)).toEqual(
      refused(1, `s3://backups/${last} exists already: a backup is never written over. Name another one.`),
    )
  })

  test('an upload that fails leaves nothing here or there, and what is not all there is not relied on', async () => {
    await using s3 = startS3()
    s3.reply = ({ method }) => (method === 'PUT' ? new Response('', { status: 507 }) : undefined)
    const run = () => line.run(['backup', 's3://backups/shop/', '--keep', '1'], { BELLHOP_DATA: data, ...s3.env })
    expect(await run()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('failed on the bucket "backups"'),
    })
    expect(s3.objects.size).toBe(0)
    expect(readdirSync(data).filter((name) => name.includes('partial'))).toEqual([])

    s3.objects.set('shop/bellhop-2026-11-01T120000Z.db', Buffer.from('an older one'))
    s3.reply = ({ method, url }) => {
      if (method !== 'PUT') return undefined
      s3.objects.set(new URL(url).pathname.replace('/backups/', ''), Buffer.from('short'))
      return new Response('', { headers: { etag: '"x"' } })
    }
    expect((await run()).stderr).toMatch(/ had 5 bytes after the upload, not \d+\. It is erased again\.\n$/)
    expect([...s3.objects.keys()]).toEqual(['shop/bellhop-2026-11-01T120000Z.db'])
  })

  test('without credentials says which are missing, before any work', async () => {
    expect(await bellhop('backup', 's3://backups/shop/')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'),
    })
  })
})

describe('backup verify', () => {
  test('says what is in a good one, and changes nothing', async () => {
    const to = directories.path('x.db')
    await bellhop('backup', to)
    const before = readFileSync(to)
    expect(await bellhop('backup', 'verify', to)).toEqual({
      exitCode: 0,
      stdout: `${to} is a good backup.
In it: 1 application, 3 devices, 0 pushes, 0 sealed credentials. Its last change was at 2026-11-20 12:00:00 UTC.
`,
      stderr: '',
    })
    expect(JSON.parse((await bellhop('backup', 'verify', to, '--json')).stdout)).toEqual({
      backup: to,
      good: true,
      problems: [],
      schema: expect.any(Number),
      applications: 1,
      devices: 3,
      pushes: 0,
      credentials: 0,
      newestAt: '2026-11-20T12:00:00.000Z',
      key: 'opens',
    })
    expect(readFileSync(to)).toEqual(before)
    expect(readdirSync(directories.root).toSorted()).toEqual(['data', 'seed of data', 'x.db'])
  })

  test('one with a journal that was not rolled back is not good, and says what to do', async () => {
    const good = directories.path('x.db')
    await bellhop('backup', good)
    const left = directories.path('left.db')
    using database = new Sqlite(good)
    for (const pragma of ['PRAGMA journal_mode = DELETE', 'PRAGMA cache_size = 1', 'BEGIN']) database.run(pragma)
    database.run("CREATE TABLE t AS SELECT randomblob(4000) FROM json_each('[1,2,3,4,5,6,7,8,9]')")
    for (const suffix of ['', '-journal']) copyFileSync(good + suffix, left + suffix)
    database.run('ROLLBACK')
    const { exitCode, stdout } = await bellhop('backup', 'verify', left)
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(
        'Its journal must be rolled back first. Keep a copy of both files, then open it once: sqlite3 FILE .schema.',
      ),
    })
  })

  test('one that is damaged, cut short, of a newer Bellhop or no database at all is not good', async () => {
    const good = directories.path('x.db')
    await bellhop('backup', good)
    const bytes = readFileSync(good)
    const damaged: Record<string, [content: Buffer, finding: string]> = {
      'junk.db': [Buffer.from('no database'.repeat(100)), 'It is not a database.'],
      'empty.db': [Buffer.of(), 'It is a database, but not one of Bellhop.'],
      'short.db': [bytes.subarray(0, bytes.length / 2), ''],
      'zeroed.db': [Buffer.concat([bytes.subarray(0, 20_480), Buffer.alloc(bytes.length - 20_480)]), ''],
      // PRAGMA user_version is 4 bytes at offset 60 (sqlite.org/fileformat2, 1.3).
      'newer.db': [
        Buffer.concat([bytes.subarray(0, 60), Buffer.of(0, 0, 3, 231), bytes.subarray(64)]),
        'a newer Bellhop (schema 999',
      ],
    }
    for (const [name, [content, finding]] of Object.entries(damaged)) {
      const path = directories.path(name)
      writeFileSync(path, content)
      const verified = await bellhop('backup', 'verify', path)
      expect(verified.exitCode).toBe(1)
      expect(verified.stdout).toStartWith(`${path} is not a good backup.\n`)
      expect(verified.stdout).toContain(finding)

      const restored = await bellhop('restore', path, '--yes')
      expect(restored.exitCode).toBe(1)
      expect(restored.stderr).toContain('is not a good backup: ')
      expect(restored.stderr).toContain(finding)
      expect(directories.rows(join(data, 'bellhop.db'), 'SELECT count(*) AS n FROM device')).toEqual([{ n: 3 }])
      expect(readdirSync(data)).not.toContain('restoring')
    }
    expect((await bellhop('backup', 'verify', directories.path('none.db'))).stderr).toBe(
      `bellhop: There is no file ${directories.path('none.db')}.\n`,
    )
  })
})

describe('backup list', () => {
  test('shows those in a folder or a bucket, newest first, and nothing else', async () => {
    const to = directories.path('backups')
    for (let day = 0; day < 2; day++) {
      await bellhop('backup', `${to}/`)
      line.clock.advance(DAY_MS)
    }
    writeFileSync(join(to, 'other.db'), '')
    const listed = await bellhop('backup', 'list', to)
    expect({ ...listed, stdout: listed.stdout.replaceAll(/\d+ KB/g, 'N KB').replaceAll(/ +/g, ' ') }).toEqual({
      exitCode: 0,
      stdout: `BACKUP MADE AT SIZE
${to}/bellhop-2026-11-21T120000Z.db 2026-11-21 12:00:00 UTC 1 day ago N KB
${to}/bellhop-2026-11-20T120000Z.db 2026-11-20 12:00:00 UTC 2 days ago N KB
2 backups, newest first.
`,
      stderr: '',
    })
    const json = await line.run(['backup', 'list', '--json'], { BELLHOP_DATA: data, BELLHOP_BACKUP: to })
    expect(JSON.parse(json.stdout)).toEqual({
      backups: [21, 20].map((day) => ({
        backup: `${to}/bellhop-2026-11-${day}T120000Z.db`,
        madeAt: `2026-11-${day}T12:00:00.000Z`,
        bytes: expect.any(Number),
      })),
    })
    expect(await bellhop('backup', 'list')).toMatchObject({ exitCode: 2 })
    const none = directories.path('none')
    expect(await bellhop('backup', 'list', none)).toEqual(
      refused(1, `There is no folder ${none}: the first backup creates it.`),
    )
    mkdirSync(none)
    expect((await bellhop('backup', 'list', none)).stdout).toStartWith('There are no backups in ')
  })

  test('is not needed to restore: the name of a folder or a bucket is answered with the newest, as a command', async () => {
    const to = directories.path('of the shop')
    const into = directories.path('new')
    mkdirSync(to)
    expect((await bellhop('restore', to, '--data', into)).stderr).toBe(
      `bellhop: ${to} is not one backup, and has none in it that Bellhop has named: name the file.\n`,
    )
    await bellhop('backup', to)
    expect((await bellhop('restore', to, '--data', into)).stderr).toBe(
      `bellhop: ${to} is not one backup. The newest in it is of 2026-11-20 12:00 UTC: bellhop restore '${to}/bellhop-2026-11-20T120000Z.db' --data ${into}\n`,
    )
    expect(existsSync(into)).toBeFalse()
    await using s3 = startS3()
    const run = (...argv: readonly string[]) => line.run(argv, { BELLHOP_DATA: data, ...s3.env })
    await run('backup', 's3://backups/shop')
    expect((await run('backup', 'verify', 's3://backups/shop')).stderr).toBe(
      'bellhop: s3://backups/shop/ is not one backup. The newest in it is of 2026-11-20 12:00 UTC: bellhop backup verify s3://backups/shop/bellhop-2026-11-20T120000Z.db\n',
    )
    expect((await run('backup', 'list', 's3://backups/shop')).stdout).toContain(
      's3://backups/shop/bellhop-2026-11-20T120000Z.db  ',
    )
  })
})
