import { expect, test } from 'bun:test'
import { makeVapid } from '../../../src/application/vapid.ts'
import { systemClock } from '../../../src/clock.ts'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import { createWebPushProvider } from '../../../src/gateway/webpush/client.ts'
import { HostAddresses } from '../../../src/gateway/webpush/host-addresses.ts'
import { createKeyAgreement } from '../../../src/gateway/webpush/key-agreement.ts'
import { startFront } from '../../faults/gateways/front.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import { http11Answer, startHttp11Gateway } from '../../support/http11-gateway.ts'
import { MESSAGE as PLAIN, outcomeOf } from '../outcome.ts'
import { createBrowser } from './browser.ts'

const MESSAGE = { ...PLAIN, expiresAt: createFakeClock().now() + 3_600_000 }

function start(options: { readonly named: readonly string[]; readonly ca: string }) {
  return createWebPushProvider({
    ...options,
    keyAgreement: createKeyAgreement(),
    credential: makeVapid('mailto:push@example.com'),
    openTransport: chooseTransport({ transport: 'h2', proxy: null }, systemClock, () => undefined),
    clock: createFakeClock(),
    hosts: new HostAddresses(() => Promise.resolve(['127.0.0.1']), createFakeClock()),
  })
}

test('a push service that speaks HTTP/1.1 only is sent to as RFC 8030 says, and the browser reads it', async () => {
  await using service = await startHttp11Gateway((call) =>
    call.write(http11Answer(201, '', { location: 'https://push.example/message/1' })),
  )
  await using provider = start({ named: [service.origin], ca: service.ca })
  const browser = createBrowser(`${service.origin}/push/abc?id=7`)
  for (let n = 0; n < 3; n++)
    expect(await outcomeOf(provider, MESSAGE, browser.recipient)).toEqual({ kind: 'accepted' })
  expect(service.connections).toBe(1)
  const [call] = service.calls
  expect(call).toMatchObject({ method: 'POST', path: '/push/abc?id=7' })
  expect(call?.headers).toMatchObject({ ttl: '3600', 'content-encoding': 'aes128gcm' })
  expect(browser.open(call?.bytes ?? Buffer.alloc(0))).toMatchObject({ notification: { title: 'Hello' } })
})

test('nothing is connected to at a private address over HTTP/1.1 either', async () => {
  await using service = await startHttp11Gateway((call) => call.write(http11Answer(201)))
  await using provider = start({ named: [], ca: service.ca })
  const browser = createBrowser('https://updates.push.services.mozilla.com/wpush/v2/abc')
  expect(await outcomeOf(provider, MESSAGE, browser.recipient)).toMatchObject({
    kind: 'deferred',
    reason: 'private address',
  })
  expect(service.connections).toBe(0)
})

test('a push service that changes from HTTP/2 to HTTP/1.1 with a request under way, and back, loses nothing', async () => {
  const certificate = makeCertificate()
  await using newer = await startGateway(() => ({ status: 201 }), { certificate })
  await using older = await startHttp11Gateway((call) => call.write(http11Answer(201)), { certificate })
  const portOf = ({ origin }: { readonly origin: string }) => Number(new URL(origin).port)
  await using front = await startFront({ kind: 'lead', port: portOf(newer) })
  const origin = `https://localhost:${front.port}`
  await using provider = start({ named: [origin], ca: certificate.certificate })
  const { recipient } = createBrowser(`${origin}/push/abc`)
  const send = () => outcomeOf(provider, MESSAGE, recipient)
  expect(await send()).toEqual({ kind: 'accepted' })

  newer.handle(() => 'hang')
  const underWay = send()
  await newer.until(() => newer.calls.length === 2)
  front.mode = { kind: 'lead', port: older.port }
  front.cut()
  // Whether it was taken nobody knows: it is sent again, and the browser shows one.
  expect(await underWay).toMatchObject({ kind: 'deferred', scope: 'device', strain: true })
  expect(await send()).toEqual({ kind: 'accepted' })
  expect(older.calls).toHaveLength(1)

  newer.handle(() => ({ status: 201 }))
  front.mode = { kind: 'lead', port: portOf(newer) }
  front.cut()
  await older.until(() => older.openConnections === 0)
  expect(await send()).toEqual({ kind: 'accepted' })
  expect([newer.calls.length, older.calls.length]).toEqual([3, 1])
})
