import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import type { ApnsCredential } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import { createApnsProvider } from '../../../src/gateway/apns/client.ts'
import { apnsIdOf } from '../../../src/gateway/apns/protocol.ts'
import type { Outcome, Recipient } from '../../../src/gateway/gateway.ts'
import { h2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { Gateway, GatewayAction, GatewayHandler } from '../../support/gateway.ts'
import { accepted, later, MESSAGE as PLAIN, misconfigured, outcomeOf, rejected } from '../outcome.ts'

const MINUTE_MS = 60_000
const { privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const KEY: ApnsCredential = {
  kind: 'key',
  privateKey,
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.app',
  environment: 'auto',
}
const said = { sound: 'default', badge: { add: 1 }, payload: { id: 5 } }
const MESSAGE = { ...PLAIN, notification: { ...PLAIN.notification, ...said } }
const PHONE: Recipient = { device: 42, token: '00fc13adff785122'.repeat(4), environment: null, badge: 3 }
const OK = { status: 200 }

function refusal(status: number, reason: string, timestamp?: number): GatewayAction {
  return { status, body: JSON.stringify({ reason, timestamp }) }
}

/** A provider with its clock, between two gateways: production and sandbox. */
async function start(on: { production: GatewayHandler; sandbox?: GatewayHandler; credential?: ApnsCredential }) {
  const clock = createFakeClock()
  const production = await startGateway(on.production)
  const sandbox = await startGateway(on.sandbox ?? (() => 'close'))
  const provider = createApnsProvider({
    credential: on.credential ?? KEY,
    origins: { production: production.origin, sandbox: sandbox.origin },
    ca: production.ca,
    openTransport: (origin, options) => {
      expect(options.indexesAuthorization).toBeUndefined() // Apple asks for a literal.
      return h2Transport(systemClock, null)(origin, options)
    },
    clock,
  })
  return {
    clock,
    production,
    sandbox,
    provider,
    send: (recipient: Partial<Recipient> = {}, mayGo = () => true) =>
      outcomeOf(provider, MESSAGE, { ...PHONE, ...recipient }, mayGo),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await Promise.all([production[Symbol.asyncDispose](), sandbox[Symbol.asyncDispose]()])
    },
  }
}

function tokensOf(gateway: Gateway): unknown[] {
  return gateway.calls.map(({ headers }) => headers.authorization)
}

describe('a notification', () => {
  test('goes to APNs as Apple documents it', async () => {
    await using apns = await start({ production: () => OK })
    expect(await apns.send()).toEqual(accepted('production'))
    const [call] = apns.production.calls
    expect(call).toMatchObject({ method: 'POST', path: `/3/device/${PHONE.token}` })
    expect(call?.headers).toMatchObject({
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': '1800000000',
      'apns-collapse-id': MESSAGE.push,
      'apns-id': apnsIdOf(MESSAGE.push, 42),
      authorization: expect.stringMatching(/^bearer [\w-]+\.[\w-]+\.[\w-]+$/) as unknown,
    })
    expect(JSON.parse(call?.body ?? '')).toEqual({ aps: { alert: 'Hello', sound: 'default', badge: 3 }, id: 5 })
  })

  test('has token, apns-id and badge of its own for each recipient, and shares the rest', async () => {
    await using apns = await start({ production: () => OK })
    await apns.send({ device: 1, token: 'aa'.repeat(32), badge: 1 })
    await apns.send({ device: 2, token: 'bb'.repeat(32), badge: 2 })
    const [one, two] = apns.production.calls
    expect([one?.path, two?.path]).toEqual([`/3/device/${'aa'.repeat(32)}`, `/3/device/${'bb'.repeat(32)}`])
    expect(one?.headers['apns-id']).not.toBe(two?.headers['apns-id'])
    expect(one?.headers.authorization).toBe(two?.headers.authorization)
    expect(one?.body.replace('"badge":1', '"badge":2')).toBe(two?.body)
  })

  test('with a token that Apple cannot have issued is not sent', async () => {
    await using apns = await start({ production: () => OK })
    for (const token of ['..', 'abc123', 'ExponentPushToken[x]', 'a'.repeat(4096)]) {
      const never: Outcome = { kind: 'rejected', blame: 'token', reason: 'BadDeviceToken', certain: true }
      expect(await apns.send({ token })).toEqual(never)
    }
    expect(apns.production.calls).toHaveLength(0)
  })
})

describe('an answer', () => {
  test('429 with Retry-After defers for that long', async () => {
    const headers = { 'retry-after': '30' }
    await using apns = await start({
      production: () => ({ status: 429, headers, body: '{"reason":"TooManyRequests"}' }),
    })
    expect(await apns.send()).toEqual(later('device', 'TooManyRequests', 30_000))
  })

  test.each([
    [503, 'Shutdown', 'device'],
    [400, 'IdleTimeout', 'device'],
  ] as const)('%d %s defers, and the next request uses another connection', async (status, reason, scope) => {
    await using apns = await start({ production: () => refusal(status, reason) })
    expect(await apns.send()).toEqual(later(scope, reason))
    apns.production.handle(() => OK)
    expect(await apns.send()).toMatchObject({ kind: 'accepted' })
    expect(apns.production.calls.map(({ connection }) => connection.number)).toEqual([1, 2])
  })

  test('503 ServiceUnavailable for one device keeps the connection, and for a second one ends it', async () => {
    await using apns = await start({ production: () => refusal(503, 'ServiceUnavailable') })
    const unavailable = later('either', 'ServiceUnavailable')
    for (const device of [1, 1, 2, 2]) expect(await apns.send({ device })).toEqual(unavailable)
    expect(apns.production.calls.map(({ connection }) => connection.number)).toEqual([1, 1, 1, 2])
  })

  test('that is lost defers this device', async () => {
    await using apns = await start({ production: () => 'close' })
    expect(await apns.send()).toEqual({ ...later('device', 'ECONNRESET'), strain: true })
  })

  test('for want of a connection defers all', async () => {
    const origins = { production: 'https://localhost:1', sandbox: 'https://localhost:1' }
    const openTransport = h2Transport(systemClock, null)
    await using provider = createApnsProvider({ credential: KEY, origins, openTransport, clock: systemClock })
    expect(await outcomeOf(provider, MESSAGE, PHONE, () => true)).toEqual(later('credential', 'ECONNREFUSED'))
  })
})

describe('the environment', () => {
  const bad: GatewayHandler = () => refusal(400, 'BadDeviceToken')

  test('that is known to take the token is asked first', async () => {
    await using apns = await start({ production: () => OK, sandbox: () => OK })
    expect(await apns.send({ environment: 'sandbox' })).toEqual(accepted('sandbox'))
    expect(apns.production.calls).toHaveLength(0)
  })

  test('is changed once when it does not know the token', async () => {
    await using apns = await start({ production: bad, sandbox: () => OK })
    expect(await apns.send()).toEqual(accepted('sandbox'))
    expect([apns.production.calls.length, apns.sandbox.calls.length]).toEqual([1, 1])
  })

  test('is not asked when the push was cancelled meanwhile', async () => {
    let mayGo = true
    const refuse: GatewayHandler = (call) => {
      mayGo = false
      return bad(call)
    }
    await using apns = await start({ production: refuse, sandbox: () => OK })
    expect(await apns.send({}, () => mayGo)).toBeNull()
    expect([apns.production.calls.length, apns.sandbox.calls.length]).toEqual([1, 0])
  })

  test('is changed to production for a token that was known in sandbox', async () => {
    await using apns = await start({ production: () => OK, sandbox: bad })
    expect(await apns.send({ environment: 'sandbox' })).toEqual(accepted('production'))
  })

  test('makes a token bad only when both do not know it', async () => {
    await using apns = await start({ production: bad, sandbox: bad })
    expect(await apns.send()).toEqual(rejected('token', 'BadDeviceToken'))
    expect([apns.production.calls.length, apns.sandbox.calls.length]).toEqual([1, 1])
  })

  test.each(['production', 'sandbox'] as const)('is not changed when the operator said %s', async (environment) => {
    await using apns = await start({ production: bad, sandbox: bad, credential: { ...KEY, environment } })
    const other = environment === 'production' ? 'sandbox' : 'production'
    // It may be a good token of the other environment.
    expect(await apns.send({ environment: other })).toEqual(rejected('mismatch', 'BadDeviceToken'))
    expect([apns[environment].calls.length, apns[other].calls.length]).toEqual([1, 0])
  })

  test('says what the other one said of the token', async () => {
    await using apns = await start({ production: bad, sandbox: () => refusal(410, 'Unregistered', 1_700_000_000_000) })
    expect(await apns.send()).toEqual({ kind: 'unregistered', since: 1_700_000_000_000, reason: 'Unregistered' })
  })

  test('that cannot be reached does not hold up everything for a token unknown in the first', async () => {
    await using apns = await start({ production: bad })
    await apns.sandbox[Symbol.asyncDispose]()
    expect(await apns.send()).toMatchObject({ kind: 'deferred', scope: 'device', reason: 'ECONNREFUSED' })
  })

  test('that asks for time is left alone for so long, and the first one goes on', async () => {
    const body = JSON.stringify({ reason: 'TooManyProviderTokenUpdates' })
    const busy = { status: 429, headers: { 'retry-after': '11' }, body }
    await using apns = await start({ production: bad, sandbox: () => busy })
    const later = { kind: 'deferred', scope: 'device', reason: 'TooManyProviderTokenUpdates' }
    for (const device of [1, 2, 3, 4]) {
      expect(await apns.send({ device })).toEqual({ ...later, afterMs: 11_000 } as Outcome)
    }
    apns.clock.advance(1000)
    expect(await apns.send({ device: 5 })).toEqual({ ...later, afterMs: 10_000 } as Outcome)
    // Its own devices wait together.
    const own = { ...later, scope: 'credential', afterMs: 10_000 } as Outcome
    expect(await apns.send({ device: 6, environment: 'sandbox' })).toEqual(own)
    expect([apns.production.calls.length, apns.sandbox.calls.length]).toEqual([5, 4])
    // A clock that was put back must not stretch it.
    apns.clock.advance(-MINUTE_MS)
    apns.production.handle(bad)
    apns.sandbox.handle(() => OK)
    expect(await apns.send({ device: 2 })).toEqual(accepted('sandbox'))
  })

  test('that refuses the key does not condemn a key that the first one takes', async () => {
    await using apns = await start({ production: bad, sandbox: () => refusal(403, 'InvalidProviderToken') })
    expect(await apns.send()).toEqual(rejected('token', 'BadDeviceToken'))
  })

  test.each(['BadEnvironmentKeyInToken', 'BadEnvironmentKeyIdInToken', 'BadCertificateEnvironment'])(
    'of a key for sandbox alone is found by %s, and asked first from then on',
    async (reason) => {
      await using apns = await start({ production: () => refusal(403, reason), sandbox: () => OK })
      expect(await apns.send()).toEqual(accepted('sandbox'))
      expect(await apns.send()).toEqual(accepted('sandbox'))
      expect([apns.production.calls.length, apns.sandbox.calls.length]).toEqual([1, 2])
    },
  )

  test('is no excuse for a key that both refuse', async () => {
    const wrong: GatewayHandler = () => refusal(403, 'BadEnvironmentKeyInToken')
    await using apns = await start({ production: wrong, sandbox: wrong })
    expect(await apns.send()).toEqual(misconfigured('BadEnvironmentKeyInToken'))
  })

  test('is not changed for a key that is refused for itself', async () => {
    await using apns = await start({ production: () => refusal(403, 'InvalidProviderToken'), sandbox: () => OK })
    expect(await apns.send()).toEqual(misconfigured('InvalidProviderToken'))
    expect(apns.sandbox.calls).toHaveLength(0)
  })
})

describe('a provider token that is renewed after 50 minutes', () => {
  test('goes over a connection of its own: one that has just seen the old one would refuse it for 20 minutes', async () => {
    const seen = new Map<number, string | undefined>()
    const handle: GatewayHandler = ({ connection: { number }, headers: { authorization } }) => {
      const first = seen.get(number) ?? authorization
      seen.set(number, first)
      return first === authorization ? OK : refusal(429, 'TooManyProviderTokenUpdates')
    }
    await using apns = await start({ production: handle })
    await apns.send()
    apns.clock.advance(50 * MINUTE_MS)
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, device) => apns.send({ device })))
    expect(new Set(outcomes.map((outcome) => outcome?.kind))).toEqual(new Set(['accepted']))
    expect(new Set(tokensOf(apns.production)).size).toBe(2)
    expect(apns.production.connections).toBe(2)
  })
})

