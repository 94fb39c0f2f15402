import { Database as Sqlite } from 'bun:sqlite'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSecret } from '../../src/application/secret.ts'
import { MIGRATIONS } from '../../src/database/migration/migrations.ts'
import { seal } from '../../src/sealing/seal.ts'
import type { Credentials } from './service.ts'

/** Every table with its columns and rows, as text that can be compared; without what SQLite keeps for itself. */
export type Content = Readonly<
  Record<string, { readonly columns: readonly string[]; readonly rows: readonly unknown[] }>
>

/** The tokens of the devices that a push reaches, and of those that no longer are. */
export const REGISTERED = ['aa'.repeat(32), 'fcm-2', 'cc'.repeat(32)]
const SIGNED_OFF = ['dd'.repeat(32), 'fcm-5']

/** Ids of the pushes that were not over. */
export const OPEN_PUSH = '019a0000-0000-7000-8000-000000000002'
export const RETRIED_PUSH = '019a0000-0000-7000-8000-000000000003'

export const APPLICATION: Credentials = { id: 'app_old', secret: 'bhs_old' }

const HOUR_MS = 60 * 60 * 1000
const NOW = Date.now()

/**
 * A data directory as the Bellhop that wrote schema `schema` would have left it, with something in every table; the path
 * of the database. `simulated`: its pushes go to the built-in simulator, else nowhere.
 */
