import { describe, expect, test } from 'bun:test'
import type { GatewayHandler } from '../../support/gateway.ts'
import { later, misconfigured } from '../outcome.ts'
import { fcmError, refusal, startFirebase, TAKEN } from './firebase.ts'

const UNAUTHENTICATED = refusal(401, 'UNAUTHENTICATED', 'UNAUTHENTICATED')

const start = (handler: GatewayHandler) => startFirebase(handler, { badge: { add: 1 }, payload: { id: 5 } })

test('the access token, a kilobyte long, may be kept in the table of HPACK', async () => {
  await using firebase = await start(() => TAKEN)
  expect(firebase.indexed).toEqual([true])
})

describe('a notification', () => {
  test('goes to FCM as Google documents it', async () => {
    await using firebase = await start(() => TAKEN)
    expect(await firebase.send({ badge: 3 })).toEqual({ kind: 'accepted' })
    const [call] = firebase.fcm.calls
    expect(call).toMatchObject({ method: 'POST', path: '/v1/projects/example-project/messages:send' })
    expect(call?.headers).toMatchObject({ authorization: 'Bearer token-1', 'content-type': 'application/json' })
    expect(JSON.parse(call?.body ?? '')).toEqual({
      message: {
        token: 'dGVzdA:APA91b',
        notification: { body: 'Hello' },
        data: { id: '5' },
        android: {
          priority: 'high',
          ttl: '3600s',
          notification: { tag: '01890a5d-ac96-774b-bcce-b302099a8057', notification_count: 3 },
        },
      },
    })
  })

  test('has token, badge and time to live of its own for each recipient', async () => {
    await using firebase = await start(() => TAKEN)
    await firebase.send({ token: 'one', badge: 1 })
    firebase.clock.advance(600_000)
    await firebase.send({ token: 'two', badge: 2 })
    const [one, two] = firebase.fcm.calls.map(({ body }) => JSON.parse(body) as unknown)
    expect(one).toMatchObject({
      message: { token: 'one', android: { ttl: '3600s', notification: { notification_count: 1 } } },
    })
    expect(two).toMatchObject({
      message: { token: 'two', android: { ttl: '3000s', notification: { notification_count: 2 } } },
    })
  })

  test('shares the access token with all others', async () => {
    await using firebase = await start(() => TAKEN)
    await Promise.all(Array.from({ length: 20 }, (_, device) => firebase.send({ device })))
    expect(firebase.google.calls).toHaveLength(1)
    expect(firebase.fcm.calls).toHaveLength(20)
  })
})

describe('an answer', () => {
  test.each([
    ['7', 7000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ])('503 with Retry-After: %s defers for %d ms', async (header, afterMs) => {
    const busy = refusal(503, 'UNAVAILABLE', 'UNAVAILABLE', fcmError('UNAVAILABLE'))
    await using firebase = await start(() => ({ ...busy, headers: { 'retry-after': header } }))
    expect(await firebase.send()).toEqual(later('either', 'UNAVAILABLE', afterMs))
  })

  test('that is lost defers this device', async () => {
    await using firebase = await start(() => 'close')
    expect(await firebase.send()).toMatchObject({
      kind: 'deferred',
      scope: 'device',
      reason: 'ECONNRESET',
      strain: true,
    })
  })

  test('for want of a connection defers all', async () => {
    await using firebase = await start(() => TAKEN)
    await firebase.fcm[Symbol.asyncDispose]()
    expect(await firebase.send()).toMatchObject({ kind: 'deferred', scope: 'credential', reason: 'ECONNREFUSED' })
  })
})

describe('an access token', () => {
  test('that FCM refuses is renewed once, and the notification goes again', async () => {
    await using firebase = await start(({ headers }) =>
      headers.authorization === 'Bearer token-1' ? UNAUTHENTICATED : TAKEN,
    )
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, device) => firebase.send({ device })))
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'accepted' as const })))
    expect(firebase.google.calls).toHaveLength(2)
  })

  test('that comes after the push was cancelled is for others', async () => {
    await using firebase = await start(() => TAKEN)
    let mayGo = true
    const first = firebase.send({}, () => mayGo)
    const second = firebase.send({ device: 2 })
    mayGo = false
    expect(await first).toBeNull()
    expect(await second).toEqual({ kind: 'accepted' })
    expect(firebase.fcm.calls).toHaveLength(1)
  })

  test('that FCM refuses also when it is new means that the credential is wrong', async () => {
    await using firebase = await start(() => UNAUTHENTICATED)
    expect(await firebase.send()).toEqual(misconfigured('UNAUTHENTICATED'))
    expect(firebase.google.calls).toHaveLength(2)
    expect(firebase.fcm.calls).toHaveLength(2)
  })

  test('is not renewed for each of those who are refused while others are taken', async () => {
    await using firebase = await start(({ body }) => (body.includes('refused') ? UNAUTHENTICATED : TAKEN))
    for (let n = 0; n < 5; n++) {
      expect(await firebase.send({ token: 'refused' })).toEqual(misconfigured('UNAUTHENTICATED'))
      expect(await firebase.send({ token: 'taken' })).toEqual({ kind: 'accepted' })
    }
    expect(firebase.google.calls).toHaveLength(2)
    expect(firebase.fcm.calls).toHaveLength(11)
  })

  test('that cannot be had stops the notification before FCM', async () => {
    await using firebase = await start(() => TAKEN)
    firebase.google.handle(() => ({ status: 400, body: '{"error":"invalid_grant"}' }))
    expect(await firebase.send()).toEqual({
      kind: 'misconfigured',
      reason: 'access token: invalid_grant',
      certain: true,
    })
    firebase.google.handle(() => ({ status: 503 }))
    expect(await firebase.send()).toEqual(later('credential', 'access token: HTTP 503'))
    expect(firebase.fcm.calls).toHaveLength(0)
  })
})
