import { expect, test } from 'bun:test'
import { openSecureSocket } from '../../../src/gateway/transport/secure-socket.ts'
import { openTunnel } from '../../../src/gateway/transport/tunnel.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'

/** Nobody gives up: what has failed closes by itself. */
const { signal } = new AbortController()

test('a tunnel that was refused is closed', async () => {
  await using proxy = await startConnectProxy()
  proxy.reply = { head: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' }
  const to = { host: '127.0.0.1', port: proxy.port, authorization: null }
  expect(await openTunnel(to, 'gateway.test:443', signal)).toEqual({ kind: 'failed', reason: 'proxy: 407' })
  await proxy.until(() => proxy.openConnections === 0)
})

test('a tunnel to a gateway without HTTP/2 is closed', async () => {
  const { certificate, privateKey } = makeCertificate()
  const tls = { key: privateKey, cert: certificate }
  const server = Bun.serve({ port: 0, tls, fetch: () => new Response('HTTP/1.1') })
  await using proxy = await startConnectProxy()
  const to = { host: '127.0.0.1', port: proxy.port, authorization: null }
  const origin = new URL(`https://localhost:${server.port}`)
  expect(await openSecureSocket(origin, to, { ca: certificate }, signal)).toEqual({
    kind: 'failed',
    reason: 'through the proxy: HTTP2Unsupported',
  })
  await proxy.until(() => proxy.openConnections === 0)
  await server.stop(true)
})

test('a tunnel for which there is no usable client certificate is closed', async () => {
  const [one, other] = [makeCertificate(), makeCertificate()]
  await using proxy = await startConnectProxy()
  await using gateway = await startFrameGateway(() => undefined)
  const to = { host: '127.0.0.1', port: proxy.port, authorization: null }
  const credentials = { ca: gateway.ca, cert: one.certificate, key: other.privateKey }
  expect(await openSecureSocket(new URL(gateway.origin), to, credentials, signal)).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/^through the proxy: .*KEY/),
  })
  await proxy.until(() => proxy.openConnections === 0)
})
