import { describe, expect, test } from 'bun:test'
import { Database as Sqlite } from 'bun:sqlite'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { doctorText } from '../../../src/cli/service/doctor-text.ts'
import { styleOf } from '../../../src/cli/terminal/style.ts'
import { MIGRATIONS, NEWEST_SCHEMA } from '../../../src/database/migration/migrations.ts'
import type { DoctorCheck } from '../../../src/doctor/finding.ts'
import { APNS_KEY, startHarness } from '../../doctor/harness.ts'
import type { DoctorHarness } from '../../doctor/harness.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startS3 } from '../../support/s3-service.ts'
import { startService } from '../../support/service.ts'

/** Bytes, mode and time of last change of every file. */
function filesIn(directory: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    readdirSync(directory).map((name) => {
      const path = join(directory, name)
      const { mode, mtimeMs } = statSync(path)
      return [name, { mode, mtimeMs, hash: Bun.hash(readFileSync(path)) }]
    }),
  )
}

/** As a stopped server leaves it; connections of this process may linger. */
function settled(use: DoctorHarness): string {
  using database = use.line.database()
  database.statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
  const copy = join(use.line.data, 'copy')
  mkdirSync(copy, { mode: 0o700 })
  for (const name of ['bellhop.db', 'key'].filter((name) => existsSync(join(use.line.data, name)))) {
    copyFileSync(join(use.line.data, name), join(copy, name))
  }
  return copy
}

describe('doctor', () => {
  test('prints one line of JSON, of checks with stable names', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    const { checks, ok, exitCode } = await use.examine(['--offline'])
    expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 })
    for (const { ms, ...check } of checks) {
      expect(ms).toBeNumber()
      const keys = [
        'id',
        'group',
        ...(check.group === 'application' ? ['application'] : []),
        'state',
        'found',
        'advice',
      ]
      expect(Object.keys(check)).toEqual(keys)
      expect(check.id).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(check.application ?? id).toBe(id)
      expect(check.found).toMatch(/[.]$/)
    }
    expect(checks.map((check) => `${check.group} ${check.id}`)).toEqual([
      'machine settings',
      'machine server',
      'machine listen',
      'machine memory',
      'machine open-files',
      'machine disk-space',
      'machine file-system',
      'machine disk-sync',
      'machine file-modes',
      'machine file-owner',
      'machine backups',
      'machine leftovers',
      'machine gateway-ca',
      'machine tls-certificate',
      'machine clock',
      'gateways gateways',
      'database database',
      'database schema',
      'database integrity',
      'database foreign-keys',
      'database free-pages',
      'database alerts',
      'database sealing-key',
      'database log',
      'application devices',
      'application credentials',
      'application pushes',
    ])
  })

  test('prints a line a check into a pipe, and what it came to', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    const { stdout, exitCode } = await use.line.run(['doctor', '--offline'], use.env)
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain('\u001B')
    expect(stdout).toContain(
      `warning credentials (Corner Shop): It has no credential: pushes have nowhere to go. Store one: bellhop app apns ${id}`,
    )
    expect(stdout).toMatch(/\n\n\d+ ok, \d+ warnings?, \d+ skipped\n$/)
  })

  test('of one application looks at that one only', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const second = await use.addApplication('Kiosk')
    const { checks } = await use.examine(['Kiosk', '--offline'])
    expect(new Set(checks.flatMap(({ application }) => application ?? []))).toEqual(new Set([second]))
  })

  test('of one that is not there fails, with the name that is meant', async () => {
    await using use = await startHarness()
    await use.addApplication('Kiosk')
    const { exitCode, stderr, stdout } = await use.line.run(['doctor', 'Kiosc'], use.env)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('There is no application "Kiosc"')
    expect(stderr).toEndWith('Did you mean Kiosk?\n')
  })

  test('with settings that serve would not take is asked wrongly', async () => {
    await using use = await startHarness()
    const env = { ...use.env, BELLHOP_PROXY: 'ftp://user:proxy-password@x', BELLHOP_LISTEN: 'nowhere' }
    const { exitCode, stderr } = await use.line.run(['doctor', '--transport', 'pigeon'], env)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--transport')
    expect(stderr).toContain('--listen')
    expect(stderr).toContain('--proxy')
    expect(stderr).not.toContain('proxy-password')
  })

  test('warns of variables that are none', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const { check } = await use.examine(['--offline'], { BELLHOP_LISTN: 'x' })
    expect(check('settings')).toMatchObject({ state: 'warning', found: expect.stringContaining('BELLHOP_LISTN') })
  })
})

