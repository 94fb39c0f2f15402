import { describe, expect, test } from 'bun:test'
import { ANSWERS, isOn } from '../../../src/gateway/webpush/answer-table.ts'
import { judgeWebPush } from '../../../src/gateway/webpush/protocol.ts'
import { gone, later, misconfigured, rejected } from '../outcome.ts'

const NOW = Date.UTC(2026, 10, 24)

const judge = (status: number, headers: Readonly<Record<string, string>> = {}, body = '') =>
  judgeWebPush({ status, body, header: (name) => headers[name] ?? null }, NOW)

describe('an answer of a push service', () => {
  test.each([200, 201, 202, 204])('of %p is accepted, whatever else it says', (status) => {
    expect(judge(status)).toEqual({ kind: 'accepted' })
    expect(judge(status, { 'content-type': 'application/json' })).toEqual({ kind: 'accepted' })
  })

  test('of success has nothing of its body read', () => {
    const answer = {
      status: 201,
      get body(): string {
        throw new Error('read')
      },
      header: () => null,
    }
    expect(judgeWebPush(answer, NOW)).toEqual({ kind: 'accepted' })
  })

  test.each([200, 201])('of %p with a web page comes from something that is no push service', (status) => {
    expect(judge(status, { 'content-type': 'text/html; charset=utf-8' })).toEqual(
      later('device', `HTTP ${status} with a web page`),
    )
  })

  test('of 410 says that the subscription is gone, and of 404 not by itself', () => {
    expect(judge(410)).toEqual(gone('HTTP 410'))
    expect(judge(404)).toEqual(later('either', 'HTTP 404: not of the push service itself'))
  })

  test.each([401, 403])('of %p is about the credential', (status) => {
    expect(judge(status)).toEqual(misconfigured(`HTTP ${status}`))
  })

  test.each([400, 405, 415])('of %p is about the push', (status) => {
    expect(judge(status)).toEqual(rejected('push', `HTTP ${status}`))
  })

  test('of 413 is about this browser: others take more', () => {
    expect(judge(413)).toEqual({ kind: 'rejected', blame: 'push', reason: 'HTTP 413', certain: true })
  })

  test.each([301, 307, 408])('of %p asks for another time', (status) => {
    expect(judge(status)).toEqual(later('device', `HTTP ${status}`))
    expect(judge(status, { 'retry-after': '7' })).toEqual(later('device', `HTTP ${status}`, 7000))
  })

  test.each([429, 500, 502, 503])('of %p asks for less at a time', (status) => {
    expect(judge(status)).toEqual({ ...later('device', `HTTP ${status}`), strain: true })
  })

  test.each([406, 429, 503])(
    'of %p that says when to come back may be about all, for an hour at the most',
    (status) => {
      expect(judge(status, { 'retry-after': '7' })).toMatchObject({ kind: 'deferred', scope: 'either', afterMs: 7000 })
      expect(judge(status, { 'retry-after': 'Wed, 25 Nov 2026 00:00:00 GMT' })).toMatchObject({ afterMs: 3_600_000 })
    },
  )

  test('has few words for a reason, whatever it says', () => {
    const json = (body: object) => judge(400, {}, JSON.stringify(body))
    expect(json({ reason: 'BadWebPushTopic' })).toMatchObject({ reason: 'HTTP 400 BadWebPushTopic' })
    expect(json({ reason: 'a sentence of its own' })).toMatchObject({ reason: 'HTTP 400' })
    expect(json({ code: 400, errno: 110 })).toMatchObject({ reason: 'HTTP 400 errno 110' })
    expect(json({ errno: '110' })).toMatchObject({ reason: 'HTTP 400' })
    expect(judge(400, {}, 'x'.repeat(65_536))).toMatchObject({ reason: 'HTTP 400' })
    const description = 'y'.repeat(4000)
    expect(judge(400, { 'x-wns-error-description': description })).toMatchObject({
      reason: `HTTP 400: ${'y'.repeat(100)}`,
    })
  })

  test('has a row of the table, whatever its status', () => {
    for (let status = 200; status < 1000; status++) expect(judge(status)).toHaveProperty('kind')
    expect(judge(700)).toMatchObject({ kind: 'deferred', scope: 'device', reason: 'HTTP 700' })
  })
})

test('no row of the table is behind one that fits all that it does', () => {
  const statuses = Array.from({ length: 500 }, (_, n) => 100 + n)
  ANSWERS.forEach((row, n) => {
    const hidden = ANSWERS.slice(0, n).filter(
      (before) => before.fits === undefined && statuses.every((one) => !isOn(row, one) || isOn(before, one)),
    )
    expect(hidden).toEqual([])
  })
})
