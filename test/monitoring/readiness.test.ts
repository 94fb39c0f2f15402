import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../src/clock.ts'
import { readinessOf } from '../../src/monitoring/readiness.ts'
import { FINE, MEBIBYTE, NOW, SENDER } from './facts.ts'
import type { Facts, Sender } from './facts.ts'

const GIBIBYTE = 1024 * MEBIBYTE

const of = (facts: Partial<Facts>) => readinessOf({ ...FINE, ...facts })
const sender = (change: Partial<Sender>) => ({ senders: [{ ...SENDER, ...change }] })
const backups = (change: Partial<NonNullable<Facts['backups']>>) => ({
  backups: { lastSuccessAt: NOW, lastError: null, everyMs: DAY_MS, verified: null, ...change },
})
const disk = (freeBytes: number, sizeBytes: number) => ({ disk: { freeBytes, sizeBytes } })

const REFUSED = { state: 'misconfigured', reason: 'InvalidProviderToken', platform: 1 } as const
const PAUSED = {
  platform: 2,
  pausedServices: [{ service: 'https://updates.push.services.mozilla.com', reason: 'HTTP 429' }],
} as const
const ENDS_AT = Date.UTC(2026, 11, 1)

describe('nothing is wrong', () => {
  test.each<[string, Partial<Facts>]>([
    ['where pushes go out', {}],
    ['where nothing is to be sent', { senders: [] }],
    ['with a queue that was still for less than a minute', sender({ stillSince: NOW - 59_999 })],
    ['with a queue that is old, and moves', sender({ dueSince: NOW - DAY_MS, stillSince: NOW - 100 })],
    ['with a refused credential that no push waits for', sender({ ...REFUSED, open: 0, recipients: 0 })],
    ['with a credential that is missing for nobody', sender({ state: 'no-credential', recipients: 0 })],
    ['with a paused push service that nobody waits for', sender({ ...PAUSED, recipients: 0 })],
    ['with 64 MiB left of a small disk', disk(64 * MEBIBYTE, GIBIBYTE)],
    ['with a fiftieth left of a disk', disk(400 * MEBIBYTE, 20_000 * MEBIBYTE)],
    ['with 1 GiB left of a large disk', disk(GIBIBYTE, 2000 * GIBIBYTE)],
    ['with a backup that is in time', backups({ lastSuccessAt: NOW - 2 * DAY_MS })],
    ['before the first backup', backups({ lastSuccessAt: null })],
    ['before a backup is verified', backups({ verified: { lastSuccessAt: null, lastError: null } })],
    [
      'with a backup that was verified in time',
      backups({ verified: { lastSuccessAt: NOW - 2 * DAY_MS, lastError: null } }),
    ],
  ])('%s', (_, facts) => {
    const { ready, reasons, warnings, checks } = of(facts)
    expect({ ready, reasons, warnings }).toEqual({ ready: true, reasons: [], warnings: [] })
    expect(new Set(Object.values(checks))).toEqual(new Set(['ok']))
  })
})

type Check = keyof ReturnType<typeof readinessOf>['checks']

describe('a failure', () => {
  test.each<[string, Partial<Facts>, Check]>([
    [
      'The database cannot be written: database or disk is full.',
      { databaseProblem: 'database or disk is full' },
      'database',
    ],
    [
      'shop: the queue to APNs has not moved since 2026-11-20T11:59:00Z.',
      sender({ stillSince: NOW - 60_000 }),
      'queue',
    ],
    ['shop: FCM refuses the credential (InvalidProviderToken); pushes are waiting.', sender(REFUSED), 'credentials'],
    ['shop: there is no credential for APNs; pushes are waiting.', sender({ state: 'no-credential' }), 'credentials'],
    ['The data disk is nearly full: 12 MiB of 20480 MiB are free.', disk(12.5 * MEBIBYTE, 20 * GIBIBYTE), 'disk'],
    ['The data disk is nearly full: 63 MiB of 1024 MiB are free.', disk(64 * MEBIBYTE - 1, GIBIBYTE), 'disk'],
    ['The data disk is nearly full: 399 MiB of 20000 MiB are free.', disk(399 * MEBIBYTE, 20_000 * MEBIBYTE), 'disk'],
    ['The data disk is nearly full: 1023 MiB of 2048000 MiB are free.', disk(GIBIBYTE - 1, 2000 * GIBIBYTE), 'disk'],
  ])('is told: %s', (reason, facts, check) => {
    expect(of(facts)).toMatchObject({ ready: false, reasons: [reason], warnings: [], checks: { [check]: 'failed' } })
  })
})

describe('a warning', () => {
  const quota = (name: string, used: number) => ({ nearlyUsed: [{ name, used, quota: 10, endsAt: ENDS_AT }] })
  test.each<[string, Partial<Facts>, Check]>([
    [
      'shop: 8 calls of its quota of 10 are used; calls without the secret are refused until 2026-12-01T00:00:00Z.',
      quota('shop', 8),
      'quotas',
    ],
    [
      'news: 10 calls of its quota of 10 are used; all its calls are refused until 2026-12-01T00:00:00Z.',
      quota('news', 10),
      'quotas',
    ],
    [
      'shop: APNs accepts nothing now (ECONNREFUSED); pushes are waiting.',
      sender({ state: 'unreachable', reason: 'ECONNREFUSED' }),
      'gateways',
    ],
    [
      'shop: the push service push.services.mozilla.com accepts nothing now (HTTP 429); its browsers are waiting.',
      sender(PAUSED),
      'gateways',
    ],
    [
      'https://api.push.apple.com is reached by the second transport only.',
      { moved: ['https://api.push.apple.com'] },
      'gateways',
    ],
    [
      'The last backup is of 2026-11-18T11:59:59Z, and one is due every 1440 minutes.',
      backups({ lastSuccessAt: NOW - 2 * DAY_MS - 1 }),
      'backups',
    ],
    [
      'The last backup failed: The bucket refuses the key.',
      backups({ lastError: 'The bucket refuses the key.' }),
      'backups',
    ],
    [
      'The newest backup is verified once a day, last at 2026-11-18T11:59:59Z.',
      backups({ verified: { lastSuccessAt: NOW - 2 * DAY_MS - 1, lastError: null } }),
      'backups',
    ],
    [
      'The backup x.db is not good: It is not a database.',
      backups({ verified: { lastSuccessAt: NOW, lastError: 'The backup x.db is not good: It is not a database.' } }),
      'backups',
    ],
  ])('leaves it ready: %s', (warning, facts, check) => {
    expect(of(facts)).toMatchObject({ ready: true, reasons: [], warnings: [warning], checks: { [check]: 'warning' } })
  })

  test('of a gateway that is down for many applications is one, which names three of them', () => {
    const senders = ['shop', 'news', 'game', 'club', 'chat'].map((name, at): Sender => {
      const reason = at === 1 ? 'HTTP 503' : 'ENOTFOUND'
      return Object.assign({}, SENDER, { name, application: at + 1, state: 'unreachable', reason })
    })
    expect(of({ senders }).warnings).toEqual([
      'shop, game, club and 1 more: APNs accepts nothing now (ENOTFOUND); pushes are waiting.',
      'news: APNs accepts nothing now (HTTP 503); pushes are waiting.',
    ])
  })
})