/** Doctor's own signatures for Apple, kept for the next run. */
const MADE = 'apns-tokens'

describe('doctor changes nothing but the signatures that it keeps', () => {
  test('where no server runs', async () => {
    await using use = await startHarness()
    use.store(await use.addApplication('Corner Shop'), APNS_KEY)
    const data = settled(use)
    const before = filesIn(data)
    expect(Object.keys(before).toSorted()).toEqual(['bellhop.db', 'key'])
    const { check } = await use.examine(['--full'], { BELLHOP_DATA: data })
    expect(check('apns-production').state).toBe('ok')
    const { [MADE]: made, ...after } = filesIn(data)
    expect(made).toMatchObject({ mode: 0o100600 })
    expect(after).toEqual(before)
  })

  test('beside one that has the database open', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    use.store(id, APNS_KEY)
    using database = use.line.database()
    database.statement('UPDATE application SET rate = 5').run()
    const before = filesIn(use.line.data)
    expect(Object.keys(before)).toContain('bellhop.db-wal')
    const { check } = await use.examine()
    expect(check('apns-production').state).toBe('ok')
    const after = filesIn(use.line.data)
    for (const name of ['bellhop.db', 'bellhop.db-wal', 'key']) expect(after[name]).toEqual(before[name])
    expect(Object.keys(after).filter((name) => name !== MADE)).toEqual(Object.keys(before))
  })

  test('in a directory that it may not write in', async () => {
    if (process.getuid?.() === 0) return
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    chmodSync(use.line.data, 0o500)
    const { check } = await use.examine(['--offline'])
    chmodSync(use.line.data, 0o700)
    expect(check('disk-sync')).toMatchObject({ state: 'failed', found: expect.stringContaining('EACCES') })
    expect(check('database').state).toBe('ok')
  })
})

