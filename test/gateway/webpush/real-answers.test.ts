import { describe, expect, test } from 'bun:test'
import { makeVapid } from '../../../src/application/vapid.ts'
import { HOUR_MS, systemClock } from '../../../src/clock.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import { createWebPushProvider } from '../../../src/gateway/webpush/client.ts'
import { createKeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'
import type { Notification } from '../../../src/notification/notification.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { Call, GatewayReply } from '../../support/gateway.ts'
import { gone, later, MESSAGE, misconfigured, outcomeOf, rejected } from '../outcome.ts'
import { createBrowser } from './browser.ts'

/*
 * What push services answer other people's senders, as their trackers and sources report it, over TLS and HTTP/2. One
 * stand-in plays all of them: requests are relayed to it, and have the host of the endpoint in their path.
 */

const APPLE = 'https://web.push.apple.com/QMmSKx3b'
const CHROME = 'https://fcm.googleapis.com/fcm/send/cJ5vAhQ'
const FIREFOX = 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABl'
const EDGE = 'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAB'
const NTFY = 'https://ntfy.example/upABC'
const CREATED = { status: 201 }

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): GatewayReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const plain = (status: number, body: string): GatewayReply => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})
const page = (status: number, title: string): GatewayReply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`,
})
/** A body of autoendpoint (autopush-rs, autoendpoint/src/error.rs). */
const autopush = (code: number, errno: number | null, message: string, headers = {}) =>
  json(code, { code, errno, error: 'Error', message, more_info: 'http://autopush.readthedocs.io' }, headers)

/** A stand-in that answers so, and a provider whose every request goes to it. */
async function start(handler: (call: Call) => GatewayReply) {
  const gateway = await startGateway(handler)
  const clock = createFakeClock()
  const keyAgreement = createKeyAgreement()
  const provider = createWebPushProvider({
    keyAgreement,
    credential: makeVapid('mailto:push@example.com'),
    named: ['https://ntfy.example'],
    ca: gateway.ca,
    openTransport: h2Transport(systemClock, null),
    clock,
    hosts: null,
    relay: () => gateway.origin,
  })
  return {
    gateway,
    clock,
    send(token: string, notification: Partial<Notification> = {}, device = 1) {
      const message = {
        ...MESSAGE,
        notification: { ...MESSAGE.notification, ...notification },
        expiresAt: clock.now() + 24 * HOUR_MS,
      }
      return outcomeOf(provider, message, { ...createBrowser(token).recipient, device })
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      keyAgreement[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

describe('a subscription is gone', () => {
  test.each<[string, string, GatewayReply, string]>([
    ['Mozilla has no such endpoint', FIREFOX, autopush(404, 102, 'Invalid token'), 'HTTP 404 errno 102'],
    ['Mozilla has no such browser', FIREFOX, autopush(410, 103, 'UAID not found'), 'HTTP 410 errno 103'],
    ['Mozilla has no such subscription', FIREFOX, autopush(410, 106, 'No such subscription'), 'HTTP 410 errno 106'],
    ['its bridge has none, and says 400', FIREFOX, autopush(400, 106, 'No such subscription'), 'HTTP 400 errno 106'],
    [
      'Google finds it stale',
      CHROME,
      plain(
        404,
        'A valid push subscription endpoint should be specified in the URL as such: https://fcm.googleapis.com/wp/dHI',
      ),
      'HTTP 404',
    ],
    ['Google says so', CHROME, plain(410, 'push subscription has unsubscribed or expired.\n'), 'HTTP 410'],
    ['Apple says so', APPLE, json(410, { reason: 'Unregistered' }), 'HTTP 410 Unregistered'],
    ['Apple does not know its path', APPLE, json(404, { reason: 'BadPath' }), 'HTTP 404 BadPath'],
    ['Microsoft has no such channel', EDGE, { status: 404, headers: { 'x-wns-msg-id': '1A' } }, 'HTTP 404'],
    ['anybody says 410', NTFY, { status: 410 }, 'HTTP 410'],
  ])('where %s', async (_, endpoint, answer, reason) => {
    await using web = await start(() => answer)
    expect(await web.send(endpoint)).toEqual(gone(reason))
  })

  test.each<[string, string, GatewayReply]>([
    ["is Traefik's", NTFY, plain(404, '404 page not found\n')],
    ["is nginx's", NTFY, page(404, '404 Not Found')],
    ['is of a front end of Google', CHROME, page(404, 'Error 404 (Not Found)!!1')],
    ['has no body', FIREFOX, { status: 404 }],
    ['has JSON of somebody else', NTFY, json(404, { message: 'no Route matched with those values' })],
  ])('by no 404 that %s', async (_, endpoint, answer) => {
    await using web = await start(() => answer)
    expect(await web.send(endpoint)).toMatchObject({ kind: 'deferred', scope: 'either', afterMs: null })
  })
})

describe('a subscription of another VAPID key', () => {
  test.each<[string, string, GatewayReply]>([
    ['Apple', APPLE, json(400, { reason: 'VapidPkHashMismatch' })],
    ['Apple, by another status', APPLE, json(403, { reason: 'VapidPkHashMismatch' })],
    ['Mozilla', FIREFOX, autopush(401, 109, 'VAPID public key mismatch')],
    ['Mozilla, of before', FIREFOX, autopush(401, 109, 'Request did not validate')],
    [
      'Google',
      CHROME,
      plain(
        403,
        'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n',
      ),
    ],
    [
      'Google, of a sender ID',
      CHROME,
      plain(
        403,
        'the key in the authorization header does not correspond to the sender ID used to subscribe this user.\n',
      ),
    ],
  ])('is told by %s, and not sent to again', async (_, endpoint, answer) => {
    await using web = await start(() => answer)
    const reason = `HTTP ${answer.status}: subscribed with another VAPID key`
    expect(await web.send(endpoint)).toEqual(rejected('mismatch', reason))
  })
})

describe('the credential is refused', () => {
  test.each<[string, string, GatewayReply, string]>([
    ['by Apple', APPLE, json(403, { reason: 'BadJwtToken' }), 'HTTP 403 BadJwtToken'],
    [
      'by Mozilla for a token that lives too long',
      FIREFOX,
      autopush(401, 109, 'The VAPID token expiration is too long'),
      'HTTP 401 errno 109',
    ],
    [
      'by Google for a token that is none',
      CHROME,
      page(400, 'UnauthorizedRegistration'),
      'HTTP 400 UnauthorizedRegistration',
    ],
    ['by others', NTFY, plain(401, 'unauthorized'), 'HTTP 401'],
  ])('%s, and the push is not', async (_, endpoint, answer, reason) => {
    await using web = await start(() => answer)
    expect(await web.send(endpoint)).toEqual(misconfigured(reason))
  })
})

describe('one device waits', () => {
  test.each<[string, string, GatewayReply, number | null, string]>([
    [
      'Mozilla: a database timeout',
      FIREFOX,
      autopush(503, 201, 'Database error', { 'retry-after': '120' }),
      120_000,
      'HTTP 503 errno 201',
    ],
    ['Mozilla: its bridge', FIREFOX, autopush(502, 903, 'Bridge request timeout'), null, 'HTTP 502 errno 903'],
    [
      'Mozilla: its bridge has no key',
      FIREFOX,
      autopush(502, 901, 'Bridge authentication error'),
      null,
      'HTTP 502 errno 901',
    ],
    ['Apple: too often', APPLE, json(429, { reason: 'TooManyRequests' }), null, 'HTTP 429 TooManyRequests'],
    [
      'Google: a site that sends too much',
      CHROME,
      { status: 429, headers: { 'retry-after': '30' } },
      30_000,
      'HTTP 429',
    ],
    [
      'Google: an endpoint that is well tomorrow',
      CHROME,
      plain(403, 'invalid push subscription endpoint.'),
      null,
      'HTTP 403',
    ],
    ['Google: a front end', CHROME, page(502, 'Error 502 (Server Error)!!1'), null, 'HTTP 502 with a web page'],
    [
      'Google: a front end that finds no fault',
      CHROME,
      page(400, 'Error 400 (Bad Request)!!1'),
      null,
      'HTTP 400 with a web page',
    ],
    ['Microsoft: throttled', EDGE, { status: 406, headers: { 'retry-after': '60' } }, 60_000, 'HTTP 406: throttled'],
    [
      'ntfy: nobody has subscribed',
      NTFY,
      json(507, { code: 50701, http: 507, error: 'insufficient' }),
      null,
      'HTTP 507 code 50701',
    ],
    ['ntfy: a limit', NTFY, json(429, { code: 42908, http: 429, error: 'limit' }), null, 'HTTP 429 code 42908'],
    ['a proxy', NTFY, page(413, '413 Request Entity Too Large'), null, 'HTTP 413 with a web page'],
  ])('%s', async (_, endpoint, answer, afterMs, reason) => {
    await using web = await start(() => answer)
    const scope = afterMs !== null || reason.endsWith('with a web page') ? 'either' : 'device'
    // No strain on its push service either, which says nothing of the others.
    expect(await web.send(endpoint)).toEqual(later(scope, reason, afterMs))
  })

  test('for an hour at the most', async () => {
    await using web = await start(() => ({ status: 503, headers: { 'retry-after': '86400' } }))
    expect(await web.send(FIREFOX)).toMatchObject({ scope: 'either', afterMs: HOUR_MS })
  })
})

describe('Microsoft', () => {
  test.each([200, 201])('says %p of what it has dropped: that is not sent', async (status) => {
    await using web = await start(() => ({ status, headers: { 'x-wns-notificationstatus': 'dropped' } }))
    const reason = `HTTP ${status}: dropped by the push service`
    expect(await web.send(EDGE)).toEqual({ kind: 'rejected', blame: 'push', reason, certain: true })
  })

  test.each([200, 201])('says %p of a channel that it throttles: it is sent again', async (status) => {
    const headers = { 'x-wns-notificationstatus': 'channelThrottled', 'retry-after': '9' }
    await using web = await start(() => ({ status, headers }))
    expect(await web.send(EDGE)).toEqual(later('device', `HTTP ${status}: throttled`, 9000))
  })

  test('takes what is received', async () => {
    await using web = await start(() => ({ status: 201, headers: { 'x-wns-notificationstatus': 'received' } }))
    expect(await web.send(EDGE)).toEqual({ kind: 'accepted' })
  })

  test('says in a header what is wrong with a push', async () => {
    const headers = { 'x-wns-error-description': 'Ttl value conflicts with X-WNS-Cache-Policy' }
    await using web = await start(() => ({ status: 400, headers }))
    const reason = 'HTTP 400: Ttl value conflicts with X-WNS-Cache-Policy'
    expect(await web.send(EDGE)).toEqual(rejected('push', reason))
  })

  test('is told to cache nothing with a time to live of 0, and nobody else is', async () => {
    await using web = await start(() => CREATED)
    await web.send(EDGE, { ttl: 0 })
    await web.send(EDGE)
    await web.send(CHROME, { ttl: 0 })
    expect(web.gateway.calls.map(({ headers }) => [headers['ttl'], headers['x-wns-cache-policy']])).toEqual([
      ['0', 'no-cache'],
      ['86400', undefined],
      ['0', undefined],
    ])
  })
})

describe('Apple', () => {
  test.each<[string, Partial<Notification>]>([
    ['is silent', { msg: null, silent: true, payload: { sync: 1 } }],
    ['has a badge alone', { msg: null, badge: { set: 3 } }],
    ['has a link alone', { msg: null, link: 'https://shop.example/' }],
  ])('gets nothing of a push that %s, which would end the subscription', async (_, notification) => {
    await using web = await start(() => CREATED)
    const reason = 'not sent: Safari ends a subscription after three pushes that show nothing'
    expect(await web.send(APPLE, notification)).toEqual({ kind: 'rejected', blame: 'push', reason, certain: true })
    expect(web.gateway.calls).toHaveLength(0)
    expect(await web.send(FIREFOX, notification)).toEqual({ kind: 'accepted' })
  })

  test('gets a Topic that it takes for a collapse id of each length', async () => {
    await using web = await start(() => CREATED)
    for (let length = 1; length <= 64; length++) await web.send(APPLE, { collapse: 'a'.repeat(length) })
    const topics = web.gateway.calls.map(({ headers }) => headers['topic'] ?? '')
    expect(topics).toHaveLength(64)
    expect(topics.filter((topic) => topic.length % 4 === 1 || !/^[\w-]{1,32}$/.test(topic))).toEqual([])
    expect(new Set(topics).size).toBe(64)
  })
})

describe('a message that is too large', () => {
  const LONG = 'x'.repeat(2600)

  test('for its browser is sent once more, without padding', async () => {
    await using web = await start(({ bytes }) => (bytes.length > 2_800 ? autopush(413, 104, 'too long') : CREATED))
    expect(await web.send(FIREFOX, { msg: LONG })).toEqual({ kind: 'accepted' })
    expect(web.gateway.calls.map(({ bytes }) => bytes.length)).toEqual([3015, expect.any(Number)])
    // A key pair and a salt of its own.
    const [first, second] = web.gateway.calls.map(({ bytes }) => bytes)
    expect(first?.subarray(0, 16)).not.toEqual(second?.subarray(0, 16) as Buffer)
    expect(first?.subarray(21, 86)).not.toEqual(second?.subarray(21, 86) as Buffer)
  })

  test('though no padding can be why fails at once', async () => {
    await using web = await start(() => autopush(413, 104, 'too long'))
    expect(await web.send(FIREFOX, { msg: 'x'.repeat(900) })).toMatchObject({ reason: 'HTTP 413 errno 104' })
    expect(web.gateway.calls).toHaveLength(1)
    // Nor where there is none: it is as long as it may be.
    const longest = 3993 - JSON.stringify({ notification: { title: '', tag: MESSAGE.push } }).length
    expect(await web.send(FIREFOX, { msg: 'x'.repeat(longest) })).toMatchObject({ reason: 'HTTP 413 errno 104' })
    expect(web.gateway.calls).toHaveLength(2)
    expect(web.gateway.calls[1]?.bytes).toHaveLength(4096)
  })

  test('also so fails for this browser, and no other', async () => {
    await using web = await start(() => autopush(413, 104, 'too long'))
    expect(await web.send(FIREFOX, { msg: LONG })).toEqual({
      kind: 'rejected',
      blame: 'push',
      reason: 'HTTP 413 errno 104',
      certain: true,
    })
    expect(web.gateway.calls).toHaveLength(2)
  })

  test.each([
    [1_000, 1_127],
    [1_700, 2_048],
    [1_945, 2_151],
    [2_500, 3_015],
    [2_900, 3_050],
    [3_500, 4_096],
  ])('of %p bytes of text has at most %p in all', async (text, most) => {
    await using web = await start(() => CREATED)
    await web.send(FIREFOX, { msg: 'x'.repeat(text - 84) })
    expect(web.gateway.calls[0]?.bytes.length).toBeLessThanOrEqual(most)
  })
})
