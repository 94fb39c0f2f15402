import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../../src/gateway/simulator/webpush/message-opening.ts'
import { createForgetUser } from '../../../src/server/erasure/erase-user.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { arrivalsOf } from '../../support/arrivals.ts'
import { BAD_NAMES, expectInvalid, expectRequired } from '../../support/refusals.ts'
import { registerDevice, startSending } from '../../support/sending.ts'
import type { Service } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { storeDevices } from '../../support/stored-devices.ts'

const ANN = 'ann@shop.example'
const PHONE = { token: 'a1'.repeat(32), platform: '0', user: ANN, alias: 'Ann', tag: ['vip'] }
/** The simulator refuses it. */
const BAD = { token: 'bad41000'.padEnd(64, '0'), platform: '0', user: ANN }
const TABLET = { token: 'tablet', platform: '1', user: ANN }
const BOB = { token: 'b2'.repeat(32), platform: '0', user: 'bob', alias: 'Bob' }

let clock: FakeClock
let service: Service
beforeEach(async () => {
  ;({ clock, service } = await startSending())
  for (const device of [PHONE, BAD, TABLET, BOB]) await registerDevice(service, device)
})
afterEach(() => service[Symbol.asyncDispose]())

const erase = (user: unknown = ANN) => service.put('/user/del', { user })
const rows = (sql: string) => service.database.reading<Record<string, unknown>, []>(sql).all()

/** Tables in which one of the texts stands. */
function mentioning(...texts: readonly string[]): string[] {
  const tables = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  const wanted = texts.flatMap((text) => (/^[0-9a-f]{64}$/.test(text) ? [text, `"${text}"`] : [text]))
  return tables
    .map(({ name }) => name as string)
    .filter((name) =>
      rows(`SELECT * FROM ${name}`).some((row) =>
        Object.values(row).some((value) => {
          const shown = value instanceof Uint8Array ? value.toHex() : String(value)
          return wanted.some((text) => shown.includes(text))
        }),
      ),
    )
}

