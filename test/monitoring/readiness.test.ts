import { describe, expect, test } from 'bun:test'
import { readinessOf } from '../../src/monitoring/readiness.ts'

type Facts = Parameters<typeof readinessOf>[0]
type Sender = Facts['senders'][number]

const NOW = Date.UTC(2026, 10, 20, 12)
const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE
const DAY_MS = 24 * 60 * 60 * 1000

const FINE: Facts = {
  now: NOW,
  databaseProblem: null,
  senders: [],
  disk: null,
  backups: null,
  moved: [],
  nearlyUsed: [],
  earlyEnds: null,
}

const SENDER: Sender = {
  name: 'shop',
  application: 1,
  platform: 0,
  state: 'ready',
  reason: null,
  inFlight: 0,
  open: 1,
  recipients: 1,
  dueSince: NOW,
  stillSince: null,
  pausedServices: [],
}

const of = (facts: Partial<Facts>) => readinessOf({ ...FINE, ...facts })
const ofSender = (sender: Partial<Sender>) => of({ senders: [{ ...SENDER, ...sender }] })

test('a service that can write and has nothing to send is ready', () => {
  expect(of({})).toMatchObject({
    ready: true,
    reasons: [],
    warnings: [],
    checks: {
      database: 'ok',
      queue: 'ok',
      credentials: 'ok',
      gateways: 'ok',
      disk: 'ok',
      backups: 'ok',
      quotas: 'ok',
      connections: 'ok',
    },
  })
})

test('a database that cannot be written is a reason', () => {
  const { ready, reasons, checks } = of({ databaseProblem: 'database or disk is full' })
  expect({ ready, reasons }).toEqual({
    ready: false,
    reasons: ['The database cannot be written: database or disk is full.'],
  })
  expect(checks.database).toBe('failed')
})

test('a quota that is nearly used is a warning, which says whose calls are refused until when', () => {
  const endsAt = Date.UTC(2026, 11, 1)
  const nearlyUsed = [
    { name: 'shop', used: 8, quota: 10, endsAt },
    { name: 'news', used: 10, quota: 10, endsAt },
  ]
  expect(of({ nearlyUsed })).toMatchObject({
    ready: true,
    warnings: [
      'shop: 8 calls of its quota of 10 are used; calls without the secret are refused until 2026-12-01T00:00:00Z.',
      'news: 10 calls of its quota of 10 are used; all its calls are refused until 2026-12-01T00:00:00Z.',
    ],
    checks: { quotas: 'warning' },
  })
})

describe('the queue', () => {
  test('stands still when nothing was answered for a minute although something is due', () => {
    expect(ofSender({ stillSince: NOW - 59_999 }).ready).toBe(true)
    expect(ofSender({ stillSince: NOW - 60_000 })).toMatchObject({
      ready: false,
      reasons: ['shop: the queue to APNs has not moved since 2026-11-20T11:59:00Z.'],
      checks: { queue: 'failed' },
    })
  })

  test('may be old as long as it moves', () => {
    expect(ofSender({ dueSince: NOW - DAY_MS, stillSince: NOW - 100 }).ready).toBe(true)
  })
})

describe('a credential', () => {
  test('that is refused is a reason while pushes wait', () => {
    const refused = { state: 'misconfigured', reason: 'InvalidProviderToken' } as const
    expect(ofSender({ ...refused, platform: 1 })).toMatchObject({
      ready: false,
      reasons: ['shop: FCM refuses the credential (InvalidProviderToken); pushes are waiting.'],
      checks: { credentials: 'failed' },
    })
    expect(ofSender({ ...refused, open: 0, recipients: 0 }).ready).toBe(true)
  })

  test('that is not there is a reason while pushes wait for it', () => {
    expect(ofSender({ state: 'no-credential' })).toMatchObject({
      ready: false,
      reasons: ['shop: there is no credential for APNs; pushes are waiting.'],
    })
  })

  test('that is not there is none while a push is open that addresses nobody', () => {
    expect(ofSender({ state: 'no-credential', open: 1, recipients: 0 })).toMatchObject({ ready: true, reasons: [] })
  })
})

test('a gateway that cannot be reached is a warning: the queue goes on by itself', () => {
  expect(ofSender({ state: 'unreachable', reason: 'ECONNREFUSED' })).toMatchObject({
    ready: true,
    reasons: [],
    warnings: ['shop: APNs accepts nothing now (ECONNREFUSED); pushes are waiting.'],
    checks: { gateways: 'warning' },
  })
})

