import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { importPKCS8, SignJWT } from 'jose'
import { makeVapid } from '../../../../src/application/vapid.ts'
import type { VapidCredential } from '../../../../src/application/vapid.ts'
import { systemClock } from '../../../../src/clock.ts'
import { readSubscriptionKeys } from '../../../../src/device/webpush/subscription-keys.ts'
import type { SubscriptionKeys } from '../../../../src/device/webpush/subscription-keys.ts'
import type { Recipient } from '../../../../src/gateway/gateway.ts'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../../../src/gateway/simulator/webpush/message-opening.ts'
import { h2Transport } from '../../../../src/gateway/transport/h2-transport.ts'
import { createWebPushProvider } from '../../../../src/gateway/webpush/client.ts'
import { encryptMessage } from '../../../../src/gateway/webpush/encryption.ts'
import { createKeyAgreement } from '../../../../src/gateway/webpush/key-agreement.ts'
import type { Message } from '../../../../src/notification/notification.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { sharedKeys } from '../../../support/rsa-keys.ts'
import { agreedWith, bytes } from '../../webpush/example-message.ts'
import { outcomeOf } from '../../outcome.ts'

const HOUR_S = 3600
const clock = createFakeClock()
const nowS = Math.floor(clock.now() / 1000)
const MESSAGE: Message = {
  push: '01890a5d-ac96-774b-bcce-b302099a8057',
  notification: { msg: 'Hello', sound: null, badge: null, payload: null },
  expiresAt: clock.now() + 3_600_000,
}

let simulator: Simulator
let vapid: VapidCredential
let subscription: { readonly endpoint: string; readonly keys: SubscriptionKeys }

beforeAll(async () => {
  simulator = await startSimulator({ clock, rsaKeys: sharedKeys })
  vapid = simulator.issue('shop').vapid
})
afterAll(() => simulator[Symbol.asyncDispose]())
beforeEach(() => {
  subscription = simulator.subscribe(`/push/${crypto.randomUUID()}`)
})

/** As the provider of an application sends. `relay`: everything goes to the simulator. */
async function send(changed: Partial<Recipient> = {}, relayed = false) {
  using keyAgreement = createKeyAgreement()
  await using provider = createWebPushProvider({
    keyAgreement,
    credential: vapid,
    named: [simulator.webPushUrl],
    ca: simulator.ca,
    openTransport: h2Transport(systemClock, null),
    clock,
    resolve: () => Promise.reject(new Error('looked up')),
    ...(relayed && { relay: simulator.webPushUrl }),
  })
  const { endpoint: token, keys } = subscription
  return await outcomeOf(provider, MESSAGE, { device: 1, token, environment: null, badge: null, keys, ...changed })
}

const arrived = () => simulator.arrivals().at(-1)

