import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { importPKCS8, SignJWT } from 'jose'
import { makeVapid } from '../../../../src/application/vapid.ts'
import type { VapidCredential } from '../../../../src/application/vapid.ts'
import { systemClock } from '../../../../src/clock.ts'
import { SIMULATED_SERVICE } from '../../../../src/device/webpush/push-services.ts'
import { readSubscriptionKeys } from '../../../../src/device/webpush/subscription-keys.ts'
import type { SubscriptionKeys } from '../../../../src/device/webpush/subscription-keys.ts'
import type { Outcome, Recipient } from '../../../../src/gateway/gateway.ts'
import { startSimulator } from '../../../../src/gateway/simulator/simulator.ts'
import type { Simulator } from '../../../../src/gateway/simulator/simulator.ts'
import { EXAMPLE_SUBSCRIPTION } from '../../../../src/gateway/simulator/webpush/message-opening.ts'
import { h2Transport } from '../../../../src/gateway/transport/choose-transport.ts'
import { createWebPushProvider } from '../../../../src/gateway/webpush/client.ts'
import { encryptMessage } from '../../../../src/gateway/webpush/encryption.ts'
import { createKeyAgreement } from '../../../../src/gateway/webpush/key-agreement.ts'
import type { Notification } from '../../../../src/notification/notification.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { sharedKeys } from '../../../support/rsa-keys.ts'
import { agreedWith, bytes } from '../../webpush/example-message.ts'
import { gone, later, MESSAGE, misconfigured, outcomeOf, rejected } from '../../outcome.ts'