describe('PUT /user/del', () => {
  test('erases the devices of a user, and what is stored about them; others and all counts stay', async () => {
    const HELLO = { platform: ['0', '1'], msg: 'Hello', sound: '', badge: '' }
    const where = { any: [{ user: ANN }, { user: 'bob' }, { alias: 'Ann' }] }
    const { id } = (await service.post('/push/all', { ...HELLO, users: [ANN, 'bob'], except_alias: 'Ann?' })).body
    await service.post('/push/all', { ...HELLO, users: [ANN], except_users: [ANN, 'x'], where, send_at: 3600 })
    await service.post('/push/all', { ...HELLO, alias: 'Ann', send_at: 3600 })
    await arrivalsOf(service, id)
    await service.put('/stats', { platform: '0', id, token: PHONE.token }, { as: 'device' })
    const [device] = rows(`SELECT id FROM device WHERE alias = 'Ann'`)
    const gone = { since: clock.now(), now: clock.now(), reason: 'Unregistered' }
    const devices = createDeviceStore({ database: service.database, clock })
    service.database.transact(() => devices.markGone(Number(device?.['id']), gone))
    const insert = service.database.statement<never, [string, string, string]>(
      `INSERT INTO event (id, application, type, body, due_at, created_at) SELECT ?, number, ?, ?, 0, 0 FROM application`,
    )
    for (const type of ['device.gone', 'push.opened']) {
      for (const { token } of [PHONE, BOB]) insert.run(`${type}_${token}`, type, JSON.stringify({ data: { token } }))
    }
    service.database.statement('UPDATE event SET id = number').run()
    const before = (await service.get(`/push/${id}`)).body
    expect(before).toMatchObject({ t: 4, failed: { total: 1 }, o: 1 })
    const named = [ANN, PHONE.token, BAD.token, TABLET.token, '"Ann"']
    expect(mentioning(...named)).toEqual(expect.arrayContaining(['device', 'event', 'feedback', 'push']))
    const besides = () =>
      ['receipt', 'push_exception', 'left_device'].map((table) => rows(`SELECT 1 FROM ${table}`).length)
    expect(besides()).toEqual([1, 1, 2])

    expect(await erase()).toMatchObject({ status: 200, body: { message: 'User erased', devices: 3 } })
    expect(mentioning(...named)).toEqual([])
    expect(besides()).toEqual([0, 1, 0])
    expect((await service.get(`/push/${id}/failures`)).body).toMatchObject([{ token: null, reason: 'Unregistered' }])
    expect(rows('SELECT 1 FROM push_exception WHERE device <= 4')).toEqual([])
    expect((await service.get(`/push/${id}`)).body).toEqual(before)
    expect((await service.get('/deviceToken/all')).body).toMatchObject([BOB])
    expect(rows('SELECT 1 FROM event')).toHaveLength(2)
    expect(rows('SELECT devices FROM registry_size')).toEqual([{ devices: 1 }])
    const audiences = rows('SELECT audience FROM push ORDER BY number').map(({ audience }) =>
      JSON.parse(String(audience)),
    )
    expect(audiences).toMatchObject([
      { filter: { users: ['bob'], exceptAlias: 'Ann?' } },
      { filter: { users: [], exceptUsers: ['x'], where: { any: [{ user: '' }, { user: 'bob' }, { alias: '' }] } } },
      { filter: { alias: '' } },
    ])
  })

  test('is done also where there is nobody, and again', async () => {
    for (const devices of [3, 0]) expect(await erase()).toMatchObject({ status: 200, body: { devices } })
    expect(await erase('nobody')).toMatchObject({ status: 200, body: { devices: 0 } })
    expect((await service.get('/deviceToken/all')).body).toHaveLength(1)
  })

  test('is of one application', async () => {
    const application = service.addApplication('other')
    await service.put('/deviceToken', PHONE, { application })
    await erase()
    expect((await service.get('/deviceToken/all', { application })).body).toMatchObject([PHONE])
  })

  test('needs a user', async () => {
    await expectRequired((user) => service.put('/user/del', { user }), 'user is required.')
    await expectInvalid((user) => erase(user), 'user', BAD_NAMES)
    expect((await service.get('/deviceToken/all')).body).toHaveLength(4)
  })

  test('goes on where it was cut off, over any number of devices and pushes', async () => {
    const { database } = service
    const [{ number } = {}] = rows('SELECT number FROM application')
    const add = (sql: string) =>
      database.statement(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 250) ${sql}`).run()
    storeDevices(database, 250, (n) => ({ application: Number(number), token: `many-${n}`, user: ANN }))
    add(`INSERT INTO push (id, application, notification, audience, ceiling, created_at, expires_at)
      SELECT 'push-' || n, ${String(number)}, '{}', '{"filter":{"users":["${ANN}"]}}', 0, 0, 0 FROM n`)
    let steps = 0
    const cutOff = createForgetUser({ database }, async (work) => {
      if (++steps === 6) throw new Error('cut off')
      return database.transact(work)
    })
    expect(cutOff(Number(number), ANN)).rejects.toThrow('cut off')
    expect(await erase()).toMatchObject({ status: 200 })
    expect(mentioning(ANN, 'many-')).toEqual([])
  })
})

test('PUT /user/del forgets which browsers a push failed for', async () => {
  const token = 'https://updates.push.services.mozilla.com/wpush/v2/unregistered:1'
  await registerDevice(service, { token, platform: '2', keys: EXAMPLE_SUBSCRIPTION, user: ANN })
  const [browser] = rows('SELECT id FROM device WHERE platform = 2')
  const failed = () => rows('SELECT device FROM push_exception WHERE platform = 2').map(({ device }) => device)
  const push = { platform: '2', msg: 'Hello', sound: '', badge: '' }
  const { id } = (await service.post('/push/all', push)).body
  await until(async () => (await service.get(`/push/${id}`)).body.state === 'finished')
  expect(failed()).toEqual([browser?.['id']])
  expect(await erase()).toMatchObject({ status: 200 })
  expect(failed()).toHaveLength(1)
  expect(failed()).not.toContain(browser?.['id'])
})

test('PUT /user/del ends a push for who waits for another attempt, and counts them without saying who they were', async () => {
  await registerDevice(service, { token: 'unavailable:ann', platform: '1', user: 'carol' })
  const [device] = rows(`SELECT id FROM device WHERE user = 'carol'`)
  const push = { platform: '1', users: ['carol', ANN], msg: 'Hello' }
  const { id } = (await service.post('/push/all', push)).body
  const status = async () => (await service.get(`/push/${id}`)).body
  await until(() => rows(`SELECT 1 FROM push_exception WHERE state = 'retry'`).length === 1)
  expect(rows('SELECT state, device FROM push_exception')).toEqual([{ state: 'retry', device: device?.['id'] }])
  expect(await erase('carol')).toMatchObject({ status: 200, body: { devices: 1 } })
  expect(rows(`SELECT 1 FROM push_exception WHERE device = ${String(device?.['id'])}`)).toEqual([])
  await until(async () => {
    clock.advance(60_000)
    return (await status()).state === 'finished'
  })
  expect(await status()).toMatchObject({ t: 2, s: 1, failed: { total: 1, reasons: { DeviceRemoved: 1 } } })
  expect(rows(`SELECT 1 FROM push_exception WHERE device = ${String(device?.['id'])}`)).toEqual([])
})
