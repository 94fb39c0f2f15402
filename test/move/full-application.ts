import type { Database } from '../../src/database/database.ts'
import type { Value } from '../../src/database/statement.ts'

type Rows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>

const AT = 1_750_000_000_000

/** Rows in every table that moves: application 3 with two devices, and application 2 with lower numbers. */
export const FULL: Rows = {
  application: [application(2, 'app_other', 'Other'), application(3, 'app_full', 'Full')],
  credential: [
    { application: 3, provider: 'apns', public: '{}', sealed: bytes(40), created_at: AT },
    { application: 3, provider: 'fcm', public: '{}', sealed: bytes(41), created_at: AT },
  ],
  user_key: [{ application: 3, sealed: bytes(42), previous_until: AT, created_at: AT }],
  webhook: [
    {
      application: 3,
      url: 'https://a.example',
      sealed: bytes(43),
      events: '[]',
      changed_at: AT,
      disabled_at: null,
      waiting: 1,
      dropped: 2,
    },
  ],
  hook: [
    {
      number: 7,
      name: 'keyed',
      application: 3,
      template: '{}',
      key_hash: bytes(32),
      signature: null,
      sealed: null,
      created_at: AT,
      changed_at: AT,
    },
    {
      number: 9,
      name: 'signed',
      application: 3,
      template: '{}',
      key_hash: null,
      signature: 'github',
      sealed: bytes(44),
      created_at: AT,
      changed_at: AT,
    },
  ],
  hook_call: [{ number: 70, hook: 9, at: AT, outcome: 'pushed', detail: 'push-1', repeats: 2 }],
  paused_credential: [{ application: 3, platform: 1 }],
  quota: [{ application: 3, period: '2026-11', used: 17 }],
  tally: [{ application: 3, day: 20_000, platform: 1, t: 5, s: 4, o: 3, received: 2 }],
  feedback: [{ application: 3, platform: 1, token: 'gone', reason: 'Unregistered', at: AT }],
  device: [
    device(5, 2, 'other'),
    device(600, 3, bytes(32)),
    {
      ...device(601, 3, 'fcm-601'),
      platform: 1,
      moved_at: 1000,
      timezone: 'Europe/Berlin',
      alias: 'ann',
      user: 'ann',
      lat: 1,
      lng: 2.5,
      badge: 4,
    },
  ],
  device_key: [{ device: 601, p256dh: bytes(65), auth: bytes(16) }],
  left_device: [{ device: 600, alias: 'bob', labels: '{"tag":["vip"]}' }],
  adopted_token: [{ device: 601, application: 3, platform: 1, token: 'before', at: AT }],
  device_label: [
    { label: 30, device: 600 },
    { label: 31, device: 601 },
  ],
  label: [
    { id: 30, application: 3, kind: 0, name: 'vip', network: null },
    { id: 31, application: 3, kind: 1, name: 'news', network: '192.0.2.0/24' },
  ],
  push: [
    push(11, 'push-1', { filter: { platforms: [1], devices: [600, 601] } }),
    { ...push(12, 'push-2', { turn: { zones: [null], stayedSince: 1000 } }), parent: 11, held_until: 2000 },
    {
      ...push(13, 'push-3', {
        filter: {
          platforms: [0],
          stayedSince: 1000,
          missed: { pushes: [11], unsent: [{ platform: 0, ranges: [[1, 600]], turn: { stayedSince: 5 } }] },
        },
        letGoAt: 3000,
      }),
      resend_of: 11,
    },
    push(14, 'push-4', { device: 601, platform: 1 }),
    { ...push(15, 'push-5', { filter: { platforms: [1], reached: { pushes: [11] } } }), takes_back: 11 },
    { ...push(16, 'push-6', { device: 601, platform: 1 }), takes_back: 0 },
  ],
  delivery: [
    { ...delivery(11, 0), finished_at: AT, expires_at: AT },
    { ...delivery(13, 0), progress: 600, ahead: '[[601,610]]', waits_until: 4000, expires_at: 5000 },
  ],
  delivery_language: [{ push: 11, platform: 0, language: 'de', accepted: 3 }],
  push_exception: [
    {
      push: 11,
      platform: 0,
      device: 600,
      state: 'gone',
      attempt: 1,
      due_at: AT,
      badge: null,
      reason: 'Unregistered',
      language: null,
    },
    {
      push: 13,
      platform: 0,
      device: 601,
      state: 'retry',
      attempt: 2,
      due_at: 6000,
      badge: 4,
      reason: 'busy',
      language: 'de',
    },
  ],
  push_receipt: [{ push: 11, event: 0, action: '', language: '', count: 2 }],
  receipt: [{ push: 11, device: 600, event: 0, action: '', at: AT }],
  badge_lease: [{ push: 13, platform: 0, first: 600, last: 601, devices: '[600,601]' }],
  accepted_device: [{ application: 3, platform: 0, credential: AT, block: 1, devices: bytes(64) }],
  refused_token: [{ application: 3, platform: 0, credential: AT, device: 601, reason: 'BadDeviceToken', since: AT }],
  idempotency: [{ application: 3, key: 'once', digest: bytes(32), push: 11, answer: '{}', created_at: AT }],
  event: [
    {
      number: 21,
      id: 'evt_1',
      application: 3,
      type: 'push.finished',
      body: '{}',
      attempt: 1,
      due_at: 7000,
      created_at: AT,
    },
  ],
}

export function fillFull(database: Database): void {
  for (const [table, rows] of Object.entries(FULL)) {
    for (const row of rows) {
      const names = Object.keys(row)
      const sql = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      database.statement<never, Value[]>(sql).run(...Object.values(row))
    }
  }
  database.statement('UPDATE registry_size SET devices = 2 WHERE application = 3').run()
}

function bytes(length: number): Uint8Array {
  return Buffer.alloc(length, length)
}

function application(number: number, id: string, name: string) {
  const limits = { rate: 1.5, burst: 1, backend_rate: 0, backend_burst: 1, quota: 9, quota_period: 'day' }
  return { number, id, name, secret_hash: bytes(32), ...limits, created_at: AT, push_id: 0, previous_until: AT }
}

function device(id: number, of: number, token: string | Uint8Array) {
  const times = { registered_at: AT, seen_at: AT + 1, updated_at: AT + 2 }
  return { id, application: of, platform: 0, token, ...times }
}

function push(number: number, id: string, audience: object) {
  const what = { notification: '{"msg":"x"}', audience: JSON.stringify(audience), ceiling: 601 }
  return { number, id, application: 3, ...what, created_at: AT, expires_at: AT + 9, send_at: AT + 5 }
}

function delivery(of: number, platform: number) {
  return { push: of, platform, application: 3, lane: 1, addressed: 2, settled: 1, accepted: 1, failed: 0, removed: 0 }
}
