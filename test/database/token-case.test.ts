import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { MIGRATIONS } from '../../src/database/migration/migrations.ts'

const TOKEN = 'abcdef0123456789'.repeat(4)
const UPPER = TOKEN.toUpperCase()
const MIXED = `A${TOKEN.slice(1)}`
const ODD = `${TOKEN}a`

/** A database of before the migration, with an application. */
function before() {
  const database = new Sqlite(':memory:', { strict: true })
  database.run('PRAGMA foreign_keys = ON')
  for (const { number, sql } of MIGRATIONS) if (number < 32) database.run(sql)
  database.run(
    `INSERT INTO application
       (number, id, name, secret_hash, rate, burst, backend_rate, backend_burst, quota, quota_period, created_at)
     VALUES (1, 'app_1', 'one', x'00', 0, 0, 0, 0, 0, 'day', 0), (2, 'app_2', 'two', x'00', 0, 0, 0, 0, 0, 'day', 0)`,
  )
  return {
    database,
    device(row: Readonly<Record<string, unknown>>): void {
      const all = { application: 1, platform: 0, registered_at: 5, seen_at: 5, updated_at: 5, ...row }
      const names = Object.keys(all)
      database.run(
        `INSERT INTO device (${names.join()}) VALUES (${names.map(() => '?').join()})`,
        Object.values<unknown>(all) as string[],
      )
    },
    label(id: number, devices: readonly number[], name = `label ${id}`): void {
      database.run('INSERT INTO label (id, application, kind, name) VALUES (?, 1, 0, ?)', [id, name])
      for (const device of devices) database.run('INSERT INTO device_label VALUES (?, ?)', [id, device])
    },
    migrate(): void {
      for (const { number, sql } of MIGRATIONS) if (number === 32) database.run(sql)
    },
    rows: (sql: string) => database.query(sql).all(),
    [Symbol.dispose]: () => database.close(),
  }
}

const DEVICES =
  "SELECT id, CASE typeof(token) WHEN 'blob' THEN 'bytes ' || lower(hex(token)) ELSE token END AS token FROM device ORDER BY id"

describe('tokens of APNs in upper case', () => {
  test('become lower case, those of others and what is no token stay', () => {
    using old = before()
    old.device({ id: 1, token: UPPER })
    old.device({ id: 2, token: ODD.toUpperCase() })
    old.device({ id: 3, token: 'ABCDEF' })
    old.device({ id: 4, token: `${UPPER}XY` })
    old.device({ id: 5, token: UPPER, platform: 1 })
    old.device({ id: 6, token: Buffer.from('12'.repeat(32), 'hex') })
    old.migrate()
    expect(old.rows(DEVICES)).toEqual([
      { id: 1, token: `bytes ${TOKEN}` },
      { id: 2, token: ODD },
      { id: 3, token: 'ABCDEF' },
      { id: 4, token: `${UPPER}XY` },
      { id: 5, token: UPPER },
      { id: 6, token: `bytes ${'12'.repeat(32)}` },
    ])
  })

  test('become bytes of every value', () => {
    using old = before()
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n)).toString('hex')
    const tokens = [0, 1, 2, 3].map((part) => `ab${bytes.slice(part * 128, part * 128 + 128)}`)
    for (const [at, token] of tokens.entries()) {
      const mixed = token.replace(/[a-f]/g, (digit, place: number) => (place % 3 > 0 ? digit.toUpperCase() : digit))
      old.device({ id: at + 1, token: `AB${mixed.slice(2)}` })
    }
    old.migrate()
    expect(old.rows(DEVICES)).toEqual(tokens.map((token, at) => ({ id: at + 1, token: `bytes ${token}` })))
  })

  test('of a device that is there in lower case too make one of them: the registered one, and that seen last', () => {
    using old = before()
    old.device({ id: 1, token: Buffer.from(TOKEN, 'hex'), seen_at: 9, state: 1 })
    old.device({ id: 2, token: UPPER, seen_at: 7 })
    old.device({ id: 3, token: MIXED, seen_at: 8 })
    // Of another application, it is another device.
    old.device({ id: 4, token: Buffer.from(TOKEN, 'hex'), application: 2 })
    old.device({ id: 5, token: UPPER, application: 2, seen_at: 4 })
    old.database.run('UPDATE registry_size SET devices = CASE application WHEN 1 THEN 3 ELSE 2 END')
    old.migrate()
    expect(old.rows(DEVICES)).toEqual([
      { id: 3, token: `bytes ${TOKEN}` },
      { id: 4, token: `bytes ${TOKEN}` },
    ])
    expect(old.rows('SELECT application, devices FROM registry_size')).toEqual([
      { application: 1, devices: 1 },
      { application: 2, devices: 1 },
    ])
  })

  test('give the one that goes on what it has not itself', () => {
    using old = before()
    const place = { lat: 52.5, lng: 13.4, cell: 77 }
    old.device({
      id: 1,
      token: UPPER,
      alias: 'anna',
      user: 'anna',
      timezone: 'Europe/Berlin',
      registered_at: 1,
      ...place,
    })
    old.device({ id: 2, token: Buffer.from(TOKEN, 'hex'), seen_at: 9, user: 'bert', locale: 'de', badge: 3 })
    old.label(1, [1, 2])
    old.label(2, [1])
    old.label(3, [2])
    old.migrate()
    expect(
      old.rows('SELECT id, alias, user, timezone, locale, lat, lng, cell, badge, registered_at FROM device'),
    ).toEqual([
      {
        id: 2,
        alias: 'anna',
        user: 'bert',
        timezone: 'Europe/Berlin',
        locale: 'de',
        badge: 3,
        registered_at: 1,
        ...place,
      },
    ])
    expect(old.rows('SELECT label, device FROM device_label ORDER BY label')).toEqual([
      { label: 1, device: 2 },
      { label: 2, device: 2 },
      { label: 3, device: 2 },
    ])
  })

  test('give no device more labels than one may have', () => {
    using old = before()
    old.device({ id: 1, token: UPPER })
    old.device({ id: 2, token: TOKEN.replace('a', 'A'), seen_at: 9 })
    for (let id = 1; id <= 60; id++) old.label(id, [1])
    for (let id = 61; id <= 120; id++) old.label(id, [2])
    old.migrate()
    expect(old.rows('SELECT device, count(*) AS count FROM device_label GROUP BY device')).toEqual([
      { device: 2, count: 60 },
    ])
  })

  test('are one in what gateways have said of them, and in what was imported', () => {
    using old = before()
    const said = (token: string | Uint8Array, reason: string, at: number): void =>
      void old.database.run('INSERT INTO feedback VALUES (1, 0, ?, ?, ?)', [token, reason, at])
    said(Buffer.from(TOKEN, 'hex'), 'Unregistered', 3)
    said(UPPER, 'BadDeviceToken', 5)
    said(MIXED, 'ExpiredToken', 4)
    old.device({ id: 1, token: 'x', imported: 0 })
    old.database.run('INSERT INTO adopted_token VALUES (1, 1, 0, ?, 2)', [UPPER])
    old.migrate()
    expect(old.rows('SELECT lower(hex(token)) AS token, reason, at FROM feedback')).toEqual([
      { token: TOKEN, reason: 'BadDeviceToken', at: 5 },
    ])
    expect(old.rows('SELECT device, lower(hex(token)) AS token FROM adopted_token')).toEqual([
      { device: 1, token: TOKEN },
    ])
  })
})