describe('the push service of the simulator', () => {
  test('opens what is encrypted for a subscription of its own', async () => {
    expect(await send({ badge: 2 })).toEqual({ kind: 'accepted' })
    expect(arrived()).toMatchObject({
      provider: 'webpush',
      token: subscription.endpoint,
      status: 201,
      reason: null,
      target: vapid.subject,
      headers: { ttl: '3600', urgency: 'high' },
      body: { web_push: 8030, notification: { title: 'Hello' }, app_badge: 2 },
    })
    expect(arrived()?.id).toStartWith(`${simulator.webPushUrl}/message/`)
  })

  test('refuses what is encrypted for another', async () => {
    const { keys } = simulator.subscribe('/push/another')
    expect(await send({ keys })).toEqual({ kind: 'rejected', blame: 'push', reason: 'HTTP 400' })
    expect(arrived()).toMatchObject({ status: 400, reason: 'cannot be decrypted', body: null })
  })

  test('stands in for the others, and reads what is encrypted with the keys that everybody knows', async () => {
    const example = readSubscriptionKeys(EXAMPLE_SUBSCRIPTION)
    if (example.kind === 'invalid') throw new Error(example.expected)
    const token = 'https://fcm.googleapis.com/fcm/send/abc?d=1'
    expect(await send({ token, keys: example.keys }, true)).toEqual({ kind: 'accepted' })
    expect(arrived()).toMatchObject({ token, status: 201, body: { notification: { title: 'Hello' } } })
  })

  test('takes unread what is encrypted for a browser that it does not know', async () => {
    const token = 'https://web.push.apple.com/abc'
    expect(await send({ token }, true)).toEqual({ kind: 'accepted' })
    expect(arrived()).toMatchObject({ token, status: 201, body: null })
  })

  test.each([
    ['invalid', { kind: 'rejected', blame: 'push', reason: 'HTTP 400' }],
    ['unauthenticated', { kind: 'misconfigured', reason: 'HTTP 401' }],
    ['denied', { kind: 'misconfigured', reason: 'HTTP 403' }],
    ['notfound', { kind: 'unregistered', since: null, reason: 'HTTP 404' }],
    ['unregistered', { kind: 'unregistered', since: null, reason: 'HTTP 410' }],
    ['large', { kind: 'rejected', blame: 'push', reason: 'HTTP 413' }],
    ['encoding', { kind: 'rejected', blame: 'push', reason: 'HTTP 415' }],
    ['throttled', { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 429', strain: true }],
    ['quota', { kind: 'deferred', afterMs: 2000, scope: 'service', reason: 'HTTP 429' }],
    ['internal', { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 500', strain: true }],
    ['unavailable', { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 503', strain: true }],
    ['busy', { kind: 'deferred', afterMs: 2000, scope: 'service', reason: 'HTTP 503' }],
    ['moved', { kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 301' }],
    ['farewell', { kind: 'accepted' }],
  ])('answers as the endpoint asks: %s', async (word, outcome) => {
    const { endpoint, keys } = simulator.subscribe(`/push/${word}:1`)
    expect(await send({ token: endpoint, keys })).toEqual(outcome as NonNullable<Awaited<ReturnType<typeof send>>>)
  })

  test('answers so as often as the endpoint asks', async () => {
    const { endpoint: token, keys } = simulator.subscribe(`/push/throttled-1:${crypto.randomUUID()}`)
    expect(await send({ token, keys })).toMatchObject({ reason: 'HTTP 429' })
    expect(await send({ token, keys })).toEqual({ kind: 'accepted' })
  })
})

describe('a request that is not in order', () => {
  interface Request {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string | null>>
    readonly body?: Uint8Array
  }

  /** The status, and the reason that the push service notes. */
  async function answerTo({ method = 'POST', headers = {}, body = encrypted() }: Request = {}) {
    const all = {
      authorization: await authorization(),
      ttl: '60',
      'content-encoding': 'aes128gcm',
      ...headers,
    }
    const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== null)
    const response = await fetch(subscription.endpoint, {
      method,
      headers: given,
      ...(method === 'POST' && { body }),
      protocol: 'http2',
      tls: { ca: simulator.ca },
    })
    await response.text()
    return { status: response.status, reason: arrived()?.reason ?? null }
  }

  function encrypted(length = 2): Buffer {
    const secrets = { ...agreedWith(subscription.keys.p256dh), salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') }
    return encryptMessage(Buffer.from('{}'.padEnd(length)), subscription.keys, secrets)
  }

  /** A VAPID token, by default one in order. */
  async function authorization(claims: object = {}, key: VapidCredential = vapid, shown = key.publicKey) {
    const good = { aud: simulator.webPushUrl, exp: nowS + HOUR_S, sub: vapid.subject }
    const jwt = await new SignJWT({ ...good, ...claims })
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .sign(await importPKCS8(key.privateKey, 'ES256'))
    return `vapid t=${jwt}, k=${shown}`
  }

  test('is taken once it is', async () => {
    expect(await answerTo()).toEqual({ status: 201, reason: null })
  })

  test.each<[string, Request, number, string]>([
    ['without a token', { headers: { authorization: null } }, 401, 'MissingAuthorization'],
    ['with a token of another kind', { headers: { authorization: 'bearer abc' } }, 401, 'MissingAuthorization'],
    ['with a token that is none', { headers: { authorization: 'vapid t=a.b.c, k=abc' } }, 403, 'InvalidSignature'],
    ['without TTL', { headers: { ttl: null } }, 400, 'BadTtl'],
    ['with a TTL that is no number', { headers: { ttl: '-1' } }, 400, 'BadTtl'],
    ['of unknown urgency', { headers: { urgency: 'urgent' } }, 400, 'BadUrgency'],
    ['with a topic too long', { headers: { topic: 'a'.repeat(33) } }, 400, 'BadTopic'],
    ['with a topic of other letters', { headers: { topic: 'a.b' } }, 400, 'BadTopic'],
    ['of the encoding of before', { headers: { 'content-encoding': 'aesgcm' } }, 415, 'UnsupportedEncoding'],
    ['without a message', { body: Buffer.alloc(0) }, 400, 'no header'],
    ['without a sender', { body: Buffer.alloc(200, 1) }, 400, 'no sender key'],
    ['that is too large', { body: Buffer.alloc(4097) }, 413, 'PayloadTooLarge'],
    ['that is no POST', { method: 'GET' }, 404, 'NotFound'],
  ])('is refused %s', async (_, request, status, reason) => {
    expect(await answerTo(request)).toEqual({ status, reason })
  })

  test.each<[string, object, string]>([
    ['is for another push service', { aud: 'https://push.example' }, 'BadAudience'],
    ['has expired', { exp: nowS }, 'ExpiredToken'],
    ['lives for more than a day', { exp: nowS + 24 * HOUR_S + 1 }, 'TooLongExpiration'],
    ['does not expire', { exp: undefined }, 'ExpiredToken'],
    ['has no subject', { sub: undefined }, 'BadSubject'],
  ])('is refused where its token %s', async (_, claims, reason) => {
    const given = { authorization: await authorization(claims) }
    expect(await answerTo({ headers: given })).toEqual({ status: 403, reason })
  })

  test('is refused with the key of another, and with one that did not sign', async () => {
    const stranger = makeVapid('mailto:stranger@example.com')
    const foreign = await authorization({}, stranger)
    expect(await answerTo({ headers: { authorization: foreign } })).toEqual({
      status: 403,
      reason: 'VapidPkHashMismatch',
    })
    const unsigned = await authorization({}, stranger, vapid.publicKey)
    expect(await answerTo({ headers: { authorization: unsigned } })).toEqual({
      status: 403,
      reason: 'InvalidSignature',
    })
    const noPoint = await authorization({}, vapid, 'B'.padEnd(87, 'A'))
    expect(await answerTo({ headers: { authorization: noPoint } })).toEqual({ status: 403, reason: 'InvalidSignature' })
  })

  test('is refused of two records, without a delimiter, and with a bit that changed', async () => {
    const whole = encrypted()
    const shortRecords = Buffer.from(whole)
    shortRecords.writeUInt32BE(18, 16)
    expect(await answerTo({ body: shortRecords })).toEqual({ status: 400, reason: 'more than one record' })
    const changed = Buffer.from(whole)
    changed[100] = (changed[100] ?? 0) ^ 1
    expect(await answerTo({ body: changed })).toEqual({ status: 400, reason: 'cannot be decrypted' })
    expect(await answerTo({ body: whole.subarray(0, -1) })).toEqual({ status: 400, reason: 'cannot be decrypted' })
  })
})
