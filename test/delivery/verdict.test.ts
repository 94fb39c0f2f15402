import { describe, expect, test } from 'bun:test'
import { complaintOf, judge } from '../../src/delivery/verdict.ts'
import { APNS_RETRY } from '../../src/gateway/apns/protocol.ts'
import { FCM_RETRY } from '../../src/gateway/fcm/protocol.ts'
import type { Outcome } from '../../src/gateway/gateway.ts'

const NOW = Date.UTC(2026, 10, 20)
const situation = {
  retry: APNS_RETRY,
  attempt: 1,
  now: NOW,
  expiresAt: NOW + 86_400_000,
  random: 0,
  doubted: false,
  credential: 7,
} as const

describe('what follows from an answer', () => {
  test('accepted is accepted', () => {
    expect(judge({ kind: 'accepted' }, situation)).toEqual({ kind: 'accepted', credential: 7 })
  })

  test('unregistered ends it, and the device is gone since the time the gateway gave', () => {
    const outcome: Outcome = { kind: 'unregistered', since: NOW - 1, reason: 'Unregistered' }
    expect(judge(outcome, situation)).toEqual({
      kind: 'failed',
      state: 'gone',
      reason: 'Unregistered',
      device: 'gone',
      since: NOW - 1,
    })
  })

  test('a rejected token ends it, and the device is quarantined', () => {
    const outcome: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken' }
    expect(judge(outcome, situation)).toMatchObject({ kind: 'failed', state: 'rejected', device: 'quarantine' })
  })

  test('a rejected push ends it, and the device stays', () => {
    const outcome: Outcome = { kind: 'rejected', blame: 'push', reason: 'PayloadTooLarge' }
    expect(judge(outcome, situation)).toMatchObject({ kind: 'failed', state: 'rejected', device: 'keep' })
  })

  test('a device that must wait is tried again after a backoff', () => {
    const outcome: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'TooManyRequests' }
    expect(judge(outcome, situation)).toEqual({ kind: 'retry', dueAt: NOW + 1000, reason: 'TooManyRequests' })
    expect(judge(outcome, { ...situation, attempt: 3 })).toMatchObject({ kind: 'retry', dueAt: NOW + 4000 })
  })

  test('Google is given the ten seconds it asks for, and up to twenty', () => {
    const outcome: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'INTERNAL' }
    expect(judge(outcome, { ...situation, retry: FCM_RETRY })).toMatchObject({ dueAt: NOW + 10_000 })
    expect(judge(outcome, { ...situation, retry: FCM_RETRY, random: 0.999 })).toMatchObject({ dueAt: NOW + 19_990 })
  })

  test('the wait a gateway asks for is never shortened', () => {
    const outcome: Outcome = { kind: 'deferred', afterMs: 90_000, scope: 'device', reason: 'UNAVAILABLE' }
    expect(judge(outcome, situation)).toMatchObject({ kind: 'retry', dueAt: NOW + 90_000 })
  })

  test('a retry that would come after the time to live is not made', () => {
    const outcome: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'TooManyRequests' }
    expect(judge(outcome, { ...situation, expiresAt: NOW + 1000 })).toEqual({
      kind: 'failed',
      state: 'expired',
      reason: 'TooManyRequests',
      device: 'keep',
      since: null,
    })
  })

  test('what no device had a part in holds the recipient, and burns no retry', () => {
    expect(judge({ kind: 'misconfigured', reason: 'the certificate has expired', certain: true }, situation)).toEqual({
      kind: 'pause',
      state: 'misconfigured',
      askedMs: null,
      reason: 'the certificate has expired',
    })
    expect(judge({ kind: 'deferred', afterMs: 60_000, scope: 'credential', reason: 'QUOTA' }, situation)).toEqual({
      kind: 'pause',
      state: 'unreachable',
      askedMs: 60_000,
      reason: 'QUOTA',
    })
  })

  const REFUSED: Outcome = { kind: 'misconfigured', reason: 'InvalidProviderToken' }
  const UNAVAILABLE: Outcome = { kind: 'deferred', afterMs: null, scope: 'either', reason: 'ServiceUnavailable' }
  const THROTTLED: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'TooManyRequests' }
  const late = { ...situation, attempt: 30, random: 0.9999 }
  const minutes = (outcome: Outcome, doubted: boolean) => {
    const verdict = judge(outcome, { ...late, doubted })
    return verdict.kind === 'retry' ? Math.round((verdict.dueAt - NOW) / 60_000) : null
  }

  test('a device that alone is refused waits as any device, up to half an hour', () => {
    expect([REFUSED, UNAVAILABLE, THROTTLED].map((outcome) => minutes(outcome, false))).toEqual([30, 30, 30])
  })

  test('a device that alone is Forbidden is sent to three times, and stays; where the credential may be at fault it waits', () => {
    const forbidden: Outcome = { kind: 'misconfigured', reason: 'Forbidden', tries: 3 }
    const verdicts = [1, 2, 3, 4].map((attempt) => judge(forbidden, { ...situation, attempt, doubted: false }))
    const given = { kind: 'failed', state: 'rejected', reason: 'Forbidden', device: 'keep', since: null } as const
    expect(verdicts).toEqual([
      expect.objectContaining({ kind: 'retry' }),
      expect.objectContaining({ kind: 'retry' }),
      given,
      given,
    ])
    expect(judge(forbidden, { ...situation, attempt: 9, doubted: true })).toMatchObject({ kind: 'retry' })
  })

  test('where the credential may be at fault, it waits no longer than that would, and is not given up', () => {
    expect([REFUSED, UNAVAILABLE, THROTTLED].map((outcome) => minutes(outcome, true))).toEqual([10, 1, 30])
    expect(judge(REFUSED, { ...situation, doubted: true, expiresAt: NOW + 1000 })).toMatchObject({ kind: 'retry' })
  })

  test.each([
    [REFUSED, 'misconfigured'],
    [UNAVAILABLE, 'unreachable'],
    [{ kind: 'rejected', blame: 'token', reason: 'BadDeviceToken' }, null],
    [{ kind: 'rejected', blame: 'mismatch', reason: 'SENDER_ID_MISMATCH' }, null],
    [{ kind: 'rejected', blame: 'token', reason: 'BadDeviceToken', certain: true }, null],
    [{ kind: 'rejected', blame: 'push', reason: 'PayloadTooLarge' }, null],
    [{ kind: 'misconfigured', reason: 'the certificate has expired', certain: true }, null],
    [THROTTLED, null],
    [{ kind: 'unregistered', since: NOW, reason: 'Unregistered' }, null],
    [{ kind: 'accepted' }, null],
  ] as const)('%p has this against the credential: %p', (outcome: Outcome, complaint) => {
    expect(complaintOf(outcome)).toBe(complaint)
  })
})
