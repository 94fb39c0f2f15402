import { describe, expect, test } from 'bun:test'
import { judgeFcm } from '../../../src/gateway/fcm/protocol.ts'
import type { Outcome } from '../../../src/gateway/gateway.ts'
import { gone, later, misconfigured, rejected } from '../outcome.ts'
import { fcmError } from './firebase.ts'

describe('an answer of FCM', () => {
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

  const badToken = (reason: string) => rejected('token', reason)
  const badFid = (reason: string): Outcome => ({ kind: 'rejected', blame: 'token', reason, certain: true })
  const badPush = (reason: string) => rejected('push', reason)

  const INVALID = 'INVALID_ARGUMENT'
  const NOT_A_TOKEN = 'The registration token is not a valid FCM registration token'
  const TABLE: readonly [name: string, status: number, body: string, Outcome][] = [
    ['a malformed token', 400, errorOf(INVALID, NOT_A_TOKEN, fcmError(INVALID)), badToken(INVALID)],
    [
      'a violation of message.token',
      400,
      errorOf(INVALID, NOT_A_TOKEN, fcmError(INVALID), badRequest('message.token')),
      badToken(INVALID),
    ],
    [
      'a violation of another field',
      400,
      errorOf(INVALID, 'Invalid value', badRequest('message.data[0].value')),
      badPush(INVALID),
    ],
    [
      'a violation of another field that speaks of tokens',
      400,
      errorOf(INVALID, NOT_A_TOKEN, fcmError(INVALID), badRequest('message.android.ttl')),
      badPush(INVALID),
    ],
    [
      'violations of the token and another field',
      400,
      errorOf(INVALID, NOT_A_TOKEN, badRequest('message.token', 'message.data')),
      badPush(INVALID),
    ],
    ['words about a token without FcmError', 400, errorOf(INVALID, NOT_A_TOKEN), badPush(INVALID)],
    [
      'a message that is too big',
      400,
      errorOf(INVALID, 'Android message is too big', fcmError(INVALID)),
      badPush(INVALID),
    ],
    [
      'a malformed installation ID',
      400,
      errorOf(INVALID, 'Invalid installation ID', fcmError(INVALID)),
      badFid(INVALID),
    ],
    [
      'a violation of message.fid',
      400,
      errorOf(INVALID, 'Invalid value', fcmError(INVALID), badRequest('message.fid')),
      badFid(INVALID),
    ],
    [
      'a violation of message.fid, as the front end tells of one',
      400,
      errorOf(INVALID, 'Invalid value', badRequest('message.fid')),
      badFid(INVALID),
    ],
    [
      'violations of the installation ID and another field',
      400,
      errorOf(INVALID, 'Invalid value', badRequest('message.fid', 'message.data')),
      badPush(INVALID),
    ],
    [
      'a phone for which Firebase lacks a key',
      401,
      errorOf('UNAUTHENTICATED', 'Auth error', fcmError('THIRD_PARTY_AUTH_ERROR')),
      later('device', 'THIRD_PARTY_AUTH_ERROR'),
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
      rejected('mismatch', 'SENDER_ID_MISMATCH'),
    ],
    ['a missing role', 403, errorOf('PERMISSION_DENIED', 'Permission denied'), misconfigured('PERMISSION_DENIED')],
    ['an app that is gone', 404, errorOf('NOT_FOUND', 'Not found', fcmError('UNREGISTERED')), gone('UNREGISTERED')],
    [
      'an installation that is gone',
      404,
      errorOf('NOT_FOUND', 'Not found', fcmError('UNREGISTERED_FID')),
      gone('UNREGISTERED_FID'),
    ],
    [
      'an installation that is gone, with the other status',
      400,
      errorOf(INVALID, 'Not found', fcmError('UNREGISTERED_FID')),
      gone('UNREGISTERED_FID'),
    ],
    [
      'an installation that is gone, without FcmError',
      404,
      errorOf('UNREGISTERED_FID', 'Not found'),
      gone('UNREGISTERED_FID'),
    ],
    [
      'an installation at a server in trouble',
      503,
      errorOf('UNREGISTERED_FID', 'x'),
      later('either', 'UNREGISTERED_FID'),
    ],
    ['an unknown project', 404, errorOf('NOT_FOUND', 'Not found'), misconfigured('NOT_FOUND')],
    ['a page that is not found', 404, '<!DOCTYPE html>', misconfigured('HTTP 404')],
    [
      'a quota of nobody knows whom',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Quota exceeded', fcmError('QUOTA_EXCEEDED')),
      later('either', 'QUOTA_EXCEEDED', 60_000),
    ],
    [
      'the quota of the project',
      429,
      errorOf(
        'RESOURCE_EXHAUSTED',
        'Quota exceeded',
        fcmError('QUOTA_EXCEEDED'),
        quotaFailure('project:1', 'Messages a minute'),
      ),
      later('credential', 'QUOTA_EXCEEDED', 60_000),
    ],
    [
      'the quota of the project, by the quota service',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Quota exceeded', {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'RATE_LIMIT_EXCEEDED',
      }),
      later('credential', 'RESOURCE_EXHAUSTED', 60_000),
    ],
    [
      'a quota service that says no more',
      429,
      errorOf('RESOURCE_EXHAUSTED', 'Quota exceeded'),
      later('either', 'RESOURCE_EXHAUSTED', 60_000),
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
    // A page is of Google's front end: it is not the push's fault.
    ['a page that calls the request bad', 400, '<!DOCTYPE html>', later('either', 'HTTP 400')],
    ['a page that refuses the method', 405, '<!DOCTYPE html>', later('either', 'HTTP 405')],
    ['a page that finds too much', 413, '<!DOCTYPE html>', later('either', 'HTTP 413')],
    ['a bad gateway', 502, '<!DOCTYPE html>', later('either', 'HTTP 502')],
    [
      'an overload',
      503,
      errorOf('UNAVAILABLE', 'Unavailable', fcmError('UNAVAILABLE')),
      later('either', 'UNAVAILABLE'),
    ],
    ['a redirect', 302, '', later('either', 'HTTP 302')],
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
      expect(judgeFcm(200, body, null)).toEqual(later('either', 'HTTP 200 without a message name'))
    }
  })
})
