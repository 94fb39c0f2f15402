import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { createAccessTokens } from '../../../src/gateway/fcm/token.ts'
import { http2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import type { TransportOptions } from '../../../src/gateway/transport/transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import type { ConnectProxy, ProxyReply } from '../../support/connect-proxy.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Gateway } from '../../support/gateway.ts'
import { ACCOUNT } from '../fcm/account.ts'
import { asked, NOTE, statusOf, times } from './ways.ts'
import type { AskedTransport } from './ways.ts'

const AUTHORIZATION = `Basic ${Buffer.from('user:hunter2').toString('base64')}`

function through(
  { port }: Pick<ConnectProxy, 'port'>,
  { origin, ca }: Pick<Gateway, 'origin' | 'ca'>,
  options: Partial<TransportOptions> = {},
): AskedTransport {
  const proxy = { host: '127.0.0.1', port, authorization: AUTHORIZATION }
  return asked(http2Transport(systemClock, proxy)(origin, { ca, deadlineMs: 10_000, ...options }))
}

describe('through a proxy', () => {
  test('all requests go by one tunnel, which is asked for with the credentials', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    await using transport = through(proxy, gateway)
    const answers = await Promise.all(times(50, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(50, () => 200))
    const authority = `localhost:${gateway.port}`
    expect(proxy.requests).toEqual([
      [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, `Proxy-Authorization: ${AUTHORIZATION}`],
    ])
  })

  test('no credentials are sent where there are none', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    const { port } = proxy
    const openTransport = http2Transport(systemClock, { host: '127.0.0.1', port, authorization: null })
    await using transport = asked(openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 }))
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(proxy.requests[0]?.join()).not.toMatch(/authorization/i)
  })

  test('a name that only the proxy knows is reached, at the default port', async () => {
    const certificate = makeCertificate({ name: 'gateway.test' })
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(() => ({ status: 200 }), { certificate })
    proxy.route('gateway.test:443', Number(new URL(gateway.origin).port))
    await using transport = through(proxy, { origin: 'https://gateway.test', ca: gateway.ca })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.calls[0]?.headers[':authority']).toBe('gateway.test')
  })

  test('closing closes the tunnel', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    const transport = through(proxy, gateway)
    await transport.request(NOTE)
    await transport[Symbol.asyncDispose]()
    await proxy.until(() => proxy.openConnections === 0)
    await gateway.until(() => gateway.openConnections === 0)
  })

  test('what it has is used when it gives no second tunnel, and it is not asked again and again', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway((call) => void setImmediate(ok, call), { maxStreams: 2 })
    await using transport = through(proxy, gateway)
    await transport.request(NOTE)
    proxy.reply = { head: 'HTTP/1.1 503 Too many\r\n\r\n' }
    const answers = await Promise.all(times(50, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(50, () => 200))
    expect(proxy.requests).toHaveLength(2)
  })
})

describe('a proxy', () => {
  const refusals: readonly (readonly [reason: string, conduct: ProxyReply])[] = [
    ['407', { head: 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n' }],
    ['403', { head: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n' }],
    ['502', { head: 'HTTP/1.0 502 Bad Gateway\r\n\r\n<html>' }],
    ['closed', 'close'],
    ['it does not speak HTTP', { head: 'SSH-2.0-OpenSSH_9.6\r\n\r\n' }],
    ['its answer has no end', { head: `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}` }],
  ]
  test.each(refusals)('that refuses fails requests unsent, as itself (%s), and is let go', async (reason, conduct) => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    proxy.reply = conduct
    await using transport = through(proxy, gateway)
    const answers = await Promise.all(times(3, () => transport.request(NOTE)))
    // The whole answer: nothing of the credentials is in it.
    for (const answer of answers) expect(answer).toEqual({ kind: 'failed', reason: `proxy: ${reason}`, sent: 'no' })
    expect(gateway.connections).toBe(0)
    await proxy.until(() => proxy.openConnections === 0)

    proxy.reply = 'tunnel'
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('that says nothing fails requests at the deadline, and is let go', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    proxy.reply = 'silent'
    await using transport = through(proxy, gateway, { deadlineMs: 80 })
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'deadline', sent: 'no' })
    await proxy.until(() => proxy.openConnections === 0)
  })

  test('that is not there fails requests, as itself', async () => {
    await using gateway = await startGateway(ok)
    await using transport = through({ port: 1 }, gateway)
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'proxy: ECONNREFUSED', sent: 'no' })
  })

  test('that looks into TLS is found out', async () => {
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(ok)
    await using interceptor = await startGateway(ok, { certificate: makeCertificate() })
    proxy.route(`localhost:${gateway.port}`, interceptor.port)
    await using transport = through(proxy, gateway)
    expect(await transport.request(NOTE)).toEqual({
      kind: 'failed',
      reason: 'through the proxy: DEPTH_ZERO_SELF_SIGNED_CERT',
      sent: 'no',
    })
    expect(interceptor.calls).toHaveLength(0)
  })

  test('is not gone past for access tokens, not even where the endpoint has no HTTP/2: it gets them over HTTP/1.1', async () => {
    const { certificate, privateKey } = makeCertificate()
    let asked = 0
    const server = Bun.serve({
      port: 0,
      tls: { key: privateKey, cert: certificate },
      fetch() {
        asked++
        return Response.json({ access_token: 'old-style', expires_in: 3599 })
      },
    })
    await using proxy = await startConnectProxy()
    await using tokens = createAccessTokens({
      credential: ACCOUNT,
      tokenUrl: `https://localhost:${server.port}/token`,
      ca: certificate,
      clock: systemClock,
      openTransport: http2Transport(systemClock, { host: '127.0.0.1', port: proxy.port, authorization: null }),
    })
    expect(await tokens.current()).toBe('Bearer old-style')
    expect(asked).toBe(1)
    expect(proxy.requests).toHaveLength(1)
    await server.stop(true)
  })
})
