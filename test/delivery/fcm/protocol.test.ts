import { describe, expect, test } from 'bun:test'
import { fcmBytes, judgeFcm, renderFcm } from '../../../src/delivery/fcm/protocol.ts'
import type { Outcome } from '../../../src/delivery/delivery.ts'
import type { Notification } from '../../../src/push/push.ts'

const PUSH = '01890a5d-ac96-774b-bcce-b302099a8057'
const NOTHING: Notification = { msg: null, sound: null, badge: null, payload: null }
const NOW = 1_700_000_000_000

function bodyOf(
  notification: Partial<Notification>,
  badge: number | null = null,
  expiresAt = NOW + 3_600_000,
): unknown {
  const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, ...notification }, expiresAt })
  return JSON.parse(rendered.body('some:token', badge, NOW))
}

describe('a push for FCM', () => {
  test('shows msg, plays sound, counts the badge, and is replaced by its repeats', () => {
    expect(bodyOf({ msg: 'Hello', sound: 'chime', badge: { add: 1 } }, 7)).toEqual({
      message: {
        token: 'some:token',
        notification: { body: 'Hello' },
        android: {
          priority: 'high',
          ttl: '3600s',
          notification: { tag: PUSH, sound: 'chime', notification_count: 7 },
        },
      },
    })
  })

  test('leaves out what is absent or empty', () => {
    expect(bodyOf({ msg: 'Hello', sound: '' })).toEqual({
      message: {
        token: 'some:token',
        notification: { body: 'Hello' },
        android: { priority: 'high', ttl: '3600s', notification: { tag: PUSH } },
      },
    })
    expect(bodyOf({ msg: '', sound: 'chime' })).toEqual({
      message: {
        token: 'some:token',
        android: { priority: 'high', ttl: '3600s', notification: { tag: PUSH, sound: 'chime' } },
      },
    })
  })

  test('has the payload in data: strings as they are, everything else as JSON text', () => {
    const payload = { text: 'a "b"', number: 5, yes: true, none: null, list: [1, 'x'], object: { a: { b: 1 } } }
    expect(bodyOf({ msg: 'Hello', payload })).toMatchObject({
      message: {
        data: {
          text: 'a "b"',
          number: '5',
          yes: 'true',
          none: 'null',
          list: '[1,"x"]',
          object: '{"a":{"b":1}}',
        },
      },
    })
  })

  test('with nothing to show is a data message at normal priority', () => {
    expect(bodyOf({ payload: { sync: true } })).toEqual({
      message: { token: 'some:token', data: { sync: 'true' }, android: { priority: 'normal', ttl: '3600s' } },
    })
    expect(bodyOf({})).toEqual({
      message: { token: 'some:token', data: {}, android: { priority: 'normal', ttl: '3600s' } },
    })
  })

  test('with a badge alone shows no empty notification, but carries the count in data', () => {
    const android = { priority: 'normal', ttl: '3600s' }
    expect(bodyOf({ badge: { set: 0 } }, 0)).toEqual({
      message: { token: 'some:token', data: { badge: '0' }, android },
    })
    expect(bodyOf({ badge: { set: 3 }, payload: { id: 'x' } }, 3)).toEqual({
      message: { token: 'some:token', data: { id: 'x', badge: '3' }, android },
    })
    expect(bodyOf({ badge: { set: 3 }, payload: { badge: 'gold' } }, 3)).toEqual({
      message: { token: 'some:token', data: { badge: 'gold' }, android },
    })
  })

  test.each([
    [NOW + 1, '1s'],
    [NOW, '0s'],
    [NOW - 5000, '0s'],
    [NOW + 10 * 604_800_000, '2419200s'],
  ])('that expires at %d lives for %s', (expiresAt, ttl) => {
    expect(bodyOf({ msg: 'Hello' }, null, expiresAt)).toMatchObject({ message: { android: { ttl } } })
  })

  test('can be addressed to any token', () => {
    const rendered = renderFcm({ push: PUSH, notification: { ...NOTHING, msg: 'Hello' }, expiresAt: NOW })
    const token = 'a"b\\c\u2028'
    expect(JSON.parse(rendered.body(token, null, NOW))).toMatchObject({ message: { token } })
  })

  test('is measured without the token, at the largest badge and time to live it can have', () => {
    const cases: [Partial<Notification>, number | null][] = [
      [{ msg: 'Grüße 👋', sound: 'chime', payload: { id: 'ü' } }, null],
      [{ msg: 'Hello', badge: { set: 12 } }, 12],
      [{ msg: 'Hello', badge: { add: 1 } }, 2_147_483_647],
      [{ badge: { add: 1 } }, 2_147_483_647],
    ]
    for (const [notification, badge] of cases) {
      const rendered = renderFcm({
        push: PUSH,
        notification: { ...NOTHING, ...notification },
        expiresAt: NOW + 10 * 604_800_000,
      })
      expect(fcmBytes({ ...NOTHING, ...notification })).toBe(Buffer.byteLength(rendered.body('', badge, NOW)))
    }
  })
})