export function oldDatabase(directory: string, schema: number, { simulated = false } = {}): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'bellhop.db')
  const key = Buffer.alloc(32, 7)
  writeFileSync(join(directory, 'key'), `${key.toString('base64')}\n`)
  chmodSync(join(directory, 'key'), 0o600)
  using database = new Sqlite(path, { create: true, strict: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA foreign_keys = ON')
  for (const { number, sql } of MIGRATIONS) if (number <= schema) database.run(sql)
  database.run(`PRAGMA user_version = ${schema}`)
  database.transaction(() => fill(database, schema, key, simulated))()
  return path
}

/** Where a later schema has what a table, or a column, of an earlier one held. */
const MOVED: Readonly<Record<string, string>> = {
  opened: '(SELECT push, device, at FROM receipt WHERE event = 0)',
  // A jump of the clock that has been followed.
  clock_jump: `(SELECT 1 AS number, 0 AS by_ms, ${NOW - HOUR_MS} AS since, ${NOW} AS until, NULL AS reached)`,
  'push.opened': '(SELECT coalesce(sum(count), 0) FROM push_receipt WHERE push = number AND event = 0)',
}

/** Columns that a later schema has no more: when a credential was first taken was told to nobody. */
const DROPPED = new Set(['credential.proven_at'])

/** What the database at `path` holds; `of` names the tables and columns, where not all are wanted. */
export function contentOf(path: string, of?: Content): Content {
  using database = new Sqlite(path, { readonly: true })
  const names =
    of === undefined
      ? database
          .query<{ name: string }, []>(
            `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
          )
          .all()
          .map(({ name }) => name)
      : Object.keys(of)
  return Object.fromEntries(
    names.map((name) => {
      const there = columnsOf(database, name)
      const columns = of?.[name]?.columns ?? there.filter((column) => !DROPPED.has(`${name}.${column}`))
      const read = columns.map((column) => (there.includes(column) ? column : (MOVED[`${name}.${column}`] ?? column)))
      const from = there.length > 0 ? name : MOVED[name]
      const rows = database.query(`SELECT ${read.join(', ')} FROM ${from} ORDER BY 1, 2`).values()
      return [name, { columns, rows }]
    }),
  )
}

function columnsOf(database: Sqlite, table: string): readonly string[] {
  return database
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name)
}

function fill(database: Sqlite, schema: number, key: Uint8Array, simulated: boolean): void {
  const run = (sql: string, ...values: readonly (string | number | null | Uint8Array)[]) =>
    database.run(sql, [...values])
  const application = `INSERT INTO application (number, id, name, secret_hash, rate, burst, backend_rate, backend_burst,
    quota, quota_period, simulated, created_at) VALUES (?, ?, ?, ?, 0, 0, 0, 0, 1000, 'month', ?, ?)`
  run(application, 1, APPLICATION.id, 'Old Shop', hashSecret(APPLICATION.secret), Number(simulated), NOW - HOUR_MS)
  run(application, 2, 'app_other', 'Other Shop', hashSecret('bhs_other'), 0, NOW - HOUR_MS)
  const sealedFor = { application: 'app_other', provider: 'fcm' } as const
  const account = { kind: 'service-account', projectId: 'p', clientEmail: 'a@b.c', privateKeyId: 'k', privateKey: 'x' }
  run(
    `INSERT INTO credential (application, provider, public, sealed, created_at) VALUES (2, 'fcm', ?, ?, ?)`,
    JSON.stringify({ kind: 'service-account', projectId: 'p', clientEmail: 'a@b.c', privateKeyId: 'k' }),
    seal(key, sealedFor, JSON.stringify(account)),
    NOW - HOUR_MS,
  )
  fillDevices(run)
  fillPushes(run, schema)
  run(
    `INSERT INTO feedback (application, platform, token, reason, at) VALUES (1, 0, ?, 'Unregistered', ?)`,
    bytes(SIGNED_OFF[0]),
    NOW,
  )
  run(`INSERT INTO tally (application, day, platform, t, s, o) VALUES (1, 20000, 0, 7, 6, 5)`)
  run(`INSERT INTO quota (application, period, used) VALUES (1, '2026-11', 42)`)
  if (schema >= 2) {
    if (schema < 28) run('UPDATE credential SET proven_at = ?', NOW)
    run('INSERT INTO provider_token (application, sealed) VALUES (2, ?)', Buffer.alloc(40, 1))
  }
  if (schema >= 29) run(`INSERT INTO badge_lease (push, platform, last, first, devices) VALUES (1, 0, 5, 1, '[1,2]')`)
  if (schema >= 28) {
    run('INSERT INTO accepted_device VALUES (1, 0, ?, 0, zeroblob(64))', NOW)
    run(`INSERT INTO refused_token VALUES (1, 1, ?, 7, 'SENDER_ID_MISMATCH', ?)`, NOW, NOW)
  }
  if (schema >= 5) {
    run(`UPDATE device SET timezone = 'Europe/Berlin' WHERE id = 1`)
    const cell = 'CAST((lat + 90) * 4 AS INTEGER) * 1441 + CAST((lng + 180) * 4 AS INTEGER)'
    run(`UPDATE device SET cell = ${cell} WHERE lat IS NOT NULL`)
  }
  if (schema >= 6) {
    run(
      `INSERT INTO webhook (application, url, sealed, events, changed_at, waiting) VALUES (1, 'https://127.0.0.1:1/', ?, '["push.cancelled"]', ?, 1)`,
      seal(key, { application: APPLICATION.id, provider: 'webhook secret' }, 'whsec_AAAA'),
      NOW,
    )
    run(
      `INSERT INTO event (id, application, type, body, due_at, created_at) VALUES ('evt_1', 1, 'push.cancelled', '{}', ?, ?)`,
      NOW + HOUR_MS,
      NOW,
    )
    run('INSERT INTO paused_credential (application, platform) VALUES (2, 1)')
  }
  if (schema >= 19) run('INSERT INTO receipt (push, device, event, at) VALUES (1, 1, 0, ?)', NOW)
  else if (schema >= 8) run('INSERT INTO opened (push, device, at) VALUES (1, 1, ?)', NOW)
  if (schema >= 11)
    run(`INSERT INTO left_device (device, alias, labels) VALUES (4, 'gus', '{"tag":["vip"],"active":[]}')`)
  if (schema >= 13) {
    run('UPDATE delivery SET expires_at = (SELECT p.expires_at FROM push p WHERE p.number = delivery.push)')
  }
  if (schema >= 17) run(`UPDATE device SET user = 'ann' WHERE id IN (1, 2)`)
  if (schema >= 18) run(`UPDATE device SET locale = 'de-DE' WHERE id = 1`)
  if (schema >= 20) {
    run(
      'INSERT INTO user_key (application, sealed, created_at) VALUES (1, ?, ?)',
      seal(key, { application: APPLICATION.id, provider: 'user key' }, '["bhu_AAAA"]'),
      NOW,
    )
  }
  if (schema >= 15 && schema < 30) {
    run('INSERT INTO clock_jump (by_ms, since, until) VALUES (0, ?, ?)', NOW - HOUR_MS, NOW)
  }
  if (schema >= 30) run('INSERT INTO service_time (id, service_ms, wall_ms) VALUES (1, ?, ?)', NOW, NOW)
  if (schema >= 21) fillAdministrators(run)
  if (schema >= 33) run(`INSERT INTO label_network (application, network, labels) VALUES (1, '192.0.2.0/24', 1)`)
  if (schema >= 38) {
    run(
      `INSERT INTO hook (number, name, application, template, key_hash, created_at, changed_at)
       VALUES (1, 'orders', 1, '{"push":{"users":["ann"],"msg":"Hello"}}', x'00', ?, ?)`,
      NOW,
      NOW,
    )
    run(`INSERT INTO hook_call (hook, at, outcome, detail) VALUES (1, ?, 'ignored', 'type is not "order.paid"')`, NOW)
  }
  if (schema >= 40) {
    run(
      `INSERT INTO application_move (id, application, name, phase, digest, changed_at)
       VALUES (?, 1, 'Old Shop', 'here', zeroblob(32), ?)`,
      APPLICATION.id,
      NOW,
    )
  }
  if (schema >= 41) {
    const target = JSON.stringify({ url: 'https://127.0.0.1:1/', secret: null })
    run(
      `INSERT INTO alert (number, name, channel, place, sealed, kinds, created_at)
       VALUES (1, 'ntfy', 'ntfy', 'https://127.0.0.1:1', ?, '["disk"]', ?)`,
      seal(key, { application: 'alert ntfy', provider: 'alert target' }, target),
      NOW,
    )
    run(
      `INSERT INTO alert_condition (alert, about, kind, what, next, since, told)
       VALUES (1, 'disk/', 'disk', 'The data disk is nearly full.', 'bellhop doctor', ?, 1)`,
      NOW,
    )
  }
  if (schema >= 34) {
    const secret = seal(key, { application: 'administrator 1', provider: 'second factor' }, 'AAAA')
    run('INSERT INTO second_factor (administrator, sealed, confirmed_at, last_step) VALUES (1, ?, ?, 1)', secret, NOW)
    run('INSERT INTO recovery_code (administrator, digest) VALUES (1, ?)', bytes('ab'.repeat(32)))
  }
  if (schema >= 23) {
    run(
      'UPDATE application SET previous_secret_hash = ?, previous_until = ? WHERE number = 1',
      bytes('ab'.repeat(32)),
      NOW,
    )
  }
  if (schema >= 43) run(`UPDATE admin_link SET made_by = 'administrator ann'`)
  if (schema >= 25) run('UPDATE push SET resend_of = 1 WHERE number = 3')
  if (schema >= 26) {
    run(`UPDATE push_exception SET language = 'de' WHERE push = 3`)
    run(`INSERT INTO delivery_language (push, platform, language, accepted) VALUES (3, 0, '*', 1)`)
  }
  if (schema >= 24) {
    run('INSERT INTO device_key (device, p256dh, auth) VALUES (6, ?, ?)', Buffer.alloc(65, 4), Buffer.alloc(16))
  }
  if (schema >= 27) run('INSERT INTO registry_day (day, ceiling) VALUES (20000, 5)')
  if (schema >= 22) {
    run('UPDATE device SET imported = 0 WHERE id = 2')
    run(`INSERT INTO adopted_token (device, application, platform, token, at) VALUES (2, 1, 1, 'listed', ?)`, NOW)
  }
}

type Run = (sql: string, ...values: readonly (string | number | null | Uint8Array)[]) => void

function fillAdministrators(run: Run): void {
  const digest = bytes('ab'.repeat(32))
  run(`INSERT INTO administrator (name, password, created_at) VALUES ('ann', '$argon2id$', ?)`, NOW)
  run('INSERT INTO admin_session (digest, administrator, created_at, seen_at) VALUES (?, 1, ?, ?)', digest, NOW, NOW)
  run('INSERT INTO admin_link (digest, administrator, expires_at) VALUES (?, 1, ?)', digest, NOW + HOUR_MS)
  run(`INSERT INTO admin_token (name, digest, created_at) VALUES ('ci', ?, ?)`, digest, NOW)
  run(`INSERT INTO admin_log (at, who, action, subject, detail) VALUES (?, 'token ci', 'push', 'Shop', '{}')`, NOW)
}

function fillDevices(run: Run): void {
  const device = `INSERT INTO device (id, application, platform, state, environment, token, alias, lat, lng, badge,
    registered_at, seen_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const times = [NOW - HOUR_MS, NOW - HOUR_MS, NOW - HOUR_MS] as const
  run(device, 1, 1, 0, 0, 0, bytes(REGISTERED[0]), 'ann', 52.52, 13.405, 3, ...times)
  run(device, 2, 1, 1, 0, null, REGISTERED[1] ?? '', null, null, null, 0, ...times)
  run(device, 3, 1, 0, 0, null, bytes(REGISTERED[2]), 'cem', -33.9, 151.2, 0, ...times)
  run(device, 4, 1, 0, 1, 1, bytes(SIGNED_OFF[0]), null, null, null, 0, ...times)
  run(device, 5, 1, 1, 2, null, SIGNED_OFF[1] ?? '', null, 1, 2, 0, ...times)
  run(device, 6, 2, 1, 0, null, 'fcm-6', 'ann', null, null, 0, ...times)
  const label = 'INSERT INTO label (id, application, kind, name) VALUES (?, ?, ?, ?)'
  run(label, 1, 1, 0, 'vip')
  run(label, 2, 1, 1, 'news')
  run(label, 3, 2, 0, 'vip')
  for (const [id, of] of [
    [1, 1],
    [1, 2],
    [2, 3],
    [1, 4],
    [3, 6],
  ] as const) {
    run('INSERT INTO device_label (label, device) VALUES (?, ?)', id, of)
  }
}

function fillPushes(run: Run, schema: number): void {
  const push = `INSERT INTO push (number, id, application, notification, audience, ceiling, created_at, expires_at)
    VALUES (?, ?, 1, ?, ?, 6, ?, ?)`
  const notification = JSON.stringify({ msg: 'Hello', sound: null, badge: null, payload: null })
  const nothing = {
    tags: null,
    tagsMatch: 'any',
    exceptTags: null,
    active: null,
    exceptActive: null,
    alias: null,
    exceptAlias: null,
  }
  const audience = (platforms: readonly number[]) => JSON.stringify({ filter: { platforms, ...nothing } })
  const delivery = `INSERT INTO delivery (push, platform, application, lane, progress, addressed, settled, accepted, failed,
    started_at, finished_at) VALUES (?, ?, 1, 1, ?, ?, ?, ?, ?, ?, ?)`
  const exception = `INSERT INTO push_exception (push, platform, device, state, attempt, due_at, badge, reason)
    VALUES (?, 0, ?, ?, 1, ?, NULL, ?)`
  const made = NOW - 60_000

  run(push, 1, '019a0000-0000-7000-8000-000000000001', notification, audience([0]), made, NOW + HOUR_MS)
  if (schema < 19) run('UPDATE push SET opened = 2 WHERE number = 1')
  else run('INSERT INTO push_receipt (push, event, count) VALUES (1, 0, 2)')
  run(delivery, 1, 0, 6, 3, 3, 2, 1, made, made)
  run(exception, 1, 4, 'gone', made, 'Unregistered')
  run(push, 2, OPEN_PUSH, notification, audience([0, 1]), made, NOW + HOUR_MS)
  for (const platform of [0, 1]) run(delivery, 2, platform, 0, null, 0, 0, 0, null, null)
  run(push, 3, RETRIED_PUSH, notification, audience([0]), made, NOW + HOUR_MS)
  run(delivery, 3, 0, 6, 2, 2, 1, 0, made, null)
  run(exception, 3, 3, 'retry', made, 'ServiceUnavailable')
  if (schema < 4) return

  run('UPDATE push SET released_at = created_at')
  const waits = `UPDATE push SET send_at = ?, released_at = NULL, cancelled_at = ? WHERE number = ?`
  for (const [number, cancelled] of [
    [4, null],
    [5, made],
  ] as const) {
    run(
      push,
      number,
      `019a0000-0000-7000-8000-00000000000${number}`,
      notification,
      audience([0]),
      made,
      NOW + 9 * HOUR_MS,
    )
    run(waits, NOW + 8 * HOUR_MS, cancelled, number)
  }
  run('UPDATE push SET parent = 4 WHERE number = 5')
  run(
    `INSERT INTO idempotency (application, key, digest, push, answer, created_at) VALUES (1, 'once', x'00', 1, '{}', ?)`,
    made,
  )
}

function bytes(hex = ''): Uint8Array {
  return Buffer.from(hex, 'hex')
}
