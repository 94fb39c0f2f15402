import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect } from 'bun:test'
import { existsSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { makeBackup } from '../../src/backup/make-backup.ts'
import { openDatabase } from '../../src/database/database.ts'
import { startRefusalOf } from '../../src/database/storage-errors.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'
import { commandLine } from '../cli/command-line.ts'
import { fillDisk, mountDisk } from '../faults/stage/disk.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { testInTurn } from '../support/in-turn.ts'
import { expectFailure } from '../support/refusals.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'
import { storeDevices } from '../support/stored-devices.ts'

/* A small real disk with no room left. */
const MEBIBYTE = 1024 * 1024
const DISK_BYTES = 160 * MEBIBYTE
/** A twentieth. */
const RESERVE_BYTES = 8 * MEBIBYTE

const test = testInTurn(8)

const NO_ROOM = "The server's disk is nearly full: nothing new is accepted until there is room."

// Only root may mount.
const probe = await mountDisk(DISK_BYTES)
await probe[Symbol.asyncDispose]()
const faults = probe.kind === 'mounted' ? describe : describe.skip

/**
 * One disk per test. Erased files free no room until every connection to them is garbage-collected, at any moment.
 */
async function diskOfItsOwn() {
  const own = await mountDisk(DISK_BYTES)
  if (own.kind === 'hindrance') throw new Error(own.why)
  return own
}

function freeBytes(data: string): number {
  const { bavail, bsize } = statfsSync(data)
  return bavail * bsize
}

const reserveIn = (data: string) => statSync(join(data, 'reserve'), { throwIfNoEntry: false })

const register = (service: Service, token: string, more: object = {}) =>
  service.put('/deviceToken', { token, platform: '1', ...more })

faults(`a full disk${probe.kind === 'mounted' ? '' : `: ${probe.why}`}`, () => {
  test('a reserve is kept, of real blocks, for its owner alone', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    const before = freeBytes(data)
    await using service = await startService({ data })
    const reserve = reserveIn(data)
    expect(reserve).toMatchObject({ size: RESERVE_BYTES })
    expect((reserve?.blocks ?? 0) * 512).toBeGreaterThanOrEqual(RESERVE_BYTES)
    expect((reserve?.mode ?? 0) & 0o777).toBe(0o600)
    expect(before - freeBytes(data)).toBeGreaterThanOrEqual(RESERVE_BYTES)
    expect(
      await service.logged(({ event }) => event === 'disk space reserved for when the disk is full'),
    ).toMatchObject({
      bytes: RESERVE_BYTES,
    })
  })

  test('a running service releases it and goes on with what is known; it is made again when there is room', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    await using service = await startService({ data })
    expect(await register(service, 'known', { tag: ['x'] })).toMatchObject({ status: 201 })
    const free = fillDisk(data)
    // A write may meet the full disk until the reserve is released. The answer must say so.
    await until(async () => {
      const answer = await register(service, 'known', { alias: 'ann' })
      if (answer.status === 507) expectFailure(answer, 507, 'InsufficientStorageError', NO_ROOM)
      return answer.status === 200
    })
    await service.logged(({ event }) => event === 'the disk is full: released the reserve')
    expect(existsSync(join(data, 'reserve'))).toBe(false)
    // The service checks the disk once a second.
    let refused = await register(service, 'new-0')
    for (let n = 1; refused.status !== 507; n++) refused = await register(service, `new-${n}`)
    expectFailure(refused, 507, 'InsufficientStorageError', NO_ROOM)
    expect(refused.headers.get('retry-after')).toBe('60')
    expect(await service.put('/badge', { token: 'known', platform: '1', setbadgecount: 3 })).toMatchObject({
      status: 200,
    })
    expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503)
    expect(service.log.filter(({ level, error }) => level === 'error' && String(error).includes('\n    at '))).toEqual(
      [],
    )
    free()
    await until(() => reserveIn(data)?.size === RESERVE_BYTES)
    await until(async () => (await register(service, 'another')).status === 201)
  })

  test('a service starts, and stops, with what the reserve held', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    const first = await startService({ data })
    const { application } = first
    expect(await register(first, 'known')).toMatchObject({ status: 201 })
    await first[Symbol.asyncDispose]()
    const free = fillDisk(data)
    try {
      expect(freeBytes(data)).toBeLessThan(64 * 1024)
      await using service = await startService({ data, application, clock: createFakeClock(Date.now()) })
      expect(service.log.map(({ event }) => event)).toContain('the disk is full: released the reserve')
      expect(await register(service, 'known', { alias: 'ann' })).toMatchObject({ status: 200 })
      expect(await service.put('/deviceToken/del', { token: 'known', platform: '1' })).toMatchObject({ status: 200 })
    } finally {
      free()
    }
  })

  test('without a reserve it says that the disk is full, and so does a command', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    const first = await startService({ data })
    const { application } = first
    await first[Symbol.asyncDispose]()
    rmSync(join(data, 'reserve'))
    // An existing log takes writes without more room.
    using database = new Sqlite(join(data, 'bellhop.db'))
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const free = fillDisk(data)
    try {
      const sentence = (where: string) =>
        `The disk of ${where} is full: nothing more can be written, and what was stored is safe. Make room, and try again.`
      const refusal = await startService({ data, application }).then(
        () => null,
        (error: unknown) => startRefusalOf(error, data),
      )
      expect(String(refusal)).toContain(sentence(data))
      using cli = commandLine()
      const { exitCode, stderr } = await cli.run(['app', 'delete', 'test', '--yes'], { BELLHOP_DATA: data })
      expect([exitCode, stderr]).toEqual([1, `bellhop: ${sentence('the data directory')}\n`])
    } finally {
      free()
    }
  })

  test('an application of 60,000 devices is deleted with what the reserve held', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    await using service = await startService({ data })
    await service[Symbol.asyncDispose]()
    {
      using database = openDatabase(data)
      const devices = createDeviceStore({ database, clock: createFakeClock() })
      for (let some = 0; some < 60_000; some += 1000) {
        database.transact(() => {
          for (let n = some; n < some + 1000; n++) {
            devices.register(1, {
              token: Bun.hash(`${n}`).toString(16).padStart(16, '0').repeat(4),
              platform: 0,
              tag: ['x'],
            })
          }
        })
      }
    }
    const free = fillDisk(data)
    try {
      using cli = commandLine()
      const deleted = await cli.run(['app', 'delete', 'test', '--yes'], { BELLHOP_DATA: data })
      expect(deleted).toEqual({
        exitCode: 0,
        stdout: 'Deleted the application "test".\n',
        stderr:
          'bellhop: The disk is full: the reserved space was released. serve reserves it again when there is room.\n',
      })
    } finally {
      free()
    }
    using database = openDatabase(data)
    expect(
      database.statement('SELECT (SELECT count(*) FROM device) AS d, (SELECT count(*) FROM label) AS l').get(),
    ).toEqual({
      d: 0,
      l: 0,
    })
  })
})

