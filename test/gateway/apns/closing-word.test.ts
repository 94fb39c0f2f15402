import { describe, expect, test } from 'bun:test'
import type { ApnsCredential } from '../../../src/application/credential.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import { createApnsProvider } from '../../../src/gateway/apns/client.ts'
import type { Recipient } from '../../../src/gateway/gateway.ts'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Connection, Gateway } from '../../support/gateway.ts'
import { MESSAGE, outcomeOf } from '../outcome.ts'

/*
 * Apple tells some faults of a certificate in the debug data of a GOAWAY without an error, and answers nothing
 * (sideshow/apns2#93, pushy#312).
 */

const client = makeCertificate({ name: 'client.example' })
const CERTIFICATE: ApnsCredential = {
  kind: 'certificate',
  certificate: client.certificate,
  privateKey: client.privateKey,
  topic: 'com.example.app',
  environment: 'auto',
  expiresAt: Date.UTC(2030, 0, 1),
}
const PHONE: Recipient = { device: 42, token: '00fc13adff785122'.repeat(4), environment: null, badge: null }

const word = (reason: string): string => JSON.stringify({ reason })
const never = (): void => undefined

/** When the gateway parts: with its greeting, or at the first request. */
const PARTINGS = ['with the greeting', 'at the first request'] as const

const WAYS = (['h2', 'http2-wrapper'] as const).flatMap((transport) =>
  PARTINGS.map((when) => [transport, when] as const),
)

function parting(when: (typeof PARTINGS)[number], reason: string) {
  const part = (connection: Connection): void => connection.goaway(0, 0, word(reason))
  if (when === 'at the first request') return startGateway(({ connection }) => part(connection))
  return startGateway(never, {
    greet(connection) {
      connection.settings(1)
      part(connection)
    },
  })
}

interface Between {
  readonly production: Gateway
  readonly sandbox: Gateway
  readonly credential?: ApnsCredential
  readonly clock?: Clock
  readonly transport?: (typeof WAYS)[number][0]
}

function providerOf(between: Between) {
  const { production, sandbox, credential = CERTIFICATE, clock = systemClock, transport = 'h2' } = between
  return createApnsProvider({
    credential,
    origins: { production: production.origin, sandbox: sandbox.origin },
    ca: production.ca,
    openTransport: chooseTransport({ transport, proxy: null }, systemClock, never),
    clock,
  })
}

describe.each(WAYS)('by %s a gateway that parts %s with BadCertificateEnvironment', (transport, when) => {
  test('is left for the other environment, which is asked first from then on', async () => {
    await using production = await parting(when, 'BadCertificateEnvironment')
    await using sandbox = await startGateway(ok)
    await using provider = providerOf({ production, sandbox, transport })
    for (let n = 0; n < 3; n++) {
      expect(await outcomeOf(provider, MESSAGE, PHONE)).toEqual({ kind: 'accepted', environment: 'sandbox' })
    }
    expect([production.connections, sandbox.connections]).toEqual([1, 1])
  })

  test('is not connected to again for each device that it knew before', async () => {
    await using production = await parting(when, 'BadCertificateEnvironment')
    await using sandbox = await startGateway((call) => {
      call.respond(400, { end: false })
      call.write(word('BadDeviceToken'), { end: true })
    })
    await using provider = providerOf({ production, sandbox, transport })
    for (let device = 0; device < 50; device++) {
      const outcome = await outcomeOf(provider, MESSAGE, { ...PHONE, device, environment: 'production' })
      expect(outcome).toMatchObject({ kind: 'rejected', reason: 'BadDeviceToken' })
    }
    expect(production.connections).toBe(1)
  })

  test('says that the certificate is at fault where the operator has named the environment', async () => {
    await using production = await parting(when, 'BadCertificateEnvironment')
    await using sandbox = await startGateway(ok)
    await using provider = providerOf({
      production,
      sandbox,
      credential: { ...CERTIFICATE, environment: 'production' },
      transport,
    })
    expect(await outcomeOf(provider, MESSAGE, PHONE)).toEqual({
      kind: 'misconfigured',
      reason: 'BadCertificateEnvironment',
      certain: true,
    })
    expect([production.connections, sandbox.connections]).toEqual([1, 0])
  })
})

describe.each(WAYS)('by %s a gateway that parts %s with a word about the credential', (transport, when) => {
  test.each(['BadCertificate', 'InvalidProviderToken', 'Forbidden'])('%s is connected to once', async (reason) => {
    await using production = await parting(when, reason)
    await using sandbox = await startGateway(ok)
    await using provider = providerOf({ production, sandbox, transport })
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, device) => outcomeOf(provider, MESSAGE, { ...PHONE, device })),
    )
    for (const outcome of outcomes) expect(outcome).toEqual({ kind: 'misconfigured', reason, certain: true })
    expect([production.connections, sandbox.connections]).toEqual([1, 0])
  })

  test('is asked again once a pause is over', async () => {
    await using production = await parting(when, 'BadCertificate')
    const clock = createFakeClock()
    await using provider = providerOf({ production, sandbox: production, clock, transport })
    await outcomeOf(provider, MESSAGE, PHONE)
    clock.advance(15_000)
    await outcomeOf(provider, MESSAGE, PHONE)
    expect(production.connections).toBe(2)
  })
})

test('a word that is about this connection alone has the request go by another one', async () => {
  await using gateway = await startGateway((call) => {
    if (call.connection.number === 1) call.connection.goaway(0, 0, word('Shutdown'))
    else call.respond(200)
  })
  await using provider = providerOf({ production: gateway, sandbox: gateway })
  expect(await outcomeOf(provider, MESSAGE, PHONE)).toEqual({ kind: 'accepted', environment: 'production' })
  expect(gateway.connections).toBe(2)
})

test('a certificate that is revoked under way: answered requests count, and the others are not sent again', async () => {
  await using gateway = await startGateway((call) => {
    if (call.id === 1) return call.respond(200)
    if (call.id !== 7) return
    call.connection.goaway(3, 0, word('BadCertificate'))
    for (const each of gateway.calls) if (each.id === 3) each.respond(200)
  })
  await using provider = providerOf({ production: gateway, sandbox: gateway })
  const send = (device: number) => outcomeOf(provider, MESSAGE, { ...PHONE, device })
  expect(await send(1)).toMatchObject({ kind: 'accepted' })
  const refused = { kind: 'misconfigured', reason: 'BadCertificate', certain: true }
  expect(await Promise.all([send(2), send(3), send(4)])).toMatchObject([{ kind: 'accepted' }, refused, refused])
  expect(gateway.connections).toBe(1)
})
