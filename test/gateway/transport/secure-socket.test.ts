import { describe, expect, spyOn, test } from 'bun:test'
import dns from 'node:dns'
import { createServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Pem } from '../../../src/gateway/simulator/certificate.ts'
import { openSecureSocket } from '../../../src/gateway/transport/secure-socket.ts'
import type { TlsResumption } from '../../../src/gateway/transport/secure-socket.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { startGateway } from '../../support/gateway.ts'
import { startSilentListener } from '../../support/silent-listener.ts'

/** Nobody gives up: what has failed closes by itself. */
const { signal } = new AbortController()

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
  await using gateway = await startGateway(() => undefined)
  const to = { host: '127.0.0.1', port: proxy.port, authorization: null }
  const credentials = { ca: gateway.ca, cert: one.certificate, key: other.privateKey }
  expect(await openSecureSocket(new URL(gateway.origin), to, credentials, signal)).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/^through the proxy: .*KEY/),
  })
  await proxy.until(() => proxy.openConnections === 0)
})

describe('a TLS session', () => {
  /** A server that says a byte to each client, by which its session tickets have come too. */
  async function startServer(certificate: Pem) {
    const pair = ({ privateKey, certificate }: Pem) => ({ key: privateKey, cert: certificate, ALPNProtocols: ['h2'] })
    const resumed: boolean[] = []
    const server = createServer(pair(certificate), (socket: TLSSocket) => {
      resumed.push(socket.isSessionReused())
      socket.on('error', () => undefined)
      socket.write('.')
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    return {
      origin: new URL(`https://localhost:${(server.address() as AddressInfo).port}`),
      resumed,
      present: (next: Pem) => server.setSecureContext(pair(next)),
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
    }
  }

  /** Connects and hears the byte; why not, or `open`. */
  async function meet(origin: URL, ca: string, resumption: TlsResumption): Promise<string> {
    const secured = await openSecureSocket(origin, null, { ca }, signal, resumption)
    if (secured.kind === 'failed') return secured.reason
    await new Promise((resolve) => secured.socket.once('data', resolve))
    secured.socket.destroy()
    return 'open'
  }

  test('is resumed by the next connection to the same gateway', async () => {
    const certificate = makeCertificate()
    await using server = await startServer(certificate)
    const resumption: TlsResumption = { session: null }
    for (let n = 0; n < 3; n++) expect(await meet(server.origin, certificate.certificate, resumption)).toBe('open')
    expect(server.resumed).toEqual([false, true, true])
  })

  test('is not known to another transport to the same gateway', async () => {
    const certificate = makeCertificate()
    await using server = await startServer(certificate)
    for (let n = 0; n < 2; n++) await meet(server.origin, certificate.certificate, { session: null })
    expect(server.resumed).toEqual([false, false])
  })

  test('does not hide that the certificate has changed to a wrong one, and is forgotten then', async () => {
    const [good, wrong] = [makeCertificate(), makeCertificate()]
    await using server = await startServer(good)
    const resumption: TlsResumption = { session: null }
    await meet(server.origin, good.certificate, resumption)
    expect(resumption.session).not.toBeNull()
    server.present(wrong)
    expect(await meet(server.origin, good.certificate, resumption)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(resumption.session).toBeNull()
    server.present(good)
    expect(await meet(server.origin, good.certificate, resumption)).toBe('open')
  })
})

test('of a host with two addresses, of which the first never answers, the second is used', async () => {
  const certificate = makeCertificate({ name: 'gateway.test' })
  await using gateway = await startGateway(() => undefined, { certificate })
  await using silent = await startSilentListener(gateway.port)
  const lookup = spyOn(dns, 'lookup')
  const addresses = [silent.address, { address: '127.0.0.1', family: 4 }]
  // node's types have one signature for each form of the call; this one asks for all addresses.
  lookup.mockImplementation(((_: string, __: unknown, done: (error: null, all: unknown) => void) =>
    done(null, addresses)) as unknown as typeof dns.lookup)
  try {
    const origin = new URL(`https://gateway.test:${gateway.port}`)
    // Without the second address this would stand for minutes.
    const opened = await openSecureSocket(origin, null, { ca: gateway.ca }, AbortSignal.timeout(4000))
    expect(opened).toMatchObject({ kind: 'open', socket: { remoteAddress: '127.0.0.1' } })
    if (opened.kind === 'open') opened.socket.destroy()
  } finally {
    lookup.mockRestore()
  }
})