faults('a disk that fills inside a transaction', () => {
  /** Larger than SQLite's memory cache, so SQLite writes before the commit. */
  const BATCH = 500
  const BATCHES = 16
  const ONES = 40
  const IPHONES = 3000
  const ROUNDS = 3
  /** Room for the broadcast's pages and the first batches. */
  const ROOM_BYTES = 8 * MEBIBYTE

  const iphone = (n: number) => Bun.SHA256.hash(`${n}`, 'hex')
  // Long and at random places in the index: each changes its own page.
  const android = (n: number) => `${Bun.SHA256.hash(`${n}`, 'base64url')}:`.repeat(10)

  test('what was refused is neither stored nor sent, and nobody is counted, or has a badge counted, twice', async () => {
    await using own = await diskOfItsOwn()
    const data = own.directory
    // A service that knows the disk is full would not try.
    await using service = await startService({ data, disk: () => null })
    let androids = 0
    {
      using database = openDatabase(data)
      const devices = createDeviceStore({ database, clock: createFakeClock() })
      database.transact(() => {
        for (; androids < 40_000; androids++) devices.register(1, { token: android(androids), platform: 1 })
        for (let n = 0; n < IPHONES; n++) devices.register(1, { token: iphone(n), platform: 0 })
      })
    }
    const read = (sql: string) => service.database.statement<Record<string, number>, []>(sql).get()
    const taken = { apns: 0, fcm: [] as string[] }
    const simulator = await service.server.simulator()
    simulator.onArrival(({ provider, body }) => {
      if (provider === 'apns') taken.apns++
      else taken.fcm.push((body as { message: { notification: { body: string } } }).message.notification.body)
    })
    let devices = androids + IPHONES
    const accepted: string[] = []
    let refused = 0

    for (let round = 1; round <= ROUNDS; round++) {
      // Only a growing log meets the end of the disk.
      read('PRAGMA wal_checkpoint(TRUNCATE)')
      const free = fillDisk(data, ROOM_BYTES)
      const toAll = { platform: '0', msg: 'to all', sound: '', badge: '+1' }
      expect(await service.post('/push/all', toAll)).toMatchObject({ status: 200 })
      const batches = Array.from({ length: BATCHES }, () => {
        const tokens = Array.from({ length: BATCH }, () => android(androids++))
        return service.put('/deviceToken/batch', { tokens, platform: '1' })
      })
      const ones = Array.from({ length: ONES }, async (_, n) => {
        const msg = `to one ${round}.${n}`
        const { status } = await service.post('/push/one', { platform: '1', token: android(n), msg, sound: '' })
        return { msg, status }
      })
      // All of them must arrive first to form one turn.
      await Bun.sleep(1)
      Bun.sleepSync(100)
      for (const { status } of await Promise.all(batches)) {
        if (status < 300) devices += BATCH
        else refused++
      }
      for (const { msg, status } of await Promise.all(ones)) {
        if (status === 200) accepted.push(msg)
        else refused++
      }
      free()
      await until(() => read('SELECT count(*) AS open FROM delivery WHERE finished_at IS NULL')?.['open'] === 0)
      expect(read('SELECT count(*) AS devices FROM device')).toEqual({ devices })
      expect(read('SELECT count(*) AS pushes FROM push')).toEqual({ pushes: round + accepted.length })
      expect(taken.fcm.toSorted()).toEqual(accepted.toSorted())
      const t = round * IPHONES + accepted.length
      expect((await service.get('/analytics')).body).toEqual({ t, s: t, o: 0 })
      expect(taken.apns).toBe(round * IPHONES)
      const badges = 'SELECT min(badge) AS least, max(badge) AS most FROM device WHERE platform = 0'
      expect(read(badges)).toEqual({ least: round, most: round })
    }
    // Fewer would mean that the disk was not full.
    expect(refused).toBeGreaterThan(ROUNDS)
  }, 120_000)
})

