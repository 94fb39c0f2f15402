import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Simulator } from '../../src/gateway/simulator/simulator.ts'
import type { Config } from '../../src/settings/parse.ts'
import { makeCertificate } from '../support/certificate.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startGateway } from '../support/gateway.ts'
import { startOutsideGateways } from '../support/outside-gateways.ts'
import type { OutsideGateways } from '../support/outside-gateways.ts'
import { passing } from '../support/passing.ts'
import { pushSent } from '../support/sending.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'

let clock: ReturnType<typeof createFakeClock>
let simulator: Simulator
let gateways: OutsideGateways

beforeEach(async () => {
  clock = createFakeClock()
  gateways = await startOutsideGateways(clock)
  ;({ simulator } = gateways)
})
afterEach(() => gateways[Symbol.asyncDispose]())

async function start(config: Partial<Config> = {}): Promise<Service> {
  const service = await startService({
    clock,
    random: () => 0.5,
    simulated: false,
    config: { ...gateways.config, ...config },
  })
  service.equip(service.application, simulator)
  clock.advance(1000)
  await service.put('/deviceToken', { token: 'a'.repeat(64), platform: 0 })
  await service.put('/deviceToken', { token: 'phone:1', platform: 1 })
  return service
}

async function pushed(service: Service, platform: 0 | 1): Promise<void> {
  const { id } = (await service.post('/push/all', { platform, msg: 'Hello', sound: '', badge: '' })).body
  await passing(service, [clock], pushSent(service, id))
}

async function onSecondTransport(service: Service): Promise<unknown> {
  const ready = await fetch(`${service.adminUrl}/readyz`)
  return ((await ready.json()) as { onSecondTransport: unknown }).onSecondTransport
}

test('a credential whose sessions end by GOAWAY with an error moves to the second transport, says so, and loses nothing', async () => {
  await using service = await start()
  expect(await onSecondTransport(service)).toEqual([])
  let goaways = 0
  simulator.answerWith(({ gateway }) => {
    if (gateway !== 'apns' || goaways === 2) return null
    goaways++
    return { kind: 'goaway', code: 11 }
  })
  await pushed(service, 0)
  expect(service.log.filter(({ event }) => event === 'moved to the second transport')).toEqual([
    {
      time: expect.any(String),
      level: 'warn',
      event: 'moved to the second transport',
      origin: simulator.apnsUrl,
      reason: 'HTTP2GoAway: Shutdown',
    },
  ])
  expect(await onSecondTransport(service)).toEqual([simulator.apnsUrl])
  expect((await service.get('/analytics')).body).toEqual({ t: 1, s: 1, o: 0 })
})

test('--transport http2-wrapper sends to both gateways, and never moves', async () => {
  await using service = await start({ transport: 'http2-wrapper' })
  await pushed(service, 0)
  await pushed(service, 1)
  expect((await service.get('/analytics')).body).toEqual({ t: 2, s: 2, o: 0 })
  expect(await onSecondTransport(service)).toEqual([])
})

test('--proxy with a wrong password is told at the start, without the password', async () => {
  await using proxy = await startConnectProxy()
  proxy.reply = { head: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' }
  const authorization = `Basic ${Buffer.from('user:hunter2').toString('base64')}`
  expect(start({ proxy: { host: '127.0.0.1', port: proxy.port, authorization } })).rejects.toThrow(
    '--proxy (BELLHOP_PROXY): the proxy refuses its user and password (407).',
  )
})

test('--proxy is the way to both gateways and to the access token, and what it refuses is told without its password', async () => {
  const certificate = makeCertificate({ name: 'gateway.test' })
  await Bun.write(gateways.config.gatewayCa, certificate.certificate)
  await using proxy = await startConnectProxy()
  const answers: Readonly<Record<string, string>> = {
    token: '{"access_token":"some","expires_in":3600}',
    v1: '{"name":"projects/p/messages/1"}',
  }
  await using gateway = await startGateway(
    ({ path }) => ({ status: 200, body: answers[path.split('/')[1] ?? ''] ?? '' }),
    { certificate },
  )
  const port = Number(new URL(gateway.origin).port)
  const origin = `https://gateway.test:${port}`
  const password = Buffer.from('user:hunter2').toString('base64')
  await using service = await start({
    apnsUrl: origin,
    apnsSandboxUrl: origin,
    fcmUrl: origin,
    fcmTokenUrl: `${origin}/token`,
    proxy: { host: '127.0.0.1', port: proxy.port, authorization: `Basic ${password}` },
  })

  proxy.reply = { head: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' }
  const paused = service.logged(({ event }) => event === 'sending paused')
  const done = pushed(service, 0)
  expect((await paused)['reason']).toBe('proxy: 407')
  const ready = await (await fetch(`${service.adminUrl}/readyz`)).text()
  proxy.reply = 'tunnel'
  await done
  await pushed(service, 1)
  expect((await service.get('/analytics')).body).toEqual({ t: 2, s: 2, o: 0 })
  expect(new Set(proxy.requests.map(([first]) => first))).toEqual(new Set([`CONNECT gateway.test:${port} HTTP/1.1`]))
  expect(gateway.calls.map(({ path }) => path.split('/')[1])).toEqual(['3', 'token', 'v1'])
  for (const said of [ready, JSON.stringify(service.log)]) {
    expect(said).not.toContain('hunter2')
    expect(said).not.toContain(password)
  }
})