test('a gateway that is down for many applications is one warning, which names three of them', () => {
  const senders = ['shop', 'news', 'game', 'club', 'chat'].map((name, at): Sender => {
    const reason = at === 1 ? 'HTTP 503' : 'ENOTFOUND'
    return Object.assign({}, SENDER, { name, application: at + 1, state: 'unreachable', reason })
  })
  expect(of({ senders }).warnings).toEqual([
    'shop, game, club and 1 more: APNs accepts nothing now (ENOTFOUND); pushes are waiting.',
    'news: APNs accepts nothing now (HTTP 503); pushes are waiting.',
  ])
})

test('a push service that is waited for is a warning, by the name of all its hosts', () => {
  const pausedServices = [{ service: 'https://updates.push.services.mozilla.com', reason: 'HTTP 429' }]
  expect(ofSender({ platform: 2, pausedServices })).toMatchObject({
    ready: true,
    reasons: [],
    warnings: [
      'shop: the push service push.services.mozilla.com accepts nothing now (HTTP 429); its browsers are waiting.',
    ],
    checks: { gateways: 'warning' },
  })
  expect(ofSender({ platform: 2, pausedServices, recipients: 0 }).warnings).toEqual([])
})

test('a gateway that is reached by the second transport only is a warning', () => {
  expect(of({ moved: ['https://api.push.apple.com'] })).toMatchObject({
    ready: true,
    warnings: ['https://api.push.apple.com is reached by the second transport only.'],
  })
})

describe('the disk is nearly full', () => {
  const cases: [string, number, number, boolean][] = [
    ['at less than 64 MiB', 64 * MEBIBYTE - 1, GIBIBYTE, true],
    ['not at 64 MiB of a small one', 64 * MEBIBYTE, GIBIBYTE, false],
    ['at less than a fiftieth', 399 * MEBIBYTE, 20_000 * MEBIBYTE, true],
    ['not at a fiftieth', 400 * MEBIBYTE, 20_000 * MEBIBYTE, false],
    ['not at 1 GiB of a large one', GIBIBYTE, 2000 * GIBIBYTE, false],
    ['at less than 1 GiB of a large one', GIBIBYTE - 1, 2000 * GIBIBYTE, true],
  ]
  for (const [name, freeBytes, sizeBytes, full] of cases) {
    test(name, () => expect(of({ disk: { freeBytes, sizeBytes } }).ready).toBe(!full))
  }

  test('and says how full', () => {
    expect(of({ disk: { freeBytes: 12.5 * MEBIBYTE, sizeBytes: 20 * GIBIBYTE } }).reasons).toEqual([
      'The data disk is nearly full: 12 MiB of 20480 MiB are free.',
    ])
  })
})

describe('backups', () => {
  const made = (lastSuccessAt: number | null, lastError: string | null = null) =>
    of({ backups: { lastSuccessAt, lastError, everyMs: DAY_MS, verified: null } })

  test('that are in time say nothing', () => {
    expect(made(NOW - 2 * DAY_MS).warnings).toEqual([])
    expect(made(null).warnings).toEqual([])
  })

  test('that are late, or fail, are a warning and no more', () => {
    expect(made(NOW - 2 * DAY_MS - 1)).toMatchObject({
      ready: true,
      warnings: ['The last backup is of 2026-11-18T11:59:59Z, and one is due every 1440 minutes.'],
      checks: { backups: 'warning' },
    })
    expect(made(NOW, 'The bucket refuses the key.')).toMatchObject({
      ready: true,
      warnings: ['The last backup failed: The bucket refuses the key.'],
    })
  })

  test('that were not opened for two days, or are damaged, are a warning too', () => {
    const verified = (lastSuccessAt: number | null, lastError: string | null = null) =>
      of({ backups: { lastSuccessAt: NOW, lastError: null, everyMs: DAY_MS, verified: { lastSuccessAt, lastError } } })
    expect(verified(null).warnings).toEqual([])
    expect(verified(NOW - 2 * DAY_MS).warnings).toEqual([])
    expect(verified(NOW - 2 * DAY_MS - 1)).toMatchObject({
      ready: true,
      warnings: ['The newest backup is verified once a day, last at 2026-11-18T11:59:59Z.'],
      checks: { backups: 'warning' },
    })
    expect(verified(NOW, 'The backup x.db is not good: It is not a database.')).toMatchObject({
      ready: true,
      warnings: ['The backup x.db is not good: It is not a database.'],
      checks: { backups: 'warning' },
    })
  })
})
