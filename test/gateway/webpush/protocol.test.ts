import { describe, expect, test } from 'bun:test'
import { judgeWebPush } from '../../../src/gateway/webpush/protocol.ts'

const judge = (status: number, more: { body?: string; contentType?: string; retryAfterMs?: number } = {}) =>
  judgeWebPush({
    status,
    body: more.body ?? '',
    contentType: more.contentType ?? null,
    retryAfterMs: more.retryAfterMs ?? null,
  })

describe('an answer of a push service', () => {
  test.each([200, 201, 202, 204])('of %p is accepted, whatever else it says', (status) => {
    expect(judge(status)).toEqual({ kind: 'accepted' })
    expect(judge(status, { contentType: 'application/json' })).toEqual({ kind: 'accepted' })
  })

  test('of 200 with a web page comes from something that is no push service', () => {
    expect(judge(200, { contentType: 'text/html; charset=utf-8' })).toEqual({
      kind: 'deferred',
      afterMs: null,
      scope: 'device',
      reason: 'HTTP 200 with a web page',
    })
  })

  test.each([404, 410])('of %p says that the subscription is gone', (status) => {
    expect(judge(status)).toEqual({ kind: 'unregistered', since: null, reason: `HTTP ${status}` })
  })

  test.each([401, 403])('of %p is about the credential', (status) => {
    expect(judge(status)).toEqual({ kind: 'misconfigured', reason: `HTTP ${status}` })
  })

  test.each([
    [400, '{"reason":"VapidPkHashMismatch"}'],
    [401, '{"code":401,"errno":109,"error":"Unauthorized","message":"Request did not validate"}'],
    [
      403,
      'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n',
    ],
  ])('of %p with %p is about the subscription, which was made with another key', (status, body) => {
    const reason = `HTTP ${status}: subscribed with another VAPID key`
    expect(judge(status, { body })).toEqual({ kind: 'rejected', blame: 'mismatch', reason })
  })

  test.each([400, 405, 413, 415])('of %p is about the push', (status) => {
    expect(judge(status)).toEqual({ kind: 'rejected', blame: 'push', reason: `HTTP ${status}` })
  })

  test.each([301, 307, 408])('of %p asks for another time', (status) => {
    const later = { kind: 'deferred', scope: 'device', reason: `HTTP ${status}` } as const
    expect(judge(status)).toEqual({ ...later, afterMs: null })
    expect(judge(status, { retryAfterMs: 7000 })).toEqual({ ...later, afterMs: 7000 })
  })

  test.each([429, 500, 502, 503])('of %p asks for less at a time', (status) => {
    const later = { kind: 'deferred', scope: 'device', strain: true } as const
    expect(judge(status)).toEqual({ ...later, afterMs: null, reason: `HTTP ${status}` })
  })

  test.each([429, 503])('of %p that says when to come back holds the whole push service', (status) => {
    const later = { kind: 'deferred', scope: 'service', reason: `HTTP ${status}` } as const
    expect(judge(status, { retryAfterMs: 7000 })).toEqual({ ...later, afterMs: 7000 })
  })
})