describe('an answer of FCM', () => {
  const fcmError = (errorCode: string) => ({
    '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
    errorCode,
  })
  const badRequest = (...fields: string[]) => ({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: fields.map((field) => ({ field, description: `Invalid value at '${field}'` })),
  })
  const quotaFailure = (subject: string, description: string) => ({
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ subject, description }],
  })
  const errorOf = (status: string, message: string, ...details: object[]) =>
    JSON.stringify({ error: { code: 0, message, status, details } })

  const badToken = (reason: string): Outcome => ({ kind: 'rejected', blame: 'token', reason })
  const badPush = (reason: string): Outcome => ({ kind: 'rejected', blame: 'push', reason })
  const misconfigured = (reason: string): Outcome => ({ kind: 'misconfigured', reason })
  const later = (scope: 'device' | 'credential', reason: string, afterMs: number | null = null): Outcome => ({
    kind: 'deferred',
    afterMs,
    scope,
    reason,
  })

  const NOT_A_TOKEN = 'The registration token is not a valid FCM registration token'
  const TABLE: readonly [name: string, status: number, body: string, Outcome][] = [
    [
      'a malformed token',
      400,
      errorOf('INVALID_ARGUMENT', NOT_A_TOKEN, fcmError('INVALID_ARGUMENT')),
      badToken('INVALID_ARGUMENT'),
    ],
    [
      'a violation of message.token',
      400,
      errorOf('INVALID_ARGUMENT', NOT_A_TOKEN, fcmError('INVALID_ARGUMENT'), badRequest('message.token')),
      badToken('INVALID_ARGUMENT'),
    ],
    [
      'a violation of another field',
      400,
      errorOf('INVALID_ARGUMENT', 'Invalid value', badRequest('message.data[0].value')),
      badPush('INVALID_ARGUMENT'),
    ],
    [
      'a violation of another field that speaks of tokens',
      400,
      errorOf('INVALID_ARGUMENT', NOT_A_TOKEN, fcmError('INVALID_ARGUMENT'), badRequest('message.android.ttl')),
      badPush('INVALID_ARGUMENT'),
    ],
    [
      'violations of the token and another field',
      400,
      errorOf('INVALID_ARGUMENT', NOT_A_TOKEN, badRequest('message.token', 'message.data')),
      badPush('INVALID_ARGUMENT'),
    ],
    [
      'words about a token without FcmError',
      400,
      errorOf('INVALID_ARGUMENT', NOT_A_TOKEN),
      badPush('INVALID_ARGUMENT'),
    ],
    [
      'a message that is too big',
      400,
      errorOf('INVALID_ARGUMENT', 'Android message is too big', fcmError('INVALID_ARGUMENT')),
      badPush('INVALID_ARGUMENT'),
    ],
    [
      'the APNs key in Firebase',
      401,
      errorOf('UNAUTHENTICATED', 'Auth error', fcmError('THIRD_PARTY_AUTH_ERROR')),
      misconfigured('THIRD_PARTY_AUTH_ERROR'),
    ],
    [
      'a refused access token',
      401,
      errorOf('UNAUTHENTICATED', 'Invalid credentials'),
      misconfigured('UNAUTHENTICATED'),
    ],
    [
      'a token of another project',
      403,
      errorOf('PERMISSION_DENIED', 'SenderId mismatch', fcmError('SENDER_ID_MISMATCH')),
      { kind: 'rejected', blame: 'mismatch', reason: 'SENDER_ID_MISMATCH' },
    ],
    ['a missing role', 403, errorOf('PERMISSION_DENIED', 'Permission denied'), misconfigured('PERMISSION_DENIED')],
    [
      'an app that is gone',
      404,
      errorOf('NOT_FOUND', 'Not found', fcmError('UNREGISTERED')),
      { kind: 'unregistered', since: null, reason: 'UNREGISTERED' },
    ],
    ['an unknown project', 404, errorOf('NOT_FOUND', 'Not found'), misconfigured('NOT_FOUND')],
    ['a page that is not found', 404, '<!DOCTYPE html>', misconfigured('HTTP 404')],
    [
      'the quota of the project',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Quota exceeded', fcmError('QUOTA_EXCEEDED')),
      later('credential', 'QUOTA_EXCEEDED', 60_000),
    ],
    [
      'the quota service',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Quota exceeded'),
      later('credential', 'RESOURCE_EXHAUSTED', 60_000),
    ],
    [
      'the quota of one device',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Rate exceeded', fcmError('QUOTA_EXCEEDED'), quotaFailure('device', 'Too many')),
      later('device', 'QUOTA_EXCEEDED', 60_000),
    ],
    [
      'an internal error',
      500,
      errorOf('INTERNAL', 'Internal error', fcmError('INTERNAL')),
      later('device', 'INTERNAL'),
    ],
    ['a bad gateway', 502, '<!DOCTYPE html>', later('credential', 'HTTP 502')],
    [
      'an overload',
      503,
      errorOf('UNAVAILABLE', 'Unavailable', fcmError('UNAVAILABLE')),
      later('credential', 'UNAVAILABLE'),
    ],
    ['a redirect', 302, '', later('credential', 'HTTP 302')],
    ['an unknown refusal', 409, '{"error":{"status":"ABORTED"}}', badPush('ABORTED')],
    ['a reason that is no name', 400, '{"error":{"status":"<b>"}}', badPush('HTTP 400')],
  ]

  test.each(TABLE)('%s', (_name, status, body, outcome) => {
    expect(judgeFcm(status, body, null)).toEqual(outcome)
  })

  test.each([
    [429, 'QUOTA_EXCEEDED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ])('%d %s waits for as long as Retry-After asks', (status, code) => {
    const body = errorOf('ANY', 'any', fcmError(code))
    expect(judgeFcm(status, body, 7000)).toMatchObject({ kind: 'deferred', afterMs: 7000, reason: code })
  })

  test('is accepted only with the name of the message', () => {
    expect(judgeFcm(200, '{\n  "name": "projects/p/messages/0:1"\n}\n', null)).toEqual({ kind: 'accepted' })
    for (const body of ['', '{}', 'OK', '<html>', 'null', '[]', '{"name":""}', '{"name":5}', '"name"']) {
      expect(judgeFcm(200, body, null)).toEqual(later('credential', 'HTTP 200 without a message name'))
    }
  })
})
