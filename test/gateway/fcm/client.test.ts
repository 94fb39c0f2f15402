import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { createFcmProvider } from '../../../src/gateway/fcm/client.ts'
import type { Recipient } from '../../../src/gateway/gateway.ts'
import { h2Transport } from '../../../src/gateway/transport/h2-transport.ts'
import type { Message } from '../../../src/notification/notification.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { GatewayAction, GatewayHandler } from '../../support/gateway.ts'
import { ACCOUNT } from './account.ts'
import { outcomeOf } from '../outcome.ts'

const PHONE: Recipient = { device: 42, token: 'dGVzdA:APA91b', environment: null, badge: 3 }
const OK = { status: 200, body: '{"name":"projects/example-project/messages/0:1"}' }
const UNAUTHENTICATED = refusal(401, 'UNAUTHENTICATED')

function refusal(status: number, name: string, errorCode?: string): GatewayAction {
  const detail = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }
  const details = errorCode === undefined ? [] : [detail]
  return { status, body: JSON.stringify({ error: { code: status, status: name, message: name, details } }) }
}

/** A provider with its clock and its two gateways: FCM, and Google's token endpoint. */
async function start(handler: GatewayHandler) {
  const clock = createFakeClock()
  const fcm = await startGateway(handler)
  let granted = 0
  const indexed: (boolean | undefined)[] = []
  const google = await startGateway(() => {
    return { status: 200, body: `{"access_token":"token-${++granted}","expires_in":3599}` }
  })
  const provider = createFcmProvider({
    credential: ACCOUNT,
    origin: fcm.origin,
    tokenUrl: `${google.origin}/token`,
    ca: fcm.ca,
    openTransport: (origin, options) => {
      indexed.push(options.indexesAuthorization)
      return h2Transport(systemClock, null)(origin, options)
    },
    clock,
  })
  const message: Message = {
    push: '01890a5d-ac96-774b-bcce-b302099a8057',
    notification: { msg: 'Hello', sound: null, badge: { add: 1 }, payload: { id: 5 } },
    expiresAt: clock.now() + 3_600_000,
  }
  return {
    clock,
    fcm,
    google,
    indexed,
    send: (recipient: Partial<Recipient> = {}, mayGo = () => true) =>
      outcomeOf(provider, message, { ...PHONE, ...recipient }, mayGo),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await Promise.all([fcm[Symbol.asyncDispose](), google[Symbol.asyncDispose]()])
    },
  }
}

test('the access token, a kilobyte long, may be kept in the table of HPACK', async () => {
  await using firebase = await start(() => OK)
  expect(firebase.indexed).toEqual([true])
})

describe('a notification', () => {
  test('goes to FCM as Google documents it', async () => {
    await using firebase = await start(() => OK)
    expect(await firebase.send()).toEqual({ kind: 'accepted' })
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
    await using firebase = await start(() => OK)
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
    await using firebase = await start(() => OK)
    await Promise.all(Array.from({ length: 20 }, (_, device) => firebase.send({ device })))
    expect(firebase.google.calls).toHaveLength(1)
    expect(firebase.fcm.calls).toHaveLength(20)
  })
})

describe('an answer', () => {
  test('404 UNREGISTERED means the app is gone', async () => {
    await using firebase = await start(() => refusal(404, 'NOT_FOUND', 'UNREGISTERED'))
    expect(await firebase.send()).toEqual({ kind: 'unregistered', since: null, reason: 'UNREGISTERED' })
  })

  test.each([
    ['7', 7000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ])('503 with Retry-After: %s defers for %d ms', async (header, afterMs) => {
    const action = refusal(503, 'UNAVAILABLE', 'UNAVAILABLE') as object as { status: number; body: string }
    await using firebase = await start(() => ({ ...action, headers: { 'retry-after': header } }))
    expect(await firebase.send()).toEqual({ kind: 'deferred', afterMs, scope: 'either', reason: 'UNAVAILABLE' })
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
    await using firebase = await start(() => OK)
    await firebase.fcm[Symbol.asyncDispose]()
    expect(await firebase.send()).toMatchObject({ kind: 'deferred', scope: 'credential', reason: 'ECONNREFUSED' })
  })
})

describe('an access token', () => {
  test('that FCM refuses is renewed once, and the notification goes again', async () => {
    await using firebase = await start(({ headers }) =>
      headers.authorization === 'Bearer token-1' ? UNAUTHENTICATED : OK,
    )
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, device) => firebase.send({ device })))
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ kind: 'accepted' as const })))
    expect(firebase.google.calls).toHaveLength(2)
  })

  test('that comes after the push was cancelled is for others', async () => {
    await using firebase = await start(() => OK)
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
    expect(await firebase.send()).toEqual({ kind: 'misconfigured', reason: 'UNAUTHENTICATED' })
    expect(firebase.google.calls).toHaveLength(2)
    expect(firebase.fcm.calls).toHaveLength(2)
  })

  test('is not renewed for each of those who are refused while others are taken', async () => {
    await using firebase = await start(({ body }) => (body.includes('refused') ? UNAUTHENTICATED : OK))
    for (let n = 0; n < 5; n++) {
      expect(await firebase.send({ token: 'refused' })).toEqual({ kind: 'misconfigured', reason: 'UNAUTHENTICATED' })
      expect(await firebase.send({ token: 'taken' })).toEqual({ kind: 'accepted' })
    }
    expect(firebase.google.calls).toHaveLength(2)
    expect(firebase.fcm.calls).toHaveLength(11)
  })

  test('is not renewed for the APNs key in Firebase', async () => {
    await using firebase = await start(() => refusal(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'))
    const reason = 'THIRD_PARTY_AUTH_ERROR'
    expect(await firebase.send()).toEqual({ kind: 'deferred', afterMs: null, scope: 'device', reason })
    expect(firebase.google.calls).toHaveLength(1)
  })

  test('that cannot be had stops the notification before FCM', async () => {
    await using firebase = await start(() => OK)
    firebase.google.handle(() => ({ status: 400, body: '{"error":"invalid_grant"}' }))
    expect(await firebase.send()).toEqual({
      kind: 'misconfigured',
      reason: 'access token: invalid_grant',
      certain: true,
    })
    firebase.google.handle(() => ({ status: 503 }))
    expect(await firebase.send()).toEqual({
      kind: 'deferred',
      afterMs: null,
      scope: 'credential',
      reason: 'access token: HTTP 503',
    })
    expect(firebase.fcm.calls).toHaveLength(0)
  })
})
