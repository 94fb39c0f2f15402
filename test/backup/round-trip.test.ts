import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../cli/command-line.ts'
import { arrivalsAt, arrivalsOf } from '../support/arrivals.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { command } from '../support/service-process.ts'
import { startService } from '../support/service.ts'
import type { Credentials, Service } from '../support/service.ts'
import { dataDirectories } from './data.ts'

const HOUR_MS = 3_600_000
const DEVICES = 1000
const LABELLED = 20

/** APNs never answers for this token, so its push stays open. */
const SILENT = `bad00030${'0'.repeat(56)}`

const directories = dataDirectories()
const line = commandLine()
const { clock } = line
const backup = directories.path('backup.db')
const into = directories.path('new')
let service: Service
let equipped: Credentials
let scheduled: string
let broadcast: string

function message(msg: string) {
  return { msg, sound: '', badge: '' }
}

function tokenOf(device: number): string {
  return device.toString(16).padStart(64, '0')
}

/** A service with something of everything. A process backs it up during a broadcast. */
beforeAll(async () => {
  service = await startService({ clock })
  for (let device = 0; device < LABELLED; device++) {
    const tag = [device % 2 === 0 ? 'even' : 'odd', 'all']
    await service.put('/deviceToken', { platform: '0', token: tokenOf(device), alias: `user-${device}`, tag })
  }
  for (let first = LABELLED; first < DEVICES; first += 245) {
    const tokens = Array.from({ length: 245 }, (_, at) => tokenOf(first + at))
    expect(await service.put('/deviceToken/batch', { platform: '0', tokens })).toMatchObject({ status: 201 })
  }
  await service.put('/deviceToken', { platform: '0', token: SILENT })
  equipped = service.addApplication('equipped', {}, false)
  service.equip(equipped, await service.server.simulator())

  scheduled = (await service.post('/push/all', { platform: '0', ...message('Later'), tags: 'even', send_at: 7200 }))
    .body.id
  await service.post('/push/all', { platform: '0', ...message('Soon'), tags: 'even', send_at: 1800 })
  broadcast = (await service.post('/push/all', { platform: '0', ...message('Now') })).body.id
  const [made] = await Promise.all([
    command(['backup', backup, '--data', service.data]),
    arrivalsAt(await service.server.simulator(), 10),
  ])
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
})
afterAll(async () => {
  const stopped = service[Symbol.asyncDispose]()
  // Ends the wait for the missing answer.
  clock.advance(HOUR_MS)
  await stopped
  line[Symbol.dispose]()
  directories[Symbol.dispose]()
})

/** All rows, in key order. */
function rowsOf(path: string, table: string, columns = '*'): unknown[] {
  return directories.rows(path, `SELECT ${columns} FROM ${table} ORDER BY 1, 2`)
}

describe('a backup that was made while a broadcast ran', () => {
  test('has neither the key nor a plain credential in it', async () => {
    const bytes = readFileSync(backup)
    const key = readFileSync(join(service.data, 'key'), 'utf8').trim()
    const { apnsKey, serviceAccount } = (await service.server.simulator()).issue(equipped.id)
    const account = JSON.parse(serviceAccount) as { private_key: string }
    const secrets = [
      key,
      Buffer.from(key, 'base64'),
      equipped.secret,
      service.application.secret,
      ...[apnsKey.p8, account.private_key].flatMap((pem) => [pem, pem.split('\n')[1] ?? pem]),
    ]
    for (const secret of secrets) expect(bytes.includes(secret)).toBeFalse()
    // The search is valid: sealed credentials are there, with their public parts.
    expect(rowsOf(backup, 'credential')).toHaveLength(2)
    expect(bytes.includes(apnsKey.keyId)).toBeTrue()
    const again = await line.run(['backup', directories.path('again.db'), '--data', service.data])
    expect(again.stdout).toContain(
      `It does not contain the sealing key, which is ${join(service.data, 'key')}. Keep a copy of the key, separate from the backups.`,
    )
  })

  test('opens with the key of this service, not with another, and says so where there is none', async () => {
    const verify = (data: string) => line.run(['backup', 'verify', backup, '--data', data])
    expect((await verify(service.data)).stdout).toEndWith("This machine's sealing key opens its credentials.\n")
    const none = await verify(directories.make('without a key'))
    expect(none).toMatchObject({ exitCode: 0 })
    expect(none.stdout).toContain('there is no sealing key here')
    expect(readdirSync(directories.path('without a key'))).toEqual(['bellhop.db'])
    const other = directories.make('with another key')
    writeFileSync(join(other, 'key'), Buffer.alloc(32, 7).toString('base64'))
    expect(await verify(other)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(`The key ${join(other, 'key')} does not open the credentials in it`),
    })
  })

  test('restored elsewhere has the same content, row by row', async () => {
    clock.advance(HOUR_MS)
    const restored = await line.run(['restore', backup, '--data', into])
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' })
    expect(restored.stdout).toContain(
      'Cancelled because they were probably sent already: 1 push in progress when the backup was made, 1 push scheduled for a time in the past.\n',
    )
    expect(restored.stdout).toContain('The sealing key is missing')
    const path = join(into, 'bellhop.db')
    const live = join(service.data, 'bellhop.db')
    for (const table of ['application', 'credential', 'label', 'device_label', 'feedback', 'idempotency']) {
      expect(rowsOf(path, table)).toEqual(rowsOf(live, table))
    }
    const identity = 'id, application, platform, state, token, alias, registered_at, seen_at'
    expect(rowsOf(path, 'device', identity)).toEqual(rowsOf(live, 'device', identity))
    expect(rowsOf(path, 'device')).toHaveLength(DEVICES + 1)
    const content = 'number, id, notification, audience, send_at, created_at'
    expect(rowsOf(path, 'push', content)).toEqual(rowsOf(backup, 'push', content))

    // A restored service sends nothing again, and scheduled pushes once.
    writeFileSync(join(into, 'key'), readFileSync(join(service.data, 'key')))
    const own = createFakeClock(clock.now())
    await using again = await startService({ clock: own, data: into, application: service.application })
    expect((await again.get(`/push/${broadcast}`)).body).toMatchObject({ state: 'cancelled' })
    expect((await again.get(`/push/${scheduled}`)).body).toMatchObject({ state: 'scheduled' })

    own.advance(HOUR_MS)
    while ((await again.get(`/push/${scheduled}`)).body.state === 'scheduled');
    const arrived = await arrivalsOf(again, scheduled)
    expect(arrived.map(({ token }) => token).toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => tokenOf(2 * at)))
    own.advance(HOUR_MS)
    expect((await again.get(`/push/${scheduled}`)).body).toMatchObject({ state: 'finished', t: 10, s: 10 })
    expect((await again.server.simulator()).arrivals()).toHaveLength(10)
    expect(again.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})
