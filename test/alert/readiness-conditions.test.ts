import { expect, test } from 'bun:test'
import type { AlertCondition } from '../../src/alert/alert.ts'
import { HOUR_MS } from '../../src/clock.ts'
import { readinessOf } from '../../src/monitoring/readiness.ts'
import { readinessConditions } from '../../src/server/admin/alert-side.ts'
import { FINE, MEBIBYTE, NOW, SENDER } from '../monitoring/facts.ts'
import type { Facts, Sender } from '../monitoring/facts.ts'

const conditions = (facts: Partial<Facts>): readonly AlertCondition[] =>
  readinessConditions(readinessOf({ ...FINE, ...facts }).found)
const ofSender = (sender: Partial<Sender>) => conditions({ senders: [{ ...SENDER, ...sender }] })
const told = (found: readonly AlertCondition[]) =>
  found.map(({ kind, isFailure, about }) => `${kind}${isFailure ? ', not ready' : ''}: ${about}`)

test('what readiness finds is told by its kind, and by whom or what it is about', () => {
  const backups = { everyMs: HOUR_MS, lastSuccessAt: NOW - 3 * HOUR_MS, lastError: null, verified: null }
  expect(told(conditions({}))).toEqual([])
  expect(told(conditions({ databaseProblem: 'disk I/O error' }))).toEqual(['not-ready, not ready: database/'])
  expect(told(ofSender({ stillSince: NOW - HOUR_MS }))).toEqual(['not-ready, not ready: queue/7/0'])
  expect(told(ofSender({ state: 'no-credential' }))).toEqual(['credential, not ready: credentials/7/0'])
  expect(told(conditions({ disk: { freeBytes: MEBIBYTE, sizeBytes: 1000 * MEBIBYTE } }))).toEqual([
    'disk, not ready: disk/',
  ])
  expect(told(conditions({ backups }))).toEqual(['backup-late: backups/last'])
  const verified = { lastSuccessAt: null, lastError: 'It is damaged.' }
  expect(told(conditions({ backups: { ...backups, lastSuccessAt: NOW, verified } }))).toEqual([
    'backup-late: backups/verified',
  ])
  const nearlyUsed = [{ name: 'shop', used: 8, quota: 10, endsAt: NOW }]
  expect(told(conditions({ nearlyUsed }))).toEqual(['quota: quotas/shop'])
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
    { kind: 'quota', what: 'shop: APNs accepts nothing now (QUOTA_EXCEEDED); pushes are waiting.' },
  ])
})
