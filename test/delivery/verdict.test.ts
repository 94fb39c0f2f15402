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
type Situation = Partial<Parameters<typeof judge>[1]>

const failed = (state: string, reason: string, device: string, since: number | null = null) =>
  ({ kind: 'failed', state, reason, device, since }) as const

const REFUSED: Outcome = { kind: 'misconfigured', reason: 'InvalidProviderToken' }
const FORBIDDEN: Outcome = { kind: 'misconfigured', reason: 'Forbidden', tries: 3 }
const EXPIRED: Outcome = { kind: 'misconfigured', reason: 'the certificate has expired', certain: true }
const UNAVAILABLE: Outcome = { kind: 'deferred', afterMs: null, scope: 'either', reason: 'ServiceUnavailable' }
const THROTTLED: Outcome = { kind: 'deferred', afterMs: null, scope: 'device', reason: 'TooManyRequests' }
const UNREGISTERED: Outcome = { kind: 'unregistered', since: NOW - 1, reason: 'Unregistered' }
const BAD_TOKEN: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken' }
const BAD_PUSH: Outcome = { kind: 'rejected', blame: 'push', reason: 'PayloadTooLarge' }

describe('what follows from an answer', () => {
  test.each<[string, Outcome, Situation, object]>([
    ['accepted', { kind: 'accepted' }, {}, { kind: 'accepted', credential: 7 }],
    ['gone, since the time the gateway gave', UNREGISTERED, {}, failed('gone', 'Unregistered', 'gone', NOW - 1)],
    ['a rejected token is set aside', BAD_TOKEN, {}, failed('rejected', 'BadDeviceToken', 'quarantine')],
    ['a rejected push leaves the device', BAD_PUSH, {}, failed('rejected', 'PayloadTooLarge', 'keep')],
    ['a backoff', THROTTLED, {}, { kind: 'retry', dueAt: NOW + 1000, reason: 'TooManyRequests' }],
    ['a third backoff', THROTTLED, { attempt: 3 }, { kind: 'retry', dueAt: NOW + 4000 }],
    ['the ten seconds that Google asks for', THROTTLED, { retry: FCM_RETRY }, { dueAt: NOW + 10_000 }],
    ['and up to twenty', THROTTLED, { retry: FCM_RETRY, random: 0.999 }, { dueAt: NOW + 19_990 }],
    ['the wait that is asked for', { ...THROTTLED, afterMs: 90_000 }, {}, { kind: 'retry', dueAt: NOW + 90_000 }],
    [
      'no retry after the time to live',
      THROTTLED,
      { expiresAt: NOW + 1000 },
      failed('expired', 'TooManyRequests', 'keep'),
    ],
    [
      'a pause that burns no retry: no device had a part in it',
      EXPIRED,
      {},
      { kind: 'pause', state: 'misconfigured', askedMs: null, reason: 'the certificate has expired' },
    ],
    [
      'a pause of the length that is asked for',
      { kind: 'deferred', afterMs: 60_000, scope: 'credential', reason: 'QUOTA' },
      {},
      { kind: 'pause', state: 'unreachable', askedMs: 60_000, reason: 'QUOTA' },
    ],
    ['a second try of a device that alone is Forbidden', FORBIDDEN, { attempt: 2 }, { kind: 'retry' }],
    ['no fourth', FORBIDDEN, { attempt: 3 }, failed('rejected', 'Forbidden', 'keep')],
    ['another try if the credential may be at fault', FORBIDDEN, { attempt: 9, doubted: true }, { kind: 'retry' }],
    ['so after its time to live', REFUSED, { doubted: true, expiresAt: NOW + 1000 }, { kind: 'retry' }],
  ])('%s', (_, outcome, more, verdict) => {
    expect(judge(outcome, { ...situation, ...more })).toMatchObject(verdict)
  })

  test.each([
    ['a device that alone is refused waits as any device, up to half an hour', false, [30, 30, 30]],
    ['where the credential may be at fault, no longer than that would', true, [10, 1, 30]],
  ])('%s', (_, doubted, minutes) => {
    const waits = [REFUSED, UNAVAILABLE, THROTTLED].map((outcome) => {
      const verdict = judge(outcome, { ...situation, attempt: 30, random: 0.9999, doubted })
      return verdict.kind === 'retry' ? Math.round((verdict.dueAt - NOW) / 60_000) : null
    })
    expect(waits).toEqual(minutes)
  })

  test.each<[Outcome, string | null]>([
    [REFUSED, 'misconfigured'],
    [UNAVAILABLE, 'unreachable'],
    [BAD_TOKEN, null],
    [{ kind: 'rejected', blame: 'mismatch', reason: 'SENDER_ID_MISMATCH' }, null],
    [{ kind: 'rejected', blame: 'token', reason: 'BadDeviceToken', certain: true }, null],
    [BAD_PUSH, null],
    [EXPIRED, null],
    [THROTTLED, null],
    [UNREGISTERED, null],
    [{ kind: 'accepted' }, null],
  ])('%p has this against the credential: %p', (outcome, complaint) => {
    expect(complaintOf(outcome)).toBe(complaint as ReturnType<typeof complaintOf>)
  })
})