describe('a provider token that APNs calls expired', () => {
  const expired = refusal(403, 'ExpiredProviderToken')

  test('is renewed, and the notification goes once more over another connection', async () => {
    await using apns = await start({ production: () => OK })
    await apns.send()
    apns.clock.advance(30 * MINUTE_MS)
    const [old] = tokensOf(apns.production)
    apns.production.handle(({ headers }) => (headers.authorization === old ? expired : OK))
    expect(await apns.send()).toEqual(accepted('production'))
    expect(apns.production.calls.map(({ connection }) => connection.number)).toEqual([1, 1, 2])
    expect(new Set(tokensOf(apns.production)).size).toBe(2)
  })

  test('is renewed once for all in flight, over one new connection', async () => {
    await using apns = await start({ production: () => OK })
    await apns.send()
    apns.clock.advance(30 * MINUTE_MS)
    const [old] = tokensOf(apns.production)
    apns.production.handle(({ headers }) => (headers.authorization === old ? expired : OK))
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, device) => apns.send({ device })))
    expect(outcomes.map((outcome) => outcome?.kind)).toEqual(Array.from({ length: 20 }, () => 'accepted'))
    expect(new Set(tokensOf(apns.production)).size).toBe(2)
    expect(apns.production.connections).toBe(2)
  })

  test('is renewed once; if that one has expired too, the notification waits', async () => {
    await using apns = await start({ production: () => expired })
    expect(await apns.send()).toEqual(
      later('credential', "ExpiredProviderToken of a new token: is this machine's clock right?"),
    )
    expect(apns.production.calls).toHaveLength(2)
    expect(new Set(tokensOf(apns.production)).size).toBe(2)
    await apns.send()
    expect(new Set(tokensOf(apns.production)).size).toBe(2)
  })
})

