import { describe, expect, test } from 'bun:test'
import { makeVapid } from '../../../src/application/vapid.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Recipient } from '../../../src/gateway/gateway.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import type { OpenTransport } from '../../../src/gateway/transport/transport.ts'
import { createWebPushProvider } from '../../../src/gateway/webpush/client.ts'
import type { WebPushProviderOptions } from '../../../src/gateway/webpush/client.ts'
import { HostAddresses } from '../../../src/gateway/webpush/host-addresses.ts'
import type { Resolve } from '../../../src/gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { GatewayHandler } from '../../support/gateway.ts'
import { createBrowser } from './browser.ts'
import { MESSAGE as PLAIN, outcomeOf } from '../outcome.ts'

const CREATED = { status: 201, headers: { location: 'https://push.example/message/1' } }
const VAPID = makeVapid('mailto:push@example.com')
const said = { payload: { id: 5 }, collapse: 'order-7_', link: 'https://shop.example/7' }
const MESSAGE = {
  ...PLAIN,
  notification: { ...PLAIN.notification, ...said },
  expiresAt: createFakeClock().now() + 3_600_000,
}
const mayGo = () => true

/** A push service that the operator has named, a browser subscribed to it, and a provider. */
async function start(handler: GatewayHandler) {
  const service = await startGateway(handler)
  const clock = createFakeClock()
  const provider = createWebPushProvider({
    keyAgreement: createKeyAgreement(),
    credential: VAPID,
    named: [service.origin],
    ca: service.ca,
    openTransport: h2Transport(systemClock, null),
    clock,
    hosts: null,
  })
  const browser = createBrowser(`${service.origin}/push/abc?id=7`)
  return {
    service,
    browser,
    provider,
    send: (changed: Partial<Recipient> = {}, may = mayGo) =>
      outcomeOf(provider, MESSAGE, { ...browser.recipient, ...changed }, may),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

describe('a notification', () => {
  test('goes to the endpoint as RFC 8030 says, and only the browser can read it', async () => {
    await using web = await start(() => CREATED)
    expect(await web.send({ badge: 3 })).toEqual({ kind: 'accepted' })
    const [call] = web.service.calls
    expect(call).toMatchObject({ method: 'POST', path: '/push/abc?id=7' })
    expect(call?.headers).toMatchObject({
      ttl: '3600',
      urgency: 'high',
      topic: 'order-7_',
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    })
    expect(call?.headers['authorization']).toEndWith(`, k=${VAPID.publicKey}`)
    expect(web.browser.open(call?.bytes ?? Buffer.alloc(0))).toEqual({
      web_push: 8030,
      notification: {
        title: 'Hello',
        navigate: 'https://shop.example/7',
        tag: 'order-7_',
        data: { id: 5 },
        app_badge: 3,
      },
      app_badge: 3,
    })
  })

  test('is not sent where it may not go any more', async () => {
    await using web = await start(() => CREATED)
    expect(await web.send({}, () => false)).toBeNull()
    expect(web.service.calls).toEqual([])
  })

  test('has the origin of its endpoint for its push service', async () => {
    await using web = await start(() => CREATED)
    expect(web.provider.originOf(web.browser.recipient)).toBe(web.service.origin)
    expect(web.provider.originOf({ ...web.browser.recipient, token: 'no URL' })).toBe('null')
  })
})

describe('an answer', () => {
  test('of 301 is not followed', async () => {
    await using web = await start(() => ({ status: 301, headers: { location: '/elsewhere' } }))
    expect(await web.send()).toEqual({ kind: 'deferred', afterMs: null, scope: 'device', reason: 'HTTP 301' })
    expect(web.service.calls).toHaveLength(1)
  })

  test('that is cut off concerns this browser', async () => {
    await using web = await start(() => 'reset')
    expect(await web.send()).toMatchObject({ kind: 'deferred', scope: 'device', strain: true })
  })

  test('is not awaited where nobody listens: the push service is held, the others go on', async () => {
    await using web = await start(() => CREATED)
    await web.service[Symbol.asyncDispose]()
    expect(await web.send()).toMatchObject({ kind: 'deferred', scope: 'service', reason: 'ECONNREFUSED' })
  })
})

describe('a push service', () => {
  const FIREFOX = createBrowser('https://updates.push.services.mozilla.com/wpush/v2/abc').recipient

  /** A provider that reaches nobody, and tells which origins it would have opened. */
  function unconnected({ resolve = null, ...options }: Partial<WebPushProviderOptions> & { resolve?: Resolve | null }) {
    const opened: string[] = []
    const openTransport: OpenTransport = (origin) => {
      opened.push(origin)
      return {
        send: (_, listener) => listener.onAnswer({ kind: 'failed', reason: 'test', sent: 'unknown' }),
        retire: () => undefined,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }
    }
    const clock = createFakeClock()
    const keyAgreement = createKeyAgreement()
    const hosts = resolve && new HostAddresses(resolve, clock)
    const fixed = { keyAgreement, credential: VAPID, named: [], openTransport, clock, hosts }
    return { clock, opened, provider: createWebPushProvider({ ...fixed, ...options }) }
  }

  test.each([
    ['at private addresses', ['142.250.1.1', '10.0.0.1'], 'private address'],
    ['of this machine', ['127.0.0.1'], 'private address'],
    ['where clouds keep their secrets', ['169.254.169.254'], 'private address'],
    ['without an address', [], 'no address'],
  ])('%s is not connected to', async (_, addresses, reason) => {
    const { provider, opened } = unconnected({ resolve: () => Promise.resolve(addresses) })
    const outcome = await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)
    expect(outcome).toEqual({ kind: 'deferred', afterMs: null, scope: 'service', reason })
    expect(opened).toEqual([])
  })

  test('whose name cannot be looked up is not connected to', async () => {
    const { provider, opened } = unconnected({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)).toMatchObject({ scope: 'service', reason: 'no address' })
    expect(opened).toEqual([])
  })

  test('has its addresses looked at again every five minutes', async () => {
    const answers = [['34.107.1.1'], ['10.0.0.1']]
    const { provider, clock } = unconnected({ resolve: () => Promise.resolve(answers.shift() ?? []) })
    expect(await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)).toMatchObject({ reason: 'test' })
    clock.advance(5 * 60_000 - 1)
    expect(await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)).toMatchObject({ reason: 'test' })
    clock.advance(1)
    expect(await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)).toMatchObject({ reason: 'private address' })
  })

  test('that the operator has named may be anywhere; no other is looked up through a proxy', async () => {
    const named = createBrowser('https://10.0.0.1:8443/up').recipient
    const { provider, opened } = unconnected({
      named: ['https://10.0.0.1:8443'],
      resolve: () => Promise.reject(new Error('asked')),
    })
    expect(await outcomeOf(provider, MESSAGE, named, mayGo)).toMatchObject({ reason: 'test' })
    const proxied = unconnected({ resolve: null })
    expect(await outcomeOf(proxied.provider, MESSAGE, FIREFOX, mayGo)).toMatchObject({ reason: 'test' })
    expect([...opened, ...proxied.opened]).toEqual([
      'https://10.0.0.1:8443',
      'https://updates.push.services.mozilla.com',
    ])
  })

  test('that is not allowed any more is not connected to, and its devices stay', async () => {
    const { provider, opened } = unconnected({})
    const elsewhere = { ...FIREFOX, token: 'https://push.example/1' }
    const reason = 'the push service is not allowed here'
    const outcome = await outcomeOf(provider, MESSAGE, elsewhere, mayGo)
    expect(outcome).toEqual({ kind: 'deferred', afterMs: null, scope: 'service', reason })
    expect(opened).toEqual([])
  })

  test('is one of a hundred that have a connection', async () => {
    const { provider, opened } = unconnected({})
    const send = (n: number) =>
      outcomeOf(provider, MESSAGE, { ...FIREFOX, token: `https://n${n}.push.services.mozilla.com/1` }, mayGo)
    for (let n = 0; n < 101; n++) await send(n)
    await send(100)
    expect(opened).toHaveLength(101)
    await send(0)
    expect(opened).toHaveLength(102)
  })

  test.each([
    ['no keys', null],
    ['a key that is no point', { p256dh: Buffer.alloc(65), auth: Buffer.alloc(16) }],
  ])('gets nothing for %s', async (_, keys) => {
    const { provider } = unconnected({})
    const outcome = await outcomeOf(provider, MESSAGE, { ...FIREFOX, keys }, mayGo)
    expect(outcome).toEqual({ kind: 'rejected', blame: 'token', reason: 'no usable keys', certain: true })
  })

  test('gets nothing with a key that cannot be used', async () => {
    const { provider } = unconnected({ credential: { ...VAPID, privateKey: 'no key' } })
    const outcome = await outcomeOf(provider, MESSAGE, FIREFOX, mayGo)
    expect(outcome).toEqual({ kind: 'misconfigured', reason: 'the VAPID key cannot be used', certain: true })
  })
})
