import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { workplaceFor } from '../../../src/backup/restore.ts'
import { lockDirectory } from '../../../src/database/directory-lock.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../../src/database/migration/migrations.ts'
import { upgrade } from '../../../src/database/migration/upgrade.ts'
import { dataDirectories } from '../../backup/data.ts'
import { inTurn } from '../../support/in-turn.ts'
import { contentOf, oldDatabase } from '../../support/old-database.ts'
import { command } from '../../support/service-process.ts'
import { commandLine, refused } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const HOUR_MS = 3_600_000

let directories: ReturnType<typeof dataDirectories>
let line: CommandLine
let data: string
let backup: string

let template: ReturnType<typeof dataDirectories>

/** With 3 devices, and a backup. */
beforeAll(async () => {
  template = dataDirectories()
  using first = commandLine()
  const made = { BELLHOP_DATA: template.make('data', 3) }
  expect(await first.run(['backup', template.path('backup.db')], made)).toMatchObject({ exitCode: 0 })
})
afterAll(() => template[Symbol.dispose]())

/** Copies, an hour later. */
beforeEach(() => {
  directories = dataDirectories()
  line = commandLine()
  data = directories.path('data')
  backup = directories.path('backup.db')
  for (const name of ['data', 'backup.db']) cpSync(template.path(name), directories.path(name), { recursive: true })
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
  'In it: 1 application, 3 devices, 0 pushes, 0 sealed credentials. Its last change was at 2026-11-20 12:00:00 UTC.'

describe('restore', () => {
  test('over a database that has nothing else keeps that one, under another name', async () => {
    const path = join(data, 'bellhop.db')
    expect(await bellhop('restore', backup)).toEqual({
      exitCode: 0,
      stdout: `${path} was restored from ${backup}.
${CONTENT}
The previous database is now ${path}.replaced-2026-11-20T130000Z: delete it when you are sure.
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
    expect(await bellhop('restore', backup)).toEqual(
      refused(
        1,
        `${path} is newer than the backup: since then 2 devices registered, 0 devices changed and 1 push made, the last change at 2026-11-20 13:00:00 UTC. Nothing was changed: --yes restores anyway, and keeps it.`,
      ),
    )
    expect(devicesIn(path)).toBe(5)
    expect(await bellhop('restore', backup, '--yes')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(devicesIn(path)).toBe(3)
    expect(devicesIn(`${path}.replaced-2026-11-20T130000Z`)).toBe(5)
  })

  test('over the database of another service only with --yes', async () => {
    const other = directories.make('other', 1, 'Other Shop')
    // Older than the backup, but of another service.
    const late = directories.path('late.db')
    directories.clock.advance(HOUR_MS)
    directories.register(data, 1)
    expect(await bellhop('backup', late)).toMatchObject({ exitCode: 0 })
    expect(await line.run(['restore', late], { BELLHOP_DATA: other })).toEqual(
      refused(
        1,
        `${join(other, 'bellhop.db')} and the backup are different databases: the backup has no application "Other Shop". Nothing was changed: --yes restores anyway, and keeps it.`,
      ),
    )
  })

  test('over a damaged one only with --yes, and keeps it as it is', async () => {
    const path = join(data, 'bellhop.db')
    const damaged = Buffer.from('no database at all '.repeat(1000))
    writeFileSync(path, damaged)
    expect(await bellhop('restore', backup)).toEqual(
      refused(
        1,
        `${path} is damaged, so changes since the backup cannot be listed: file is not a database (SQLITE_NOTADB). Nothing was changed: --yes restores anyway, and keeps it.`,
      ),
    )
    expect(readFileSync(path)).toEqual(damaged)
    expect(await bellhop('restore', backup, '--yes')).toMatchObject({ exitCode: 0 })
    expect(devicesIn(path)).toBe(3)
    expect(readFileSync(`${path}.replaced-2026-11-20T130000Z`)).toEqual(damaged)
  })

  test('not while a Bellhop serves the directory', async () => {
    using _ = lockDirectory(data)
    expect(await bellhop('restore', backup, '--yes')).toEqual(
      refused(1, `A Bellhop serves the data directory ${data}: stop it, restore, and start it again.`),
    )
  })

  test('into a directory that does not exist yet; a mistake in the name makes none', async () => {
    const into = directories.path('new')
    expect(await bellhop('restore', directories.path('bakcup.db'), '--data', into)).toEqual(
      refused(1, `There is no file ${directories.path('bakcup.db')}.`),
    )
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
        `const { copyDatabase } = await import('../../../src/database/offline-database.ts')
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
      'Cancelled because they were probably sent already: 1 push in progress when the backup was made, 1 push scheduled for a time in the past.\n',
    )
    expect(cancelled()).toEqual([1, 2])
  })

  test('is sent with --resume-pushes, which says that phones may get it twice', async () => {
    const { stdout } = await bellhop('restore', backup, '--resume-pushes')
    expect(stdout).toContain('Unfinished pushes of the backup are sent now: devices may get them twice.\n')
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

describe('a link in the data directory is not followed', () => {
  for (const name of ['bellhop.db', 'key', 'serving.lock']) {
    test(`${name}: no command touches what it names, and each says why`, async () => {
      const target = directories.path('somebody else')
      const path = join(data, name)
      if (name === 'bellhop.db') copyFileSync(path, target)
      const before = existsSync(target) ? readFileSync(target) : null
      await Bun.$`rm -f ${path}`.quiet()
      symlinkSync(target, path)
      const elsewhere = name === 'key' ? 'BELLHOP_KEY_FILE' : '--data'
      const refusal = `bellhop: ${path} is a symbolic link, which Bellhop does not follow: put the file itself in its place, or name where it is (${elsewhere}).\n`
      for (const argv of [
        ['restore', backup, '--yes'],
        ['app', 'list'],
        ['app', 'create', 'Second Shop'],
        ['stats'],
        ['backup', directories.path('second.db')],
        ['key', 'rotate'],
        ['export', 'Corner Shop', '-'],
      ]) {
        expect([argv, await bellhop(...argv)]).toEqual([argv, { exitCode: 1, stdout: '', stderr: refusal }])
      }
      const doctor = await bellhop('doctor', '--offline', '--json')
      expect(doctor.exitCode).toBe(1)
      expect(doctor.stdout).toContain('is a symbolic link')
      expect(existsSync(target) ? readFileSync(target) : null).toEqual(before)
    })
  }

  test('nor is one that is to be restored, where somebody else may have put it', async () => {
    const link = join(data, 'bellhop.db.before-3')
    symlinkSync(backup, link)
    expect((await bellhop('restore', link, '--yes')).stderr).toStartWith(`bellhop: ${link} is a symbolic link`)
    const elsewhere = directories.path('latest.db')
    symlinkSync(backup, elsewhere)
    expect(await bellhop('restore', elsewhere, '--yes')).toMatchObject({ exitCode: 0 })
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(!isRoot)(
    'nor is one in the way of the copy before an upgrade, which root makes beside the directory',
    async () => {
      const theirs = directories.path('old')
      const path = oldDatabase(theirs, 3)
      const victim = directories.path('victim')
      symlinkSync(victim, `${path}.before-${NEWEST_SCHEMA}.partial`)
      for (const name of ['.', 'bellhop.db', 'key']) chownSync(join(theirs, name), 65534, 65534)
      expect(await command(['app', 'list', '--data', theirs])).toMatchObject({ exitCode: 0 })
      expect(existsSync(victim)).toBeFalse()
      expect(statSync(`${path}.before-${NEWEST_SCHEMA}`)).toMatchObject({ uid: 65534, mode: 0o100600 })
      expect(readdirSync(directories.root).filter((name) => name.includes('partial'))).toEqual([])
    },
  )

  test.skipIf(!isRoot)('what root makes belongs to the owner of the directory, without a name to follow', async () => {
    const NOBODY = 65534
    const theirs = directories.path('theirs')
    mkdirSync(theirs, { mode: 0o700 })
    chownSync(theirs, NOBODY, NOBODY)
    // Only root can put a link there: restore works beside the directory.
    expect(workplaceFor(theirs)).toBe(directories.path('.theirs.restoring'))
    chmodSync(directories.root, 0o777)
    expect(workplaceFor(theirs)).toBe(join(theirs, 'restoring'))
    chmodSync(directories.root, 0o700)

    expect(await bellhop('restore', backup, '--data', theirs)).toMatchObject({ exitCode: 0, stderr: '' })
    expect(readdirSync(theirs).toSorted()).toEqual(['bellhop.db', 'serving.lock'])
    for (const name of readdirSync(theirs)) {
      const { uid, mode } = statSync(join(theirs, name))
      expect({ name, uid, mode: mode & 0o777 }).toEqual({ name, uid: NOBODY, mode: 0o600 })
    }
    expect(readdirSync(directories.root)).not.toContain('.theirs.restoring')
  })
})

describe('a backup with what Bellhop did not make', () => {
  const ENDLESS = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n'
  const STRANGE: Readonly<Record<string, { sql: string; told: string }>> = {
    'a trigger that changes a secret': {
      sql: `CREATE TRIGGER backdoor AFTER INSERT ON device BEGIN UPDATE application SET secret_hash = x'00'; END`,
      told: 'trigger backdoor on device',
    },
    'a trigger that never ends': {
      sql: `CREATE TRIGGER hang AFTER UPDATE ON push BEGIN SELECT (${ENDLESS}); END`,
      told: 'trigger hang on push',
    },
    'a view in the place of a table': {
      sql: `ALTER TABLE device RENAME TO aside; CREATE VIEW device AS SELECT *, (${ENDLESS}) AS n FROM aside`,
      told: 'view device',
    },
    'another table': { sql: 'CREATE TABLE "two\u001b[2J" (x)', told: 'table two??2J' },
    'a table without one of its indexes': {
      sql: 'DROP INDEX device_by_token',
      told: 'index device_by_token on device (missing)',
    },
    'a column that computes itself': {
      sql: `ALTER TABLE tally ADD COLUMN n INTEGER AS ((${'1 + '.repeat(3)}1))`,
      told: 'table tally (changed)',
    },
  }
  for (const [what, { sql, told }] of Object.entries(STRANGE)) {
    test(`${what}: is refused by verify, restore and doctor, and none of it runs`, async () => {
      const push = directories.push(data, { delivery: { finishedAt: null } })
      expect(push).toBe(1)
      const hostile = directories.path('hostile.db')
      copyFileSync(join(data, 'bellhop.db'), hostile)
      {
        using file = new Sqlite(hostile)
        file.run('PRAGMA legacy_alter_table = ON')
        file.run(sql)
      }
      const verified = await bellhop('backup', 'verify', hostile)
      expect(verified.exitCode).toBe(1)
      expect(verified.stdout).toContain(
        'is not a good backup.\nIts tables are not as Bellhop makes them, so nothing in it is run: ',
      )
      expect(verified.stdout).toContain(told)

      const restored = await bellhop('restore', hostile, '--yes', '--data', directories.path('new'))
      expect(restored).toMatchObject({ exitCode: 1, stdout: '' })
      expect(restored.stderr).toContain(told)
      expect(existsSync(directories.path('new/bellhop.db'))).toBeFalse()

      copyFileSync(hostile, join(data, 'bellhop.db'))
      const doctor = await bellhop('doctor', '--offline')
      expect(doctor.exitCode).toBe(1)
      expect(doctor.stdout).toContain(told)
    })
  }

  test('what runs nothing is no hindrance: the notes of Litestream, figures of ANALYZE, an index of plain columns', async () => {
    const more = directories.path('more.db')
    copyFileSync(join(data, 'bellhop.db'), more)
    {
      using file = new Sqlite(more)
      file.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
      file.run('CREATE TABLE _litestream_lock (id INTEGER)')
      file.run('CREATE INDEX mine ON device (seen_at, updated_at)')
      file.run('ANALYZE')
    }
    expect(await bellhop('backup', 'verify', more)).toMatchObject({ exitCode: 0 })
    expect(await bellhop('restore', more)).toMatchObject({ exitCode: 0 })
  })
})

describe('a database of an older Bellhop', () => {
  for (const { number: schema } of inTurn(MIGRATIONS.slice(0, -1))) {
    test(`of schema ${schema}, the copy that its upgrade left, is put back as it was: that Bellhop runs on it`, async () => {
      const old = directories.path(`old ${schema}`)
      const path = oldDatabase(old, schema)
      const migrate = () => command(['app', 'list', '--data', old])
      expect(await migrate()).toMatchObject({ exitCode: 0 })
      const copy = `${path}.before-${NEWEST_SCHEMA}`
      const before = contentOf(copy)

      const put = await line.run(['restore', copy, '--yes'], { BELLHOP_DATA: old })
      expect(put).toMatchObject({
        exitCode: 0,
        stderr: `bellhop: This was not recorded in the audit log: the database has schema ${schema}, and is left as it is.\n`,
      })
      expect(put.stdout).toContain(
        `Its schema ${schema} was kept: start the Bellhop version that wrote it, or this one, which upgrades it.\n`,
      )
      const after = contentOf(path)
      // Only open pushes are cancelled.
      for (const table of Object.keys(before)) {
        if (['push', 'delivery', 'push_exception', 'badge_lease'].includes(table)) continue
        expect([table, after[table]]).toEqual([table, before[table]])
      }
      expect(directories.rows(path, 'SELECT count(*) AS n FROM delivery WHERE finished_at IS NULL')).toEqual([{ n: 0 }])
      {
        // The older binary knows no newer migration.
        using file = new Sqlite(path)
        upgrade(file, path, { migrations: MIGRATIONS.filter(({ number }) => number <= schema) })
        expect(file.query('PRAGMA user_version').values()).toEqual([[schema]])
      }
      expect(await migrate()).toMatchObject({ exitCode: 0 })
      expect(directories.rows(path, 'PRAGMA user_version')).toEqual([{ user_version: NEWEST_SCHEMA }])
    })
  }
})