describe('a credential', () => {
  const client = makeCertificate({ name: 'client.example' })
  const certificate: ApnsCredential = {
    kind: 'certificate',
    certificate: client.certificate,
    privateKey: client.privateKey,
    topic: 'com.example.app',
    environment: 'production',
    expiresAt: Date.UTC(2026, 10, 20, 13),
  }

  test('that is a certificate is shown in TLS, without a token', async () => {
    await using apns = await start({ production: () => OK, credential: certificate })
    expect(await apns.send()).toEqual(accepted('production'))
    expect(apns.production.calls[0]).toMatchObject({ connection: { clientName: 'client.example' } })
    expect(tokensOf(apns.production)).toEqual([undefined])
  })

  test('that is an expired certificate is misconfigured, and nothing is sent', async () => {
    await using apns = await start({ production: () => OK, credential: certificate })
    apns.clock.advance(60 * MINUTE_MS)
    expect(await apns.send()).toEqual({ ...misconfigured('the certificate has expired'), certain: true })
    expect(apns.production.connections).toBe(0)
  })

  test('that is no key is misconfigured, and nothing is sent', async () => {
    await using apns = await start({ production: () => OK, credential: { ...KEY, privateKey: 'junk' } })
    expect(await apns.send()).toEqual({ ...misconfigured('the signing key cannot be used'), certain: true })
    expect(apns.production.connections).toBe(0)
  })
})