describe('doctor with a database that is', () => {
  test('not there still looks at all else', async () => {
    await using use = await startHarness({ isEmpty: true })
    const { check, checks, ok } = await use.examine([])
    expect(ok).toBe(false)
    expect(check('database')).toMatchObject({ state: 'failed', found: `There is no database in ${use.line.data}.` })
    expect(check('gateway-apns').state).toBe('ok')
    expect(check('clock').state).toBe('ok')
    expect(checks.some(({ group }) => group === 'application')).toBe(false)
    expect(readdirSync(use.line.data)).toEqual([])
  })

  test('in a directory that is not there makes none', async () => {
    await using use = await startHarness({ isEmpty: true })
    const data = join(use.line.data, 'none', 'either')
    const { check } = await use.examine(['--offline'], { BELLHOP_DATA: data })
    expect(check('database').state).toBe('failed')
    expect(check('disk-sync').found).toStartWith('A write reaches the disk in ')
    expect(readdirSync(use.line.data)).toEqual([])
  })

  test('empty, or none at all', async () => {
    await using use = await startHarness({ isEmpty: true })
    const path = use.line.file('bellhop.db', '')
    expect((await use.examine(['--offline'])).check('database').found).toBe(`The database ${path} is empty.`)
    writeFileSync(path, 'not a database, '.repeat(400))
    const { check } = await use.examine(['--offline'])
    expect(check('database')).toMatchObject({ state: 'failed', found: expect.stringContaining('is not a database') })
    expect(check('log').state).toBe('ok')
  })

  test('of another program', async () => {
    await using use = await startHarness({ isEmpty: true })
    using sqlite = new Sqlite(join(use.line.data, 'bellhop.db'), { create: true })
    sqlite.run('CREATE TABLE other (a)')
    sqlite.close()
    const { check } = await use.examine(['--offline'])
    expect(check('database')).toMatchObject({ state: 'failed', found: expect.stringContaining('another program') })
  })

  test('damaged says so, and looks at the rest', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const data = settled(use)
    const path = join(data, 'bellhop.db')
    const bytes = readFileSync(path)
    using database = use.line.database()
    const { rootpage } = database
      .statement<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'device'")
      .get() ?? { rootpage: 0 }
    bytes.fill(0xa5, (rootpage - 1) * 4096, rootpage * 4096)
    writeFileSync(path, bytes)
    const { check, ok } = await use.examine(['--offline'], { BELLHOP_DATA: data })
    expect(ok).toBe(false)
    expect(check('integrity')).toMatchObject({ state: 'failed', advice: expect.stringContaining('restore a backup') })
    expect(check('devices').state).toBe('failed')
    expect(check('pushes').state).toBe('ok')
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('newer is left to a newer Bellhop', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    using database = use.line.database()
    database.statement('PRAGMA user_version = 999').run()
    database[Symbol.dispose]()
    const { check, checks } = await use.examine(['--offline'])
    expect(check('schema')).toMatchObject({ state: 'failed', found: expect.stringContaining('newer Bellhop') })
    expect(checks.some(({ group }) => group === 'application')).toBe(false)
  })

  for (const schema of [1, NEWEST_SCHEMA - 1]) {
    test(`older, of schema ${schema}, is looked at and not upgraded`, async () => {
      await using use = await startHarness({ isEmpty: true })
      const path = join(use.line.data, 'bellhop.db')
      using sqlite = new Sqlite(path, { create: true })
      for (const { number, sql } of MIGRATIONS) if (number <= schema) sqlite.run(sql)
      sqlite.run(`PRAGMA user_version = ${schema}`)
      sqlite.run(
        `INSERT INTO application (id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
         VALUES ('app_old', 'Old', x'00', 1, 1, 1, 1, 1, 'day', 0)`,
      )
      sqlite.run(
        `INSERT INTO device (application, platform, token, registered_at, seen_at, updated_at) VALUES (1, 0, 'x', 1, 1, 1)`,
      )
      sqlite.close()
      const before = filesIn(use.line.data)
      const { check } = await use.examine(['--offline'])
      expect(check('schema')).toMatchObject({
        state: 'warning',
        found: expect.stringContaining(`schema ${schema} of ${NEWEST_SCHEMA}: it is upgraded at the next start`),
      })
      expect(check('devices').found).toBe('1 device, 1 of them not seen for 90 days.')
      expect(check('sealing-key').state).toBe(schema < 6 ? 'skipped' : 'ok')
      const moving = await use.examine(['Old', '--moving'])
      expect(moving.checks.map(({ id, state }) => `${id} ${state}`)).toEqual(['database ok', 'schema warning'])
      expect(filesIn(use.line.data)).toEqual(before)
    })
  }
})

describe('doctor, of devices that left in one bad hour,', () => {
  test('names the command that brings them back', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    const MINUTE_MS = 60_000
    const now = use.line.clock.now()
    const depart = (from: number, count: number, at: number, reason: string) => {
      using database = use.line.database()
      const left = `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n LIMIT ${count})`
      database
        .statement(
          `${left} INSERT INTO device (application, platform, token, state, registered_at, seen_at, updated_at)
           SELECT 1, 1, CAST('t' || i AS BLOB), 2, 1, ${now}, ${at} FROM n`,
        )
        .run()
      database
        .statement(
          `${left} INSERT INTO feedback (application, platform, token, reason, at)
           SELECT 1, 1, CAST('t' || i AS BLOB), '${reason}', ${at} + i FROM n`,
        )
        .run()
    }
    // Usually one leaves an hour; an old bad hour is ignored.
    for (let hour = 3; hour < 43; hour++) depart(hour * 1000, 1, now - hour * 60 * MINUTE_MS, 'UNREGISTERED')
    depart(100_000, 60, now - 8 * 24 * 60 * MINUTE_MS, 'UNREGISTERED')
    const devices = async () => (await use.examine(['--offline'])).check('devices')
    expect((await devices()).found).not.toContain('within an hour')
    depart(200_000, 30, now - 90 * MINUTE_MS, 'SENDER_ID_MISMATCH')
    depart(300_000, 5, now - 80 * MINUTE_MS, 'UNREGISTERED')
    const { state, found, advice } = await devices()
    expect(state).toBe('warning')
    const from = new Date(now - 90 * MINUTE_MS + 200_000).toISOString()
    expect(found).toContain(`35 devices left within an hour, from ${from} on, mostly for SENDER_ID_MISMATCH.`)
    const command = /bellhop (devices restore \S+ --since \S+ --until \S+)\.$/.exec(advice ?? '')?.[1] ?? ''
    expect(command).toContain(id)
    const restored = await use.line.run([...command.split(' '), '--yes', '--json'])
    expect(restored).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(restored.stdout)).toMatchObject({ restored: { quarantined: 35 } })
    expect((await devices()).found).not.toContain('within an hour')
  })
})

