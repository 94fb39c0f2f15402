import { expect, test } from 'bun:test'
import type { AlertCondition } from '../../src/alert/alert.ts'
import { readinessOf } from '../../src/monitoring/readiness.ts'
import { readinessConditions } from '../../src/server/admin/alert-side.ts'

type Facts = Parameters<typeof readinessOf>[0]
type Sender = Facts['senders'][number]

const NOW = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000
const MEBIBYTE = 1024 * 1024
const SENDER: Sender = {
  name: 'Shop',
  application: 7,
  platform: 1,
  state: 'ready',
  reason: null,
  inFlight: 0,
  open: 1,
  recipients: 1,
  dueSince: NOW,
  stillSince: null,
  pausedServices: [],
}
const FINE: Facts = {
  now: NOW,
  databaseProblem: null,
  senders: [SENDER],
  disk: null,
  backups: null,
  moved: [],
  nearlyUsed: [],
  earlyEnds: null,
}

const conditions = (facts: Partial<Facts>): readonly AlertCondition[] =>
  readinessConditions(readinessOf({ ...FINE, ...facts }).found)
const ofSender = (sender: Partial<Sender>) => conditions({ senders: [{ ...SENDER, ...sender }] })
const told = (found: readonly AlertCondition[]) =>
  found.map(({ kind, isFailure, about }) => `${kind}${isFailure ? ', not ready' : ''}: ${about}`)

test('what readiness finds is told by its kind, and by whom or what it is about', () => {
  const backups = { everyMs: HOUR_MS, lastSuccessAt: NOW - 3 * HOUR_MS, lastError: null, verified: null }
  expect(told(conditions({}))).toEqual([])
  expect(told(conditions({ databaseProblem: 'disk I/O error' }))).toEqual(['not-ready, not ready: database/'])
  expect(told(ofSender({ stillSince: NOW - HOUR_MS }))).toEqual(['not-ready, not ready: queue/7/1'])
  expect(told(ofSender({ state: 'no-credential' }))).toEqual(['credential, not ready: credentials/7/1'])
  expect(told(conditions({ disk: { freeBytes: MEBIBYTE, sizeBytes: 1000 * MEBIBYTE } }))).toEqual([
    'disk, not ready: disk/',
  ])
  expect(told(conditions({ backups }))).toEqual(['backup-late: backups/last'])
  const verified = { lastSuccessAt: null, lastError: 'It is damaged.' }
  expect(told(conditions({ backups: { ...backups, lastSuccessAt: NOW, verified } }))).toEqual([
    'backup-late: backups/verified',
  ])
  const nearlyUsed = [{ name: 'Shop', used: 8, quota: 10, endsAt: NOW }]
  expect(told(conditions({ nearlyUsed }))).toEqual(['quota: quotas/Shop'])
})

test('what it is about stays the same while the words change', () => {
  const [one, two] = ['InvalidProviderToken', 'ExpiredProviderToken'].map((reason) =>
    ofSender({ state: 'misconfigured', reason }),
  )
  expect(one?.map(({ about }) => about)).toEqual(two?.map(({ about }) => about))
  expect(one).not.toEqual(two)
})

test('of gateways only a quota that is used up is told', () => {
  expect(ofSender({ state: 'unreachable', reason: 'ECONNREFUSED' })).toEqual([])
  expect(ofSender({ state: 'unreachable', reason: 'QUOTA_EXCEEDED' })).toMatchObject([
    { kind: 'quota', what: 'Shop: FCM accepts nothing now (QUOTA_EXCEEDED); pushes are waiting.' },
  ])
})