faults('a disk that is full while a push is sent', () => {
  test('sending waits after 16 pages, what writes nothing is answered, /readyz says so; room lets it go on, nobody twice', async () => {
    // Two pages above the limit of results not yet on disk.
    const IPHONES = 9000
    await using own = await diskOfItsOwn()
    const data = own.directory
    // Without a reserve, which the service would release.
    await using service = await startService({ data, disk: () => null })
    {
      using database = openDatabase(data)
      const devices = createDeviceStore({ database, clock: createFakeClock() })
      database.transact(() => {
        for (let n = 0; n < IPHONES; n++) devices.register(1, { token: Bun.SHA256.hash(`${n}`, 'hex'), platform: 0 })
      })
    }
    const taken: string[] = []
    const simulator = await service.server.simulator()
    const first = Promise.withResolvers<void>()
    simulator.onArrival(({ token }) => {
      taken.push(token)
      first.resolve()
    })
    const read = (sql: string) => service.database.statement<Record<string, number>, []>(sql).get()
    // Only a growing log meets the end of the disk.
    read('PRAGMA wal_checkpoint(TRUNCATE)')
    // A push that changes badges would wait for the disk before its second page.
    const toAll = { platform: '0', msg: 'to all', sound: '', badge: '' }
    expect(await service.post('/push/all', toAll)).toMatchObject({ status: 200 })
    // The first page goes alone: nothing is written when the disk fills.
    await first.promise
    const free = fillDisk(data)
    try {
      await service.logged(({ event }) => event === 'delivery results could not be stored; trying again')
      const accepted = () => read('SELECT accepted FROM delivery')?.['accepted'] ?? 0
      // Sending may pause before that on a slow machine.
      await until(() => taken.length - accepted() > 4000)
      let before = -1
      while (before < taken.length) {
        before = taken.length
        await Bun.sleep(500)
      }
      const stored = accepted()
      expect(taken.length - stored).toBeGreaterThan(4000)
      expect(taken.length - stored).toBeLessThanOrEqual(8000)
      expect(service.server.unwritten()).toEqual({ notifications: taken.length - stored, pushes: 1 })
      expect(await service.get('/feedback')).toMatchObject({ status: 200 })
      expectFailure(await register(service, 'new'), 507, 'InsufficientStorageError', NO_ROOM)
      expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503)
    } finally {
      free()
    }
    await service.logged(({ event }) => event === 'push sent')
    expect(taken).toHaveLength(IPHONES)
    expect(new Set(taken).size).toBe(IPHONES)
    expect((await service.get('/analytics')).body).toEqual({ t: IPHONES, s: IPHONES, o: 0 })
  }, 120_000)

  test('a backup for which there is no room says how much it takes, with what is still in the log', async () => {
    await using own = await mountDisk(MEBIBYTE)
    if (own.kind === 'hindrance') throw new Error(own.why)
    using temporary = temporaryDatabase()
    const { database, directory } = temporary
    const applications = createApplicationStore({ database, clock: createFakeClock() })
    const application = applications.create('Shop')
    if (application.kind !== 'created') throw new Error(application.kind)
    storeDevices(database, 500, (n) => ({ token: Buffer.alloc(10_000, n.toString(16).padStart(4, '0')) }))
    const logBytes = statSync(join(directory, 'bellhop.db-wal')).size
    const made = await makeBackup({
      data: directory,
      to: { kind: 'folder', path: own.directory },
      keep: null,
      clock: createFakeClock(),
      openBucket: () => ({ kind: 'problem', problem: 'there is none' }),
    })
    if (made.kind !== 'problem') throw new Error('it was made')
    const megabytes = Number(/it takes up to (\d+) MB\.$/.exec(made.problem)?.[1])
    expect(megabytes).toBeGreaterThanOrEqual(Math.ceil(logBytes / 1e6))
  })
})