describe('doctor and the backups', () => {
  test('Litestream is named, and that it has stopped reading', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const { data, clock } = use.line
    const backups = async () => (await use.examine(['--offline'])).check('backups')
    const own = join(data, '.bellhop.db-litestream')
    mkdirSync(join(own, 'generations'), { recursive: true })
    const seconds = clock.now() / 1000
    for (const path of ['.bellhop.db-litestream', '.bellhop.db-litestream/generations', 'bellhop.db-wal']) {
      if (path.endsWith('wal')) appendFileSync(join(data, path), '')
      utimesSync(join(data, path), seconds, seconds - 7200)
    }
    expect(await backups()).toEqual(
      expect.objectContaining({
        state: 'ok',
        found: 'Litestream replicates the database; it last read a change 2 hours ago.',
        advice:
          'The replica lacks the sealing key: keep a copy of that. bellhop backup verify --litestream URL checks the replica.',
      }),
    )
    utimesSync(join(data, 'bellhop.db-wal'), seconds, seconds)
    expect(await backups()).toMatchObject({
      state: 'warning',
      found: 'Litestream has read no change for 2 hours, and the database has some.',
    })
  })

  const HOUR_MS = 3_600_000

  test('looks for the place, whether it can be written, and how old the newest is', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const at = async (backup: string, env = {}) =>
      (await use.examine(['--offline'], { ...(backup !== '' && { BELLHOP_BACKUP: backup }), ...env })).check('backups')
    expect(await at('')).toMatchObject({ state: 'warning', found: expect.stringContaining('Backups are off') })
    expect(await at('s3://nope/x')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('There are no credentials for the bucket'),
      advice: 'Fix --backup: serve does not start.',
    })
    expect(await at('/proc/foo')).toMatchObject({ state: 'failed', found: expect.stringContaining('/proc/foo') })
    const place = join(use.line.data, '..', `${basename(use.line.data)}-backups`)
    try {
      expect(await at(`${place}/not/mounted`)).toMatchObject({
        state: 'failed',
        found: `There is no directory ${place}/not for the backups.`,
      })
      expect(await at(place)).toMatchObject({ state: 'warning', found: `There is no backup in ${place} yet.` })
      expect(existsSync(place)).toBeFalse()
      expect(await use.line.run(['backup', `${place}/`])).toMatchObject({ exitCode: 0 })
      expect(await at(place)).toMatchObject({
        state: 'ok',
        found: expect.stringContaining('the newest is 0 minutes old'),
      })
      use.line.clock.advance(40 * 24 * HOUR_MS)
      expect(await at(place)).toMatchObject({
        state: 'warning',
        found: expect.stringMatching(
          /^1 backup in .*; the newest is 40 days old, of \d+ KB, and one should be made every 24 hours\.$/,
        ),
      })
      expect(readdirSync(place)).toEqual(['bellhop-2026-11-20T120000Z.db'])
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  test('asks a bucket, and takes away again what it has tried', async () => {
    await using use = await startHarness()
    await using s3 = startS3()
    const at = async (...argv: readonly string[]) =>
      (await use.examine(argv, { ...s3.env, BELLHOP_BACKUP: 's3://backups/shop' })).check('backups')
    expect(await at()).toMatchObject({ state: 'warning', found: 'There is no backup in s3://backups/shop/ yet.' })
    expect(s3.objects.size).toBe(0)
    expect(await at('--offline')).toMatchObject({ state: 'skipped' })
    s3.reply = ({ method }) => (method === 'PUT' ? new Response('', { status: 403 }) : undefined)
    expect(await at()).toMatchObject({ state: 'failed', found: expect.stringContaining('bucket "backups"') })
  })

  test('finds what was killed at its work, and not what works now', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const left = (name: string, ageMs: number) => {
      const at = new Date(use.line.clock.now() - ageMs)
      utimesSync(use.line.file(name, 'half'), at, at)
    }
    left('bellhop-2026-11-20T115959Z.db.partial', 1000)
    expect((await use.examine(['--offline'])).check('leftovers')).toMatchObject({ state: 'ok' })
    left('shop.jsonl.unfinished', HOUR_MS)
    left('bellhop.db-journal', HOUR_MS)
    expect((await use.examine(['--offline'])).check('leftovers')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/bellhop\.db-journal and .*shop\.jsonl\.unfinished \(\d+ bytes\)\.$/),
    })
  })
})

