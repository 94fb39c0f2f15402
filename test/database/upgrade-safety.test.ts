import { describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import { copyFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseRefused } from '../../src/database/database-refused.ts'
import { openDatabase } from '../../src/database/database.ts'
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../src/database/migration/migrations.ts'
import { copyBeforeUpgrade } from '../../src/database/migration/upgrade-copy.ts'
import { upgrade } from '../../src/database/migration/upgrade.ts'
import type { UpgradeStep } from '../../src/database/migration/upgrade.ts'
import { createLog } from '../../src/log.ts'
import { upgradeFirst } from '../../src/server/start/start-checks.ts'
import { commandLine } from '../cli/command-line.ts'
import { directoryOfEachTest } from '../support/directory-of-tests.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { contentOf, oldDatabase } from '../support/old-database.ts'
import { command } from '../support/service-process.ts'

const LATEST = NEWEST_SCHEMA

const directory = directoryOfEachTest('bellhop-upgrade')

function read(path: string, sql: string): readonly unknown[] {
  using database = new Sqlite(path, { readonly: true })
  return database.query(sql).values()
}

/** What an upgrade reported. */
function steps(): { readonly kinds: () => readonly string[]; readonly report: (step: UpgradeStep) => void } {
  const seen: string[] = []
  return { kinds: () => seen, report: ({ kind }) => void seen.push(kind) }
}

/** Runs TypeScript in a process of its own, in which `path` is the database and `raw` a connection to it. */
function child(path: string, script: string): Bun.Subprocess<'ignore', 'pipe', 'pipe'> {
  const source = join(import.meta.dir, '../../src')
  const begin = `
    import { Database as Sqlite } from 'bun:sqlite'
    import { MIGRATIONS } from '${source}/database/migration/migrations.ts'
    import { upgrade } from '${source}/database/migration/upgrade.ts'
    const path = ${JSON.stringify(path)}
    const raw = new Sqlite(path, { strict: true })
    const die = () => process.kill(process.pid, 'SIGKILL')
  `
  const file = join(directory(), 'child.ts')
  writeFileSync(file, begin + script)
  return Bun.spawn([process.execPath, file], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
}

describe('an upgrade', () => {
  test('tells how it goes, once; a new database and one that is up to date tell nothing', () => {
    const path = oldDatabase(directory(), 1)
    const told: UpgradeStep[] = []
    const report = (step: UpgradeStep) => void told.push(step)
    openDatabase(directory(), { report })[Symbol.dispose]()
    openDatabase(directory(), { report })[Symbol.dispose]()
    openDatabase(join(directory(), 'new'), { report })[Symbol.dispose]()
    const copy = `${path}.before-${LATEST}`
    expect(told).toEqual([
      { kind: 'copying', copy, bytes: statSync(copy).size },
      { kind: 'upgrading', from: 1, to: LATEST },
      ...MIGRATIONS.slice(1).map(({ number }) => ({ kind: 'migrating' as const, number, from: 1, to: LATEST })),
      { kind: 'upgraded', from: 1, to: LATEST, copy, bytes: statSync(copy).size, erased: [] },
    ])
    expect(readdirSync(directory()).filter((name) => name.includes('partial'))).toEqual([])
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  })

  const moments = {
    'while it copies': `upgrade(raw, path, { report: ({ kind }) => kind === 'copying' && die() })`,
    'before the first migration': `upgrade(raw, path, { report: ({ kind }) => kind === 'upgrading' && die() })`,
    'between two migrations': `upgrade(raw, path, { migrations: [...MIGRATIONS.slice(0, 5), { number: 6, get sql() { die(); return '' } }] })`,
    'with changes in the log already': `raw.run('PRAGMA cache_size = 1')
      upgrade(raw, path, { migrations: [...MIGRATIONS.slice(0, 4), MIGRATIONS[4], { number: 6, get sql() { die(); return '' } }] })`,
  }
  for (const [moment, script] of Object.entries(moments)) {
    test(`that is killed with -9 ${moment} has changed nothing, and the next one does it all`, async () => {
      const path = oldDatabase(directory(), 2)
      const before = contentOf(path)
      writeFileSync(`${path}.before-${LATEST}.partial`, 'half')
      const killed = child(path, script)
      expect(await killed.exited).toBe(137)
      expect(read(path, 'PRAGMA user_version')).toEqual([[2]])
      expect(contentOf(path)).toEqual(before)
      expect(read(path, 'PRAGMA integrity_check')).toEqual([['ok']])

      openDatabase(directory())[Symbol.dispose]()
      expect(read(path, 'PRAGMA user_version')).toEqual([[LATEST]])
      expect(contentOf(path, before)).toEqual(before)
      expect(contentOf(`${path}.before-${LATEST}`)).toEqual(before)
      expect(readdirSync(directory()).filter((name) => name.includes('partial'))).toEqual([])
    })
  }

  test('that fails half-way has changed nothing', () => {
    const path = oldDatabase(directory(), 2)
    using raw = new Sqlite(path)
    const broken = [...MIGRATIONS.slice(0, 6), { number: 7, sql: 'INSERT INTO nowhere VALUES (1)' }]
    expect(() => upgrade(raw, path, { migrations: broken })).toThrow('no such table: nowhere')
    expect(raw.inTransaction).toBe(false)
    expect(read(path, 'PRAGMA user_version')).toEqual([[2]])
  })

  test('makes its copy anew when the version before has gone on after one that failed', () => {
    const path = oldDatabase(directory(), 2)
    writeFileSync(`${path}.before-${LATEST}`, 'of last month')
    openDatabase(directory())[Symbol.dispose]()
    expect(read(`${path}.before-${LATEST}`, 'PRAGMA user_version')).toEqual([[2]])
  })

  test('keeps its copy and the one before, and erases older ones', () => {
    const path = oldDatabase(directory(), LATEST - 1)
    const name = (number: number) => `${path}.before-${number}`
    for (const number of [2, LATEST - 2, LATEST - 1]) writeFileSync(name(number), '')
    writeFileSync(`${path}.before-the-move`, '')
    let erased: readonly string[] = []
    openDatabase(directory(), { report: (step) => void (step.kind === 'upgraded' && (erased = step.erased)) })[
      Symbol.dispose
    ]()
    expect(erased).toEqual([name(2), name(LATEST - 2)])
    expect(
      readdirSync(directory())
        .filter((file) => file.includes('.before-'))
        .toSorted(),
    ).toEqual(
      [`bellhop.db.before-${LATEST - 1}`, `bellhop.db.before-${LATEST}`, 'bellhop.db.before-the-move'].toSorted(),
    )
  })

  test('without room for the copy is refused, and says how much is needed', () => {
    const path = oldDatabase(directory(), 2)
    expect(() => copyBeforeUpgrade(path, LATEST, 1_234_567_890, 98_000_000)).toThrow(
      new DatabaseRefused(
        `There is no room to copy the database ${path} (1.2 GB) before its upgrade: 98 MB are free. Nothing has changed, and the version before still runs on it. Make room and start again.`,
      ),
    )
    expect(readdirSync(directory()).filter((name) => name.includes('before'))).toEqual([])
  })

  test('that finds the work done by another process does nothing', async () => {
    const path = oldDatabase(directory(), 2)
    using raw = new Sqlite(path)
    raw.run('PRAGMA busy_timeout = 20')
    const awaited = join(directory(), 'awaited')
    const other = child(
      path,
      `import { existsSync } from 'node:fs'
      raw.run('BEGIN IMMEDIATE')
      console.log('held')
      while (!existsSync(${JSON.stringify(awaited)})) Bun.sleepSync(5)
      raw.run('PRAGMA user_version = ${LATEST}')
      raw.run('COMMIT')`,
    )
    await other.stdout.getReader().read()
    const { kinds, report } = steps()
    upgrade(raw, path, {
      report(step) {
        report(step)
        // Not before it is noticed: this process may have no turn for as long as the other one needs.
        if (step.kind === 'waiting') writeFileSync(awaited, '')
      },
    })
    expect(kinds()).toEqual(['waiting'])
    expect(raw.query('PRAGMA busy_timeout').values()).toEqual([[20]])
    expect(await other.exited).toBe(0)
    expect(readdirSync(directory()).filter((name) => name.includes('before'))).toEqual([])
  })

  test('does not happen to a database that an older Bellhop serves', async () => {
    using cli = commandLine({ isEmpty: true })
    const path = oldDatabase(cli.data, 2)
    using _ = lockDirectory(cli.data)
    // A command that a server runs would wait for it to listen.
    expect(await cli.run(['export', 'Shop'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `bellhop: The database ${path} is of an older Bellhop (schema 2; this one has ${LATEST}) that serves it now: restart that one, which upgrades it, and try again.\n`,
    })
    expect(read(path, 'PRAGMA user_version')).toEqual([[2]])
  })

  test('by a command is told on standard error, and by the service in its log', async () => {
    using cli = commandLine({ isEmpty: true })
    const path = oldDatabase(cli.data, 2)
    const { exitCode, stdout, stderr } = await cli.run(['app', 'list', '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(2)
    expect(stderr.replaceAll(/\d+ KB/g, 'N KB')).toBe(
      [
        `bellhop: Copying the database (N KB) to ${path}.before-${LATEST} before its upgrade.`,
        `bellhop: Upgrading the database from schema 2 to ${LATEST}.`,
        'bellhop: The database was upgraded. Delete its copy (N KB) when everything works.',
        '',
      ].join('\n'),
    )

    const data = join(directory(), 'served')
    oldDatabase(data, 3)
    const lines: Record<string, unknown>[] = []
    const log = createLog(
      'info',
      () => 0,
      (line) => void lines.push(JSON.parse(line)),
    )
    using lock = lockDirectory(data)
    expect(lock).not.toBeNull()
    const underWay: boolean[] = []
    const clock = createFakeClock()
    await upgradeFirst(data, { clock, log, onUpgrading: (is) => void underWay.push(is) })
    expect(underWay).toEqual([true, false])
    expect(lines.map(({ event, from, to }) => ({ event, from, to }))).toEqual([
      { event: 'copying the database before its upgrade', from: undefined, to: undefined },
      { event: 'upgrading the database', from: 3, to: LATEST },
      { event: 'upgraded the database; delete its copy when everything works', from: 3, to: LATEST },
    ])
  })
})

describe('the program', () => {
  test('upgrades once when two commands come at the same time', async () => {
    const path = oldDatabase(directory(), 1)
    const before = contentOf(path)
    const both = await Promise.all([1, 2].map(() => command(['app', 'list', '--data', directory()])))
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    expect(both.map(({ stderr }) => stderr.includes('The database was upgraded.')).filter(Boolean)).toEqual([true])
    expect(contentOf(path, before)).toEqual(before)
    expect(contentOf(`${path}.before-${LATEST}`)).toEqual(before)
  })

  test('of an older version refuses the database of a newer one in one sentence, and points to the copy', async () => {
    const path = oldDatabase(directory(), LATEST)
    const sentence = `bellhop: The database ${path} was written by a newer Bellhop (schema ${LATEST + 2}; this one knows ${LATEST}). Use that version, or newer. To go back to what it was before that upgrade: bellhop restore ${path}.before-${LATEST + 1} --data ${directory()}\n`
    {
      using raw = new Sqlite(path)
      copyBeforeUpgrade(path, LATEST + 1, 0)
      raw.run(`PRAGMA user_version = ${LATEST + 2}`)
    }
    copyFileSync(path, `${path}.before-${LATEST + 2}`)
    const free = ['--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
    const refused = await Promise.all([
      command(['serve', '--data', directory(), ...free]),
      command(['app', 'list', '--data', directory()]),
    ])
    for (const printed of refused) expect(printed).toEqual({ exitCode: 1, stdout: '', stderr: sentence })
  })
})
