import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { systemClock } from '../../src/clock.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../src/gateway/simulator/webpush/message-opening.ts'
import { createEraseContents } from '../../src/server/erasure/erase-application.ts'
import { ERASURE } from '../../src/server/erasure/erasure.ts'
import type { NamingColumn } from '../../src/server/erasure/erasure.ts'
import { registerDevice, startSending } from '../support/sending.ts'
import type { Service } from '../support/service.ts'
import { temporaryDatabase } from '../support/temporary-database.ts'
import { until } from '../support/until.ts'

/** By `table.column`. */
const NAMING: ReadonlyMap<string, NamingColumn> = new Map(
  Object.entries(ERASURE).flatMap(([table, { columns }]) =>
    Object.entries(columns).map(([column, naming]) => [`${table}.${column}`, naming] as const),
  ),
)

/** No row belongs to a device or a user: operators' tables, and counts by application and day. */
const OF_NOBODY = new Set([
  'application',
  'credential',
  'provider_token',
  'user_key',
  'quota',
  'webhook',
  'paused_credential',
  'registry_size',
  'tally',
  'push_receipt',
  'delivery_language',
  'service_time',
  'administrator',
  'admin_session',
  'admin_link',
  'admin_token',
  'second_factor',
  'recovery_code',
  'admin_log',
  'alert',
  // Readiness's words.
  'alert_condition',
  'hook',
  // The template's words.
  'hook_call',
  'application_move',
])

/** These name neither a device nor a user in any table: references, times, states and counts. */
const HARMLESS = new Set([
  'application',
  'platform',
  'push',
  'number',
  'credential',
  'label',
  'kind',
  'state',
  'event',
  'attempt',
  'reason',
  'language',
  'lane',
  'addressed',
  'settled',
  'accepted',
  'failed',
  'removed',
  'refused',
  'day',
  'parent',
  'resend_of',
  'takes_back',
  'environment',
  'imported',
])
const TIME = /^(at|since|[a-z_]+_at|[a-z_]+_until)$/

const HARMLESS_IN: Readonly<Record<string, readonly string[]>> = {
  // Ids of other things.
  push: ['id'],
  event: ['id', 'type'],
  label: ['id'],
  // A button's name in the app, sent with the push.
  receipt: ['action'],
  push_exception: ['badge'],
  // A digest of the body, and the answered id and time.
  idempotency: ['digest', 'answer'],
  label_network: ['labels'],
  delivery: ['waits_until'],
}

describe('the table of erasure', () => {
  test('has every column of the database that could name a device or a user', () => {
    using file = temporaryDatabase()
    const columns = file.database
      .statement<{ table: string; column: string }, []>(
        `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid`,
      )
      .all()
    const isHarmless = ({ table, column }: { table: string; column: string }) =>
      OF_NOBODY.has(table) || HARMLESS.has(column) || TIME.test(column) || HARMLESS_IN[table]?.includes(column) === true
    const names = (one: { table: string; column: string }) => `${one.table}.${one.column}`
    const there = columns.map(names)
    expect(there.length).toBeGreaterThan(150)
    expect(columns.filter((one) => !NAMING.has(names(one)) && !isHarmless(one)).map(names)).toEqual([])
    expect([...NAMING.keys()].filter((name) => !there.includes(name))).toEqual([])
  })

  test('says why and how long where something stays', () => {
    for (const [name, { user, device, kept }] of NAMING) {
      expect([name, kept !== undefined]).toEqual([name, user === 'kept' || device === 'kept'])
    }
  })
})

const ANN = 'ann@shop.example'
const ALIAS = 'Ann of the shop'
const LEFT = 'Ann of the laptop'
const ENDPOINT = 'https://updates.push.services.mozilla.com/wpush/v2'
const PHONE = {
  token: 'a1'.repeat(32),
  platform: '0',
  alias: ALIAS,
  tag: [`user:${ANN}`],
  lat: '38.7222524',
  lng: '-9.1393366',
  timezone: 'Europe/Lisbon',
  locale: 'pt-PT',
  app_version: '2.3.1',
  client: 'kotlin/1.2.0',
}
const IPHONE = { token: 'ann-iphone-behind-fcm', platform: '1', fcm_platform: 'ios' }
const ANDROID = { token: 'ann-android', platform: '1' }
const BROWSER = { token: `${ENDPOINT}/ann`, platform: '2', keys: EXAMPLE_SUBSCRIPTION }
/** The simulator answers that this device is gone. */
const GONE = {
  token: `${ENDPOINT}/unregistered:1`,
  platform: '2',
  keys: EXAMPLE_SUBSCRIPTION,
  alias: LEFT,
  tag: [LEFT],
}
const IMPORTED = 'ann-imported'
const BADGE = 41