describe('doctor and the addresses', () => {
  test('that somebody else has keep serve from starting, and it says who', async () => {
    await using use = await startHarness()
    using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const env = { BELLHOP_LISTEN: `127.0.0.1:${other.port}` }
    const { check } = await use.examine(['--offline'], env)
    expect(check('listen')).toMatchObject({
      state: 'failed',
      found: `The program ${readFileSync('/proc/self/comm', 'utf8').trim()} (process ${process.pid}) listens at 127.0.0.1:${other.port} already (--listen): serve does not start.`,
    })
    const nowhere = await use.examine(['--offline'], { BELLHOP_LISTEN: '192.0.2.1:8790' })
    expect(nowhere.check('listen')).toMatchObject({ state: 'failed', found: expect.stringContaining('EADDRNOTAVAIL') })
  })

  test('that the running server has are as they should be; others of it are not asked', async () => {
    await using use = await startHarness()
    await using service = await startService({ clock: createFakeClock() })
    const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
    const right = await use.examine(['--offline'], { ...env, BELLHOP_LISTEN: new URL(service.url).host })
    expect(right.check('listen')).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('The running server has'),
    })
    await use.addApplication('Corner Shop')
    const other = { ...use.env, ...env, BELLHOP_LISTEN: new URL(service.url).host, BELLHOP_DATA: use.line.data }
    expect((await use.examine(['--offline'], other)).check('listen')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('A Bellhop listens at'),
    })
    const wrong = await use.examine(['--offline'], env)
    expect(wrong.check('listen')).toMatchObject({
      state: 'warning',
      advice: 'Give doctor the same --listen as the server.',
    })
  })
})

describe('doctor and the sealing key', () => {
  test('notes where it lies beside the database, which is as it is by default', async () => {
    await using use = await startHarness()
    use.store(await use.addApplication('Corner Shop'), APNS_KEY)
    const { check } = await use.examine(['--offline'])
    expect(check('sealing-key')).toMatchObject({ state: 'ok', advice: expect.stringContaining('key rotate --to') })
  })

  test('takes one of the settings', async () => {
    await using use = await startHarness()
    use.store(await use.addApplication('Corner Shop'), APNS_KEY)
    const key = join(use.line.data, 'key')
    const file = use.file('key', readFileSync(key, 'utf8'))
    rmSync(key)
    const { check } = await use.examine([], { BELLHOP_KEY_FILE: file })
    expect(check('sealing-key')).toMatchObject({
      state: 'ok',
      found: 'The sealing key is set. It opens 1 sealed record.',
    })
    expect(check('apns-production').state).toBe('ok')
    expect(check('key-file').found).toContain(file)
  })

  test('says that it is missing, and makes none', async () => {
    await using use = await startHarness()
    use.store(await use.addApplication('Corner Shop'), APNS_KEY)
    rmSync(join(use.line.data, 'key'))
    const { check, ok } = await use.examine()
    expect(ok).toBe(false)
    expect(check('sealing-key')).toMatchObject({ state: 'failed', found: expect.stringContaining('is missing') })
    expect(check('apns-production')).toMatchObject({ state: 'skipped', found: expect.stringContaining('sealing key') })
    expect(readdirSync(use.line.data)).not.toContain('key')
    expect(use.gateways.production.calls).toHaveLength(0)
  })

  test('says that it is another one', async () => {
    await using use = await startHarness()
    use.store(await use.addApplication('Corner Shop'), APNS_KEY)
    writeFileSync(join(use.line.data, 'key'), `${Buffer.alloc(32, 1).toString('base64')}\n`)
    const { check } = await use.examine(['--offline'])
    expect(check('sealing-key')).toMatchObject({ state: 'failed', found: expect.stringContaining('does not open') })
  })
})

