import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { createProviderTokenStore } from '../../../src/application/provider-token-store.ts'
import { makeVapid } from '../../../src/application/vapid.ts'
import { ACCOUNT } from '../../gateway/fcm/account.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { startGateway } from '../../support/gateway.ts'
import { APNS_KEY, startHarness } from '../harness.ts'
import type { DoctorHarness } from '../harness.ts'
import { expectFinding } from '../expect-finding.ts'

async function equipped(use: DoctorHarness): Promise<string> {
  const id = await use.addApplication('Corner Shop')
  use.store(id, APNS_KEY)
  use.store(id, ACCOUNT)
  return id
}

describe('credentials that are good', () => {
  test('are proven by pushes that can reach no phone', async () => {
    await using use = await startHarness()
    const id = await equipped(use)
    const { check, ok } = await use.examine()
    expect(ok).toBe(true)
    expect(check('apns-production')).toMatchObject({
      group: 'application',
      application: id,
      state: 'ok',
      found: 'Apple takes key ABC123DEFG of team DEF123GHIJ for com.example.shop (production).',
      advice: null,
    })
    expect(check('apns-sandbox').found).toEndWith('(sandbox).')
    expectFinding(check('fcm'), 'ok', /for project example-project/)
    expect(check('clock').state).toBe('ok')
    for (const gateway of ['gateway-apns', 'gateway-apns-sandbox', 'gateway-fcm', 'gateway-fcm-token']) {
      expectFinding(check(gateway), 'ok', /HTTP\/2 over TLS in /)
    }

    const [apns] = use.gateways.production.calls
    expect(apns?.path).toBe(`/3/device/${'0'.repeat(64)}`)
    expect(apns?.headers).toMatchObject({
      'apns-topic': 'com.example.shop',
      'apns-push-type': 'background',
      'apns-priority': '5',
      'apns-expiration': '0',
    })
    expect(apns?.body).toBe('{"aps":{"content-available":1}}')
    // Apple limits new signatures.
    expect(use.gateways.sandbox.calls[0]?.headers.authorization).toBe(apns?.headers.authorization)
    const [fcm] = use.gateways.fcm.calls
    expect(fcm?.path).toBe('/v1/projects/example-project/messages:send')
    expect(JSON.parse(fcm?.body ?? '')).toMatchObject({ validate_only: true, message: { token: 'bellhop doctor' } })
    expect(use.gateways.production.calls).toHaveLength(1)
  })

  test('for one environment are held against that one', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    use.store(id, { ...APNS_KEY, environment: 'sandbox' })
    const { check, checks } = await use.examine()
    expect(check('apns-sandbox').state).toBe('ok')
    expect(checks.map((check) => check.id)).not.toContain('apns-production')
    expect(use.gateways.production.connections).toBe(0)
  })

  test('of a simulated application are proven too, and it says that they are not used', async () => {
    await using use = await startHarness()
    const id = await equipped(use)
    await use.line.run(['app', 'simulate', id, '--yes'])
    const { check } = await use.examine()
    expectFinding(check('credentials'), 'warning', /simulator/)
    expect(check('apns-production').state).toBe('ok')
  })

  test('as a certificate go by TLS, and not at all when it has expired', async () => {
    await using use = await startHarness()
    await using gateway = await startGateway(() => ({ status: 400, body: '{"reason":"BadDeviceToken"}' }))
    const id = await use.addApplication('Corner Shop')
    const { certificate, privateKey } = makeCertificate({ name: 'com.example.shop' })
    const credential = { kind: 'certificate', certificate, privateKey, topic: 'com.example.shop' } as const
    const env = { BELLHOP_APNS_URL: gateway.origin, BELLHOP_GATEWAY_CA: use.file('both.pem', gateway.ca) }
    const day = use.line.clock.now() + 10 * 86_400_000
    use.store(id, { ...credential, environment: 'production', expiresAt: day })
    const good = await use.examine([], env)
    expect(good.check('apns-production').found).toBe('Apple takes the certificate for com.example.shop (production).')
    expectFinding(good.check('apns-certificate'), 'warning', /2026-11-30/)
    expect(gateway.calls[0]).toMatchObject({ connection: { clientName: 'com.example.shop' } })
    expect(gateway.calls[0]?.headers.authorization).toBeUndefined()

    use.store(id, { ...credential, environment: 'production', expiresAt: use.line.clock.now() })
    const late = await use.examine([], env)
    expect(late.check('apns-certificate').state).toBe('failed')
    expectFinding(late.check('apns-production'), 'skipped')
    expect(gateway.calls).toHaveLength(1)
  })
})