describe('all that names somebody', () => {
  let service: Service
  let ids: readonly number[]
  /** Ann's data by column, or for every other column. */
  let facts: Readonly<Record<string, readonly string[]>>

  const rows = (sql: string) => service.database.reading<Record<string, unknown>, []>(sql).all()
  const write = (sql: string) => service.database.transact(() => void service.database.statement(sql).run())

  beforeEach(async () => {
    ;({ service } = await startSending({ limits: { adoptImported: true } }))
    const bob = [
      { token: 'b2'.repeat(32), platform: '0', user: 'bob', alias: 'Bob', tag: ['vip'] },
      { token: 'bob-android', platform: '1', user: 'bob', fcm_platform: 'android' },
    ]
    for (const device of bob) await registerDevice(service, device, { as: 'device' })
    await registerDevice(service, { token: IMPORTED, platform: '1', user: ANN })
    write(`UPDATE device SET imported = 1 WHERE user = '${ANN}'`)
    expect(await service.put('/deviceToken', { ...ANDROID, user: ANN })).toMatchObject({ status: 200 })
    for (const device of [PHONE, IPHONE, BROWSER, GONE]) {
      await registerDevice(service, { ...device, user: ANN }, { as: 'device' })
    }
    await service.put('/badge', { token: PHONE.token, platform: '0', setbadgecount: BADGE })
    ids = rows(`SELECT id FROM device WHERE user = '${ANN}'`).map(({ id }) => Number(id))
    expect(ids).toHaveLength(5)

    const push = { msg: `Hello ${ANN}`, sound: '', badge: '' }
    const sent = async (path: string, more: object, headers = {}) => {
      const answer = await service.post(path, { ...push, ...more }, { headers })
      expect(answer).toMatchObject({ status: 200 })
      await until(async () => (await service.get(`/push/${answer.body.id}`)).body.state === 'finished')
      return String(answer.body.id)
    }
    const all = { platform: ['0', '1', '2'] }
    const id = await sent('/push/all', all, { 'idempotency-key': `welcome:${ANN}` })
    await sent('/push/one', { platform: '0', token: PHONE.token })
    await sent('/push/all', { ...all, users: [ANN, 'bob'], alias: ALIAS })
    for (const { token, platform } of [PHONE, IPHONE, ANDROID, BROWSER]) {
      await service.put('/stats', { token, platform, id }, { as: 'device' })
    }
    await service.put('/stats', { token: bob[0]?.token, platform: '0', id }, { as: 'device' })
    // Only a fault leaves these for longer.
    const every = `SELECT id FROM device`
    write(`INSERT OR REPLACE INTO push_exception (push, platform, device, state, attempt, due_at, badge, reason)
      SELECT 1, platform, id, iif(id % 2, 'retry', 'rejected'), 1, 0, NULL, 'Busy' FROM device`)
    write(`INSERT INTO badge_lease (push, platform, last, first, devices)
      SELECT 1, 0, max(id), min(id), json_group_array(id) FROM device`)
    write(`INSERT INTO badge_lease (push, platform, last, first, devices)
      SELECT 2, 1, id, id, json_array(id) FROM (${every} WHERE user = '${ANN}')`)
    write(`INSERT INTO refused_token (application, platform, credential, device, reason, since)
      SELECT application, platform, n.value, device.id, 'BadDeviceToken', 0 FROM device, json_each('[7, 8]') n`)
    write(`INSERT INTO feedback (application, platform, token, reason, at)
      SELECT application, platform, token, 'Unregistered', 0 FROM device WHERE true ON CONFLICT DO NOTHING`)
    write(`INSERT INTO feedback (application, platform, token, reason, at)
      SELECT application, platform, token, 'Unregistered', 0 FROM adopted_token`)
    const events = service.database.statement<never, [string, string]>(
      `INSERT INTO event (id, application, type, body, due_at, created_at) SELECT ?, number, 'device.gone', ?, 0, 0 FROM application`,
    )
    const tokens = [PHONE, IPHONE, ANDROID, BROWSER, GONE].map(({ token }) => token).concat(IMPORTED)
    service.database.transact(() => {
      for (const token of [...tokens, 'bob-android']) events.run(token, JSON.stringify({ data: { token } }))
    })
    write('UPDATE event SET id = number')
    const [{ cell } = {}] = rows('SELECT cell FROM device WHERE cell IS NOT NULL')
    facts = {
      all: [ANN, ALIAS, LEFT, ...tokens],
      'device.cell': [String(cell)],
      'device.lat': [PHONE.lat],
      'device.lng': [PHONE.lng],
      'device.timezone': [PHONE.timezone],
      'device.locale': [PHONE.locale],
      'device.app_version': [PHONE.app_version],
      'device.client': [PHONE.client],
      'device.badge': [String(BADGE)],
      'device.fcm_platform': ['1'],
      'device_key.p256dh': [Buffer.from(EXAMPLE_SUBSCRIPTION.p256dh, 'base64url').toHex()],
      'device_key.auth': [Buffer.from(EXAMPLE_SUBSCRIPTION.auth, 'base64url').toHex()],
      'label.network': ['127.0.0.0/24'],
      'label_network.network': ['127.0.0.0/24'],
    }
  })
  afterEach(() => service[Symbol.asyncDispose]())

  function namesAnn(name: string, { holds }: Pick<NamingColumn, 'holds'>): boolean {
    const [table = '', column = ''] = name.split('.')
    return rows(`SELECT * FROM ${table}`).some((row) => {
      const value = row[column]
      if (holds === 'id') return ids.includes(Number(value))
      if (holds === 'ids') return [JSON.parse(String(value))].flat(Infinity).some((id) => ids.includes(id))
      if (holds === 'bit') {
        const [block, bits] = [Number(row['block']), value as Uint8Array]
        return ids.some((id) => Math.floor(id / 512) === block && ((bits[(id % 512) >> 3] ?? 0) >> (id % 8)) & 1)
      }
      const shown = value instanceof Uint8Array ? value.toHex() : String(value)
      return (facts[name] ?? facts['all'] ?? []).some(
        (fact) => shown === fact || (fact.length > 3 && shown.includes(fact)),
      )
    })
  }

  const isPosition = ({ kept }: NamingColumn) => kept?.startsWith('a position') === true
  const naming = () => [...NAMING].filter(([name, one]) => !isPosition(one) && namesAnn(name, one))

  /** Columns of any table that hold a token, a name or an alias. */
  function saying(): string[] {
    const tables = rows(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    return tables.flatMap(({ name: table }) => {
      const columns = rows(`SELECT name FROM pragma_table_info('${String(table)}')`)
      const names = columns.map(({ name }) => `${String(table)}.${String(name)}`)
      return names.filter((name) => facts[name] === undefined && namesAnn(name, { holds: 'text' }))
    })
  }

  test('is filled in this test', () => {
    const filled = naming().map(([name]) => name)
    expect([...NAMING].filter(([, one]) => !isPosition(one)).map(([name]) => name)).toEqual(filled)
    expect(saying().filter((name) => !NAMING.has(name))).toEqual([])
  })

  test('is erased with a user, but for what stays by the table; others stay', async () => {
    const ofBob = () => ({
      devices: rows(`SELECT alias FROM device WHERE user = 'bob'`),
      receipts: rows('SELECT device FROM receipt').length,
      refused: rows('SELECT 1 FROM refused_token WHERE device <= 2').length,
      feedback: rows(`SELECT 1 FROM feedback WHERE token = 'bob-android'`).length,
      events: rows(`SELECT 1 FROM event WHERE body LIKE '%bob-android%'`).length,
      leases: rows('SELECT first, last, devices FROM badge_lease'),
    })
    const failures = rows('SELECT state, reason FROM push_exception ORDER BY 1, 2')
    expect(await service.put('/user/del', { user: ANN })).toMatchObject({ status: 200, body: { devices: 5 } })
    expect(naming().filter(([, { user }]) => user !== 'kept')).toEqual([])
    expect(saying().filter((name) => NAMING.get(name)?.user !== 'kept')).toEqual([])
    expect(rows(`SELECT audience ->> '$.device' AS device FROM push WHERE audience LIKE '%"device":%'`)).toEqual([
      { device: 0 },
    ])
    expect(rows('SELECT state, reason FROM push_exception ORDER BY 1, 2')).toEqual(failures)
    expect(ofBob()).toEqual({
      devices: [{ alias: 'Bob' }, { alias: null }],
      receipts: 1,
      refused: 4,
      feedback: 1,
      events: 1,
      leases: [{ first: 1, last: 2, devices: '[1,2]' }],
    })
  })

  test('is erased of a device that is unregistered, but for what stays by the table', async () => {
    for (const { token, platform } of [PHONE, IPHONE, ANDROID, BROWSER, GONE]) {
      expect(await service.put('/deviceToken/del', { token, platform }, { as: 'device' })).toMatchObject({
        status: 200,
      })
    }
    expect(naming().filter(([, { device }]) => device !== 'kept')).toEqual([])
  })

  test('is erased with its application', async () => {
    const { database, application } = service
    const [{ number } = {}] = rows('SELECT number FROM application')
    await createEraseContents({ database }, async (work) => database.transact(work))(Number(number))
    createApplicationStore({ database, clock: systemClock }).remove(application.id)
    expect(naming()).toEqual([])
    expect(saying()).toEqual([])
    const tables = Object.keys(ERASURE).filter((table) => table !== 'registry_day')
    expect(tables.filter((table) => rows(`SELECT 1 FROM ${table} LIMIT 1`).length > 0)).toEqual([])
  })
})