const HOUR_S = 3600
const clock = createFakeClock()
const nowS = Math.floor(clock.now() / 1000)

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
async function send(changed: Partial<Recipient> = {}, relayed = false, said: Partial<Notification> = {}) {
  using keyAgreement = createKeyAgreement()
  await using provider = createWebPushProvider({
    keyAgreement,
    credential: vapid,
    named: [simulator.webPushUrl, SIMULATED_SERVICE],
    ca: simulator.ca,
    openTransport: h2Transport(systemClock, null),
    clock,
    hosts: null,
    ...(relayed && { relay: (to: string) => simulator.relayOf(to) }),
  })
  const { endpoint: token, keys } = subscription
  const notification = { ...MESSAGE.notification, ...said }
  const message = { ...MESSAGE, notification, expiresAt: clock.now() + HOUR_S * 1000 }
  return await outcomeOf(provider, message, { device: 1, token, environment: null, badge: null, keys, ...changed })
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
      body: { notification: { title: 'Hello' }, app_badge: 2 },
    })
    expect(arrived()?.id).toStartWith(`${simulator.webPushUrl}/message/`)
  })

  test('refuses what is encrypted for another', async () => {
    const { keys } = simulator.subscribe('/push/another')
    expect(await send({ keys })).toEqual(rejected('push', 'HTTP 400'))
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

  /** One answer does not tell whether it is about the device or its push service: the lane does. */
  const doubtful = (reason: string, afterMs: number | null = null) => later('either', reason, afterMs)
  const strained = (reason: string) => ({ ...later('device', reason), strain: true }) as const
  const mismatch = (status: number) => rejected('mismatch', `HTTP ${status}: subscribed with another VAPID key`)
  const refused = (reason: string) => rejected('push', reason)
  const certainly = (reason: string) => ({ ...refused(reason), certain: true }) as Outcome

  test.each<[string, Outcome]>([
    ['invalid', refused('HTTP 400 BadRequest')],
    ['unauthenticated', misconfigured('HTTP 401 MissingAuthorization')],
    ['denied', misconfigured('HTTP 403 BadJwtToken')],
    ['otherkey', misconfigured('HTTP 403 Forbidden')],
    ['notfound', gone('HTTP 404 NotFound')],
    ['proxy', doubtful('HTTP 404: not of the push service itself')],
    ['unregistered', gone('HTTP 410 Unregistered')],
    ['large', certainly('HTTP 413 PayloadTooLarge')],
    ['encoding', refused('HTTP 415 UnsupportedEncoding')],
    ['throttled', later('device', 'HTTP 429 TooManyRequests')],
    ['quota', doubtful('HTTP 429 TooManyRequests', 2000)],
    ['internal', strained('HTTP 500 InternalServerError')],
    ['nginx', doubtful('HTTP 502 with a web page')],
    ['frontend', doubtful('HTTP 400 with a web page')],
    ['unavailable', strained('HTTP 503 ServiceUnavailable')],
    ['busy', doubtful('HTTP 503 ServiceUnavailable', 2000)],
    ['moved', later('device', 'HTTP 301 MovedPermanently')],
    ['dropped', certainly('HTTP 201: dropped by the push service')],
    ['channelthrottled', later('device', 'HTTP 201: throttled')],
    ['farewell', { kind: 'accepted' }],
  ])('answers as the endpoint asks: %s', async (word, outcome) => {
    const { endpoint, keys } = simulator.subscribe(`/push/${word}:1`)
    expect(await send({ token: endpoint, keys })).toEqual(outcome)
  })

  const APPLE = 'https://web.push.apple.com/'
  const GOOGLE = 'https://fcm.googleapis.com/fcm/send/'
  const MOZILLA = 'https://updates.push.services.mozilla.com/wpush/v2/'
  const MICROSOFT = 'https://wns2-par02p.notify.windows.com/w/'
  const NTFY = 'https://simulator.invalid/ntfy/'

  test.each<[string, string, Outcome]>([
    [APPLE, 'denied', misconfigured('HTTP 403 BadJwtToken')],
    [APPLE, 'otherkey', mismatch(400)],
    [APPLE, 'notfound', gone('HTTP 404 BadPath')],
    [APPLE, 'throttled', later('device', 'HTTP 429 TooManyRequests')],
    [GOOGLE, 'denied', misconfigured('HTTP 400 UnauthorizedRegistration')],
    [GOOGLE, 'otherkey', mismatch(403)],
    [GOOGLE, 'notfound', gone('HTTP 404')],
    [GOOGLE, 'unregistered', gone('HTTP 410')],
    [GOOGLE, 'quota', doubtful('HTTP 429', 2000)],
    [MOZILLA, 'denied', misconfigured('HTTP 401 errno 109')],
    [MOZILLA, 'otherkey', mismatch(401)],
    [MOZILLA, 'notfound', gone('HTTP 404 errno 102')],
    [MOZILLA, 'unregistered', gone('HTTP 410 errno 106')],
    [MOZILLA, 'busy', doubtful('HTTP 503 errno 201', 2000)],
    [MOZILLA, 'bridge', later('device', 'HTTP 502 errno 903')],
    [MICROSOFT, 'quota', doubtful('HTTP 406: throttled', 2000)],
    [MICROSOFT, 'notfound', gone('HTTP 404')],
    ['https://simulator.invalid/microsoft/', 'throttled', doubtful('HTTP 406: throttled')],
    [NTFY, 'nosubscriber', later('device', 'HTTP 507 code 50701')],
    [NTFY, 'throttled', later('device', 'HTTP 429 code 42908')],
  ])('answers at %s as that push service does: %s', async (place, word, outcome) => {
    expect(await send({ token: `${place}${word}:${crypto.randomUUID()}` }, true)).toEqual(outcome)
  })

  test.each([
    ['small', 3_015],
    ['tiny', 2_048],
  ])('takes as much as a browser does: %s', async (word, most) => {
    const { endpoint: token, keys } = simulator.subscribe(`/push/${word}:${crypto.randomUUID()}`)
    // The largest that fits, its padding included, and one byte more.
    const room = most - 103 - '{"notification":{"title":"","tag":"01890a5d-ac96-774b-bcce-b302099a8057"}}'.length
    expect(await send({ token, keys }, false, { msg: 'x'.repeat(room) })).toEqual({ kind: 'accepted' })
    expect(await send({ token, keys }, false, { msg: 'x'.repeat(room + 1) })).toEqual(
      certainly('HTTP 413 PayloadTooLarge'),
    )
  })

  test.each([2_000, 2_048, 2_500, 3_015, 3_500, 4_000, 4_096])(
    'takes a message of %p bytes at each push service, in one request',
    async (bytes) => {
      const room = bytes - 103 - '{"notification":{"title":"","tag":"01890a5d-ac96-774b-bcce-b302099a8057"}}'.length
      for (const place of ['apple', 'google', 'mozilla', 'microsoft', 'ntfy']) {
        const before = simulator.counts()
        const token = `https://simulator.invalid/${place}/${crypto.randomUUID()}`
        expect(await send({ token }, true, { msg: 'x'.repeat(room) })).toEqual({ kind: 'accepted' })
        expect(simulator.counts().accepted - before.accepted).toBe(1)
      }
    },
  )

  test('offers HTTP/1.1 only where the endpoint asks for an older push service', async () => {
    const { streams } = simulator.counts().webPush
    const token = `https://simulator.invalid/ntfy/older:${crypto.randomUUID()}`
    expect(await send({ token }, true)).toEqual({ kind: 'accepted' })
    expect(arrived()).toMatchObject({ token, status: 201, headers: { ttl: expect.any(String) } })
    expect(simulator.counts().webPush.streams).toBe(streams)
    const { port } = new URL(simulator.relayOf(token))
    const socket = connect({ port: Number(port), ca: simulator.ca, ALPNProtocols: ['h2', 'http/1.1'] })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    expect(socket.alpnProtocol).not.toBe('h2')
    socket.destroy()
  })

  test('answers so as often as the endpoint asks', async () => {
    const { endpoint: token, keys } = simulator.subscribe(`/push/throttled-1:${crypto.randomUUID()}`)
    expect(await send({ token, keys })).toMatchObject({ reason: 'HTTP 429 TooManyRequests' })
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
  async function answerTo(
    { method = 'POST', headers = {}, body = encrypted() }: Request = {},
    endpoint = subscription.endpoint,
  ) {
    const all = {
      authorization: await authorization(),
      ttl: '60',
      'content-encoding': 'aes128gcm',
      ...headers,
    }
    const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== null)
    const response = await fetch(endpoint, {
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
      reason: 'Forbidden',
    })
    const unsigned = await authorization({}, stranger, vapid.publicKey)
    expect(await answerTo({ headers: { authorization: unsigned } })).toEqual({
      status: 403,
      reason: 'InvalidSignature',
    })
    const noPoint = await authorization({}, vapid, 'B'.padEnd(87, 'A'))
    expect(await answerTo({ headers: { authorization: noPoint } })).toEqual({ status: 403, reason: 'InvalidSignature' })
  })

  describe('of one push service alone', () => {
    const at = (service: string) => `${simulator.webPushUrl}/${service}/${crypto.randomUUID()}`

    test.each([1, 5, 9, 13, 17, 21, 25, 29])('is refused at Apple with a topic of %p characters', async (length) => {
      const request = { headers: { topic: 'a'.repeat(length) } }
      expect(await answerTo(request, at('apple'))).toEqual({ status: 400, reason: 'BadWebPushTopic' })
      for (const other of ['google', 'mozilla', 'microsoft', 'ntfy']) {
        expect(await answerTo(request, at(other))).toEqual({ status: 201, reason: null })
      }
      expect(await answerTo({ headers: { topic: 'a'.repeat(length + 1) } }, at('apple'))).toMatchObject({ status: 201 })
    })

    test('is refused at Apple with a subject at no public domain', async () => {
      for (const sub of ['mailto:a@localhost', 'mailto:a@shop.local', 'https://10.0.0.7', 'https://shop.invalid']) {
        const headers = { authorization: await authorization({ sub }) }
        expect(await answerTo({ headers }, at('apple'))).toEqual({ status: 403, reason: 'BadJwtToken' })
        expect(await answerTo({ headers }, at('mozilla'))).toEqual({ status: 201, reason: null })
      }
    })

    test('is refused at Microsoft with a TTL of 0 and no cache policy', async () => {
      const now = { ttl: '0' }
      const reason = 'Ttl value conflicts with X-WNS-Cache-Policy.'
      expect(await answerTo({ headers: now }, at('microsoft'))).toEqual({ status: 400, reason })
      const headers = { ...now, 'x-wns-cache-policy': 'no-cache' }
      expect(await answerTo({ headers }, at('microsoft'))).toEqual({ status: 201, reason: null })
      expect(await answerTo({ headers: now }, at('google'))).toEqual({ status: 201, reason: null })
    })

    test('is refused at Mozilla by a number', async () => {
      expect(await answerTo({ headers: { ttl: null } }, at('mozilla'))).toEqual({ status: 400, reason: 'errno 111' })
      const headers = { topic: 'a'.repeat(33) }
      expect(await answerTo({ headers }, at('mozilla'))).toEqual({ status: 400, reason: 'errno 113' })
      const stranger = makeVapid('mailto:stranger@example.com')
      const foreign = { authorization: await authorization({}, stranger) }
      expect(await answerTo({ headers: foreign }, at('mozilla'))).toEqual({ status: 401, reason: 'errno 109' })
      expect(await answerTo({ headers: foreign }, at('apple'))).toEqual({ status: 400, reason: 'VapidPkHashMismatch' })
    })

    test('ends the subscription at Apple after three that show nothing', async () => {
      const { endpoint, keys } = simulator.subscribe(`/apple/${crypto.randomUUID()}`)
      const bodyOf = (message: object) => {
        const secrets = { ...agreedWith(keys.p256dh), salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') }
        return encryptMessage(Buffer.from(JSON.stringify(message)), keys, secrets)
      }
      const silent = { body: bodyOf({ app_badge: 1 }) }
      const shown = { body: bodyOf({ notification: { title: 'Hello' } }) }
      for (const request of [silent, shown, silent, silent]) {
        expect(await answerTo(request, endpoint)).toEqual({ status: 201, reason: null })
      }
      expect(await answerTo(shown, endpoint)).toEqual({ status: 410, reason: 'Unregistered' })
    })
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