describe('a certificate that APNs minds', () => {
  test.each([
    ['BadCertificateEnvironment', 'The certificate is not for the production environment.'],
    ['BadCertificate', 'Apple does not take the certificate: it is revoked, or not one for push.'],
  ])('in the GOAWAY with which it parts, as %s, is named, after one connection', async (word, found) => {
    await using use = await startHarness()
    await using gateway = await startGateway(({ connection }) =>
      connection.goaway(0, 0, JSON.stringify({ reason: word })),
    )
    const id = await use.addApplication('Corner Shop')
    const { certificate, privateKey } = makeCertificate({ name: 'com.example.shop' })
    const credential = { kind: 'certificate', certificate, privateKey, topic: 'com.example.shop' } as const
    use.store(id, { ...credential, environment: 'production', expiresAt: Date.UTC(2030, 0, 1) })
    const env = { BELLHOP_APNS_URL: gateway.origin, BELLHOP_GATEWAY_CA: use.file('gateway.pem', gateway.ca) }
    const { check } = await use.examine([], env)
    expect(check('apns-production')).toMatchObject({
      state: 'failed',
      found,
      advice: expect.stringContaining(`bellhop app apns ${id}`),
    })
    expect(gateway.calls).toHaveLength(1)
  })
})

describe('the stored provider token', () => {
  async function storedAt(use: DoctorHarness, at: number): Promise<void> {
    const id = await equipped(use)
    using database = use.line.database()
    const key = Buffer.from(await Bun.file(`${use.line.data}/key`).text(), 'base64')
    const issued = { authorization: 'bearer stored-token', at, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' }
    createProviderTokenStore({ database, key }).save({ number: 1, id }, JSON.stringify(issued))
  }

  test('is used while it is fresh', async () => {
    await using use = await startHarness()
    await storedAt(use, use.line.clock.now() - 49 * 60_000)
    await use.examine()
    expect(use.gateways.production.calls[0]?.headers.authorization).toBe('bearer stored-token')
  })

  test('is not when it is old: doctor makes one, which it uses at its next runs for other applications too', async () => {
    await using use = await startHarness()
    await storedAt(use, use.line.clock.now() - 51 * 60_000)
    await use.examine()
    const other = await use.addApplication('Corner Shop for iPad')
    use.store(other, { ...APNS_KEY, topic: 'com.example.ipad' })
    await use.examine()
    const calls = [...use.gateways.production.calls, ...use.gateways.sandbox.calls]
    const made = new Set(calls.map(({ headers }) => headers.authorization))
    expect(calls).toHaveLength(6)
    expect(made.size).toBe(1)
    expect([...made][0]).not.toBe('bearer stored-token')
    const stored = readFileSync(`${use.line.data}/apns-tokens`)
    expect(stored.includes(String([...made][0]).slice(7))).toBe(false)
    expect(statSync(`${use.line.data}/apns-tokens`).mode & 0o777).toBe(0o600)
  })
})

describe('credentials that are refused', () => {
  test('fail, with what is to be changed', async () => {
    await using use = await startHarness()
    const id = await equipped(use)
    use.answer('production', 403, { reason: 'InvalidProviderToken' })
    use.answer('sandbox', 403, { reason: 'InvalidProviderToken' })
    use.answer('token', 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' })
    const { check, exitCode } = await use.examine()
    expect(exitCode).toBe(1)
    expect(check('apns-production')).toMatchObject({
      state: 'failed',
      advice: expect.stringContaining(`bellhop app apns ${id}`),
    })
    expectFinding(check('fcm'), 'failed', /it was deleted/)
    expect(use.gateways.fcm.calls).toHaveLength(0)
  })

  test('in one environment only are limited to the other', async () => {
    await using use = await startHarness()
    await equipped(use)
    use.answer('sandbox', 403, { reason: 'BadEnvironmentKeyInToken' })
    const { check, ok } = await use.examine()
    expect(ok).toBe(true)
    expectFinding(check('apns-sandbox'), 'warning', /limited to the production environment/)
    use.answer('production', 403, { reason: 'BadEnvironmentKeyInToken' })
    const both = await use.examine()
    expect([both.check('apns-sandbox').state, both.check('apns-production').state]).toEqual(['failed', 'failed'])
  })

  test('by something that stands in for Apple and Google are suspicious', async () => {
    await using use = await startHarness()
    await equipped(use)
    use.answer('production', 200, '')
    use.answer('fcm', 200, { name: 'projects/example-project/messages/1' })
    const { check } = await use.examine()
    expectFinding(check('apns-production'), 'warning', /simulator/)
    expectFinding(check('fcm'), 'warning', /simulator/)
  })
})

describe('the clock', () => {
  test('is held against what the gateways say', async () => {
    await using use = await startHarness()
    await equipped(use)
    const date = new Date(use.line.clock.now() - 3_600_000).toUTCString()
    for (const name of ['production', 'sandbox'] as const) use.answer(name, 400, { reason: 'BadDeviceToken' }, { date })
    for (const name of ['fcm', 'token'] as const) use.answer(name, 400, { error: 'invalid_grant' }, { date })
    const { check } = await use.examine()
    expectFinding(check('clock'), 'failed', /60 minutes fast/)
  })

  test('is asked of the token endpoint when no credential has been', async () => {
    await using use = await startHarness()
    await use.addApplication('Corner Shop')
    const { check, ok } = await use.examine()
    expect(check('clock').state).toBe('ok')
    expect(use.gateways.token.calls).toHaveLength(1)
    expect(use.gateways.production.connections).toBe(1)
    expect(ok).toBe(true)
  })
})

describe('the way to the gateways', () => {
  test('goes through the proxy, whose password nobody sees', async () => {
    await using use = await startHarness()
    await using proxy = await startConnectProxy()
    await equipped(use)
    const env = { BELLHOP_PROXY: `http://user:proxy-password@127.0.0.1:${proxy.port}` }
    const { check, ok } = await use.examine([], env)
    expect(ok).toBe(true)
    expect(check('gateway-apns').found).toContain(`through the proxy 127.0.0.1:${proxy.port}`)
    expect(check('apns-production').state).toBe('ok')
    expect(check('fcm').state).toBe('ok')
    // One for each reachability check, push and access token.
    expect(proxy.requests).toHaveLength(8)

    proxy.reply = { head: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' }
    const refused = await use.examine([], env)
    expectFinding(refused.check('gateway-apns'), 'failed', undefined, 'Fix them in --proxy.')
    expect(refused.check('apns-production').state).toBe('skipped')
  })

  test('is cut by who opens TLS in between, who is named', async () => {
    await using use = await startHarness()
    await equipped(use)
    const { certificate } = makeCertificate({ name: 'Another' })
    const { check } = await use.examine([], { BELLHOP_GATEWAY_CA: use.file('other.pem', certificate) })
    expectFinding(
      check('gateway-apns'),
      'failed',
      /shows a certificate by "localhost" that this machine does not trust/,
      /--gateway-ca/,
    )
    expectFinding(check('apns-production'), 'skipped')
    expect(check('fcm').state).toBe('skipped')
    expect(use.gateways.production.calls).toHaveLength(0)
  })

  test('leads nowhere', async () => {
    await using use = await startHarness()
    await equipped(use)
    const { check, ok } = await use.examine([], { BELLHOP_APNS_URL: 'https://127.0.0.1:1' })
    expect(ok).toBe(false)
    expectFinding(
      check('gateway-apns'),
      'failed',
      '127.0.0.1:1 cannot be reached (ECONNREFUSED).',
      'Allow outgoing TCP connections to port 1 through the firewall.',
    )
    expect(check('apns-production').state).toBe('skipped')
    expect(check('apns-sandbox').state).toBe('ok')
  })

  test('ends at a gateway that never answers', async () => {
    await using use = await startHarness()
    await equipped(use)
    use.hang('production')
    use.hang('fcm')
    const examined = use.examine()
    const { production, fcm } = use.gateways
    await Promise.all([production.until(() => production.calls.length > 0), fcm.until(() => fcm.calls.length > 0)])
    use.line.clock.advance(6000)
    const { check } = await examined
    expectFinding(check('apns-production'), 'failed', /does not answer in time/)
    expectFinding(check('fcm'), 'failed', /does not answer in time/)
  })

  test('is not gone when it is not to be', async () => {
    await using use = await startHarness()
    await equipped(use)
    const { check, ok } = await use.examine(['--offline'])
    expect(ok).toBe(true)
    expect(check('gateways').state).toBe('skipped')
    expect(check('apns-sandbox').state).toBe('skipped')
    expect(Object.values(use.gateways).map(({ connections }) => connections)).toEqual([0, 0, 0, 0])
  })
})

describe('a VAPID subject', () => {
  test('that Apple refuses is a warning also where no gateway is asked; another is not spoken of', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    use.store(id, makeVapid('mailto:push@localhost'))
    const { check, ok } = await use.examine(['--offline'])
    expect(check('webpush-subject')).toMatchObject({
      application: id,
      state: 'warning',
      found: expect.stringContaining('Apple refuses the VAPID subject mailto:push@localhost'),
    })
    expect(ok).toBe(true)
    use.store(id, makeVapid('mailto:push@shop.example'))
    const { checks } = await use.examine(['--offline'])
    expect(checks.map((one) => one.id)).not.toContain('webpush-subject')
  })
})