describe('doctor and the server', () => {
  test('that runs is asked whether it is ready', async () => {
    await using use = await startHarness()
    // A late write is fine by a clock that stands still.
    await using service = await startService({ clock: createFakeClock() })
    const env = { BELLHOP_DATA: service.data, BELLHOP_ADMIN_LISTEN: new URL(service.adminUrl).host }
    const { check } = await use.examine([], env)
    expect(check('server')).toMatchObject({ state: 'ok', found: expect.stringContaining('is ready') })
    expect(check('credentials').found).toContain('simulator')
    const elsewhere = await use.examine(['--offline'], { ...env, BELLHOP_ADMIN_LISTEN: '127.0.0.1:1' })
    expect(elsewhere.check('server')).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('--admin-listen'),
    })
  })

  test('has TLS files that must be in order', async () => {
    await using use = await startHarness()
    const cert = use.file('cert.pem', 'nothing')
    const { check } = await use.examine(['--offline', '--tls-cert', cert, '--tls-key', cert])
    expect(check('tls-certificate')).toMatchObject({
      state: 'failed',
      found: expect.stringContaining('cert.pem holds no certificate in PEM'),
    })
  })

  test('has authorities to trust that must be in order', async () => {
    await using use = await startHarness()
    const { check } = await use.examine(['--offline'], { BELLHOP_GATEWAY_CA: '/nonexistent.pem' })
    expect(check('gateway-ca')).toMatchObject({ state: 'failed', found: expect.stringContaining('/nonexistent.pem') })
  })

  test('keeps its files to itself', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const data = use.line.data
    mkdirSync(join(data, 'backups'))
    chmodSync(data, 0o755)
    chmodSync(join(data, 'bellhop.db'), 0o644)
    const { check } = await use.examine(['--offline'])
    expect(check('file-modes')).toMatchObject({
      state: 'warning',
      found: 'Others on this machine can read bellhop.db.',
      advice: `chmod 700 ${data} && chmod 600 ${data}/*`,
    })
  })
})

describe('doctor on a terminal', () => {
  const checks: DoctorCheck[] = [
    { id: 'clock', group: 'machine', application: null, state: 'ok', found: 'The clock agrees.', advice: null, ms: 1 },
    {
      id: 'disk-space',
      group: 'machine',
      application: null,
      state: 'failed',
      found: 'The disk is full, and so is all else.',
      advice: 'Make room.',
      ms: 1,
    },
    {
      id: 'pushes',
      group: 'application',
      application: { id: 'app_1', name: 'Corner\u001B[2J Shop' },
      state: 'warning',
      found: 'Late.',
      advice: 'Hurry.',
      ms: 1,
    },
  ]
  const style = (env: Readonly<Record<string, string>>) => styleOf({ env, terminal: { columns: 30 } })

  test('groups, marks and wraps', () => {
    expect(doctorText(checks, style({ LANG: 'en_US.UTF-8', NO_COLOR: '1' }))).toBe(
      [
        'This machine',
        '  ✓ The clock agrees.',
        '  ✗ The disk is full, and so',
        '    is all else.',
        '    Make room.',
        '',
        String.raw`Corner\x1b[2J Shop`,
        '  ! Late.',
        '    Hurry.',
        '',
        '1 ok, 1 warning, 1 failed',
        '',
      ].join('\n'),
    )
  })

  test('has colours, and letters where there is only ASCII', () => {
    expect(doctorText(checks, style({ LANG: 'en_US.UTF-8' }))).toContain('  \u001B[31m✗\u001B[0m The disk')
    expect(doctorText(checks, style({ NO_COLOR: '1' }))).toContain('\n  f The disk')
  })
})
