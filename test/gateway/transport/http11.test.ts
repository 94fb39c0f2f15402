import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import { http11Answer, startHttp11Gateway } from '../../support/http11-gateway.ts'
import type { Http11Call, Http11Gateway } from '../../support/http11-gateway.ts'
import type { TransportAnswer } from '../../../src/gateway/transport/transport.ts'
import { asked, NOTE, statusOf, times } from './ways.ts'
import type { AskedTransport } from './ways.ts'

/* Push services without HTTP/2: what holds of it in `conformance.test.ts` holds here. */

const ok = (call: Http11Call): void => call.write(http11Answer(201))
const DEADLINE_MS = 15_000

const TRANSPORTS = ['h2', 'http2-wrapper'] as const

interface Opening {
  readonly transport?: (typeof TRANSPORTS)[number]
  readonly clock?: Clock
  readonly olderWillDo?: boolean
  readonly proxyPort?: number
}

function open(gateway: Pick<Http11Gateway, 'origin' | 'ca'>, opening: Opening = {}) {
  const { transport = 'h2', clock = systemClock, olderWillDo = true, proxyPort } = opening
  const proxy = proxyPort === undefined ? null : { host: '127.0.0.1', port: proxyPort, authorization: null }
  const openTransport = chooseTransport({ transport, proxy }, clock, () => undefined)
  return asked(openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: DEADLINE_MS, olderWillDo }))
}

/** The first may meet the end of the connection before. */
async function again(way: AskedTransport): Promise<TransportAnswer> {
  const answer = await way.request(NOTE)
  return answer.kind === 'answer' ? answer : await way.request(NOTE)
}

describe.each(TRANSPORTS)('by %s a push service without HTTP/2', (transport) => {
  test.each([
    ['that knows no ALPN', undefined],
    ['that offers HTTP/1.1 by ALPN', ['http/1.1']],
  ])('%s is sent to over HTTP/1.1, on one connection that is kept', async (_, protocols) => {
    await using gateway = await startHttp11Gateway(ok, { ...(protocols && { protocols }) })
    await using way = open(gateway, { transport })
    for (let n = 0; n < 3; n++) {
      const own = ['ttl', String(n)] as const
      expect(statusOf(await way.request({ ...NOTE, own, body: 'né' }))).toBe(201)
    }
    expect(gateway.connections).toBe(1)
    expect(way.protocol).toBe('HTTP/1.1')
    expect(gateway.calls[2]).toMatchObject({
      method: 'POST',
      path: '/3/device/ab',
      body: 'né',
      headers: { host: new URL(gateway.origin).host, ttl: '2', 'apns-topic': 'com.example.app', 'content-length': '3' },
    })
  })

  test('is not where HTTP/1.1 will not do', async () => {
    await using gateway = await startHttp11Gateway(ok)
    await using way = open(gateway, { transport, olderWillDo: false })
    expect(await way.request(NOTE)).toEqual({ kind: 'failed', reason: 'HTTP2Unsupported', sent: 'no' })
    expect(gateway.calls).toHaveLength(0)
  })

  test('is sent to through the proxy', async () => {
    await using gateway = await startHttp11Gateway(ok)
    await using proxy = await startConnectProxy()
    await using way = open(gateway, { transport, proxyPort: proxy.port })
    expect(statusOf(await way.request(NOTE))).toBe(201)
    expect(proxy.requests[0]?.[0]).toBe(`CONNECT localhost:${gateway.port} HTTP/1.1`)
  })

  test('whose certificate is not trusted gets nothing', async () => {
    await using gateway = await startHttp11Gateway(ok)
    await using way = open({ origin: gateway.origin, ca: '' }, { transport })
    expect(await way.request(NOTE)).toMatchObject({
      kind: 'failed',
      sent: 'no',
      reason: expect.stringMatching(/CERT|SELF/),
    })
    expect(gateway.calls).toHaveLength(0)
  })

  test('may change to HTTP/2 with a request under way, and back', async () => {
    const certificate = makeCertificate()
    const first = await startHttp11Gateway((call) => call.path === '/silent' || ok(call), { certificate })
    const { port } = first
    await using way = open(first, { transport })
    expect([statusOf(await way.request(NOTE)), way.protocol]).toEqual([201, 'HTTP/1.1'])
    const lost = way.request({ ...NOTE, path: '/silent' })
    await first.until(() => first.calls.length === 2)
    await first[Symbol.asyncDispose]()
    expect(await lost).toMatchObject({ kind: 'failed', sent: 'unknown' })

    const second = await startGateway((call) => call.respond(202), { port, certificate })
    expect([statusOf(await again(way)), way.protocol]).toEqual([202, 'HTTP/2'])
    await second[Symbol.asyncDispose]()

    await using third = await startHttp11Gateway((call) => call.write(http11Answer(203)), { port, certificate })
    expect([statusOf(await again(way)), way.protocol]).toEqual([203, 'HTTP/1.1'])
    expect(third.connections).toBe(1)
  })
})

describe('an answer over HTTP/1.1', () => {
  test.each([
    ['with a length', http11Answer(410, '{"errno":106}', { 'retry-after': '7' })],
    [
      'in chunks',
      'HTTP/1.1 410 Gone\r\nretry-after: 7\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"err\r\n8\r\nno":106}\r\n0\r\n\r\n',
    ],
    [
      'after another that is not final',
      `HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${http11Answer(410, '{"errno":106}', { 'retry-after': '7' })}`,
    ],
    ['that ends with the connection', 'HTTP/1.1 410 Gone\r\nretry-after: 7\r\nconnection: close\r\n\r\n{"errno":106}'],
  ])('%s is given whole', async (name, text) => {
    await using gateway = await startHttp11Gateway((call) => {
      call.write(text)
      if (name.endsWith('connection')) call.end()
    })
    await using way = open(gateway)
    const answer = await way.request(NOTE)
    expect(answer).toMatchObject({ kind: 'answer', status: 410, body: '{"errno":106}' })
    expect(answer.kind === 'answer' && [answer.header('retry-after'), answer.header('link')]).toEqual(['7', null])
  })

  test('without a body leaves the connection free for the next', async () => {
    await using gateway = await startHttp11Gateway((call) => call.write('HTTP/1.1 204 No Content\r\n\r\n'))
    await using way = open(gateway)
    expect([statusOf(await way.request(NOTE)), statusOf(await way.request(NOTE))]).toEqual([204, 204])
    expect(gateway.connections).toBe(1)
  })

  test('that leads elsewhere is not followed', async () => {
    await using elsewhere = await startHttp11Gateway(ok)
    await using gateway = await startHttp11Gateway((call) =>
      call.write(http11Answer(307, '', { location: `${elsewhere.origin}/x` })),
    )
    await using way = open(gateway)
    expect(statusOf(await way.request(NOTE))).toBe(307)
    expect(elsewhere.connections).toBe(0)
  })

  test('that is longer than 64 KiB is cut off, and the next goes by another connection', async () => {
    await using gateway = await startHttp11Gateway((call) =>
      call.connection === 1 ? call.write(http11Answer(400, 'y'.repeat(300_000))) : ok(call),
    )
    await using way = open(gateway)
    const answer = await way.request(NOTE)
    expect(answer.kind === 'answer' && answer.body).toBe('y'.repeat(65_536))
    expect(statusOf(await way.request(NOTE))).toBe(201)
  })

  test.each([
    ['cut off in its body', 'HTTP/1.1 201 Created\r\ncontent-length: 50\r\n\r\nhalf'],
    ['cut off in its head', 'HTTP/1.1 201 Cre'],
    ['that never comes, since the connection is closed', ''],
  ])('%s leaves it unknown what became of the request', async (_, text) => {
    await using gateway = await startHttp11Gateway((call) => {
      if (text !== '') call.write(text)
      call.end()
    })
    await using way = open(gateway)
    expect(await way.request(NOTE)).toMatchObject({ kind: 'failed', sent: 'unknown' })
  })

  test('that is no HTTP leaves it unknown what became of the request', async () => {
    await using gateway = await startHttp11Gateway((call) => call.write('220 mail.example ESMTP\r\n\r\n'))
    await using way = open(gateway)
    expect(await way.request(NOTE)).toMatchObject({ kind: 'failed', sent: 'unknown' })
  })

  test('that does not come within the deadline ends the connection', async () => {
    await using gateway = await startHttp11Gateway((call) => (call.connection === 1 ? undefined : ok(call)))
    const clock = createFakeClock()
    await using way = open(gateway, { clock })
    const late = way.request(NOTE)
    await gateway.until(() => gateway.calls.length === 1)
    clock.advance(2 * DEADLINE_MS)
    expect(await late).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
    await gateway.until(() => gateway.openConnections === 0)
    expect(statusOf(await way.request(NOTE))).toBe(201)
  })
})

describe('a connection of HTTP/1.1', () => {
  test('carries one request at a time, and there are six at the most', async () => {
    const waiting: Http11Call[] = []
    await using gateway = await startHttp11Gateway((call) => {
      // The first of a connection shows that it is good.
      if (gateway.calls.filter(({ connection }) => connection === call.connection).length === 1) return ok(call)
      waiting.push(call)
    })
    await using way = open(gateway)
    const all = times(60, () => way.request(NOTE))
    await gateway.until(() => waiting.length === 6)
    expect(gateway.openConnections).toBe(6)
    const answer = setInterval(() => waiting.splice(0).forEach(ok), 1)
    expect((await Promise.all(all)).map(statusOf)).toEqual(times(60, () => 201))
    clearInterval(answer)
    expect([gateway.connections, gateway.peakConnections]).toEqual([6, 6])
  })

  test('that the service closes when nothing is under way is replaced by the next request', async () => {
    await using gateway = await startHttp11Gateway(ok)
    await using way = open(gateway)
    await way.request(NOTE)
    gateway.closeIdle()
    await gateway.until(() => gateway.openConnections === 0)
    await Bun.sleep(0)
    expect(statusOf(await way.request(NOTE))).toBe(201)
    expect(gateway.connections).toBe(2)
  })

  test('that the service wants closed after each answer does not count as one that was cut off', async () => {
    await using gateway = await startHttp11Gateway((call) => {
      call.write(http11Answer(201, '', { connection: 'close' }))
      call.end()
    })
    await using way = open(gateway)
    for (let n = 0; n < 40; n++) expect(statusOf(await way.request(NOTE))).toBe(201)
    expect(gateway.connections).toBe(40)
    expect(way.trouble).toBeNull()
  })

  test('is left a second before the service would close it', async () => {
    await using gateway = await startHttp11Gateway((call) =>
      call.write(http11Answer(201, '', { 'keep-alive': 'timeout=5, max=100' })),
    )
    const clock = createFakeClock()
    await using way = open(gateway, { clock })
    await way.request(NOTE)
    clock.advance(3999)
    await way.request(NOTE)
    expect(gateway.connections).toBe(1)
    clock.advance(4000)
    await way.request(NOTE)
    expect(gateway.connections).toBe(2)
  })

  test('that is cut off again and again is limited as one of HTTP/2 is', async () => {
    await using gateway = await startHttp11Gateway((call) => call.cut())
    const clock = createFakeClock()
    await using way = open(gateway, { clock })
    for (let n = 0; n < 100; n++) expect(await way.request(NOTE)).toMatchObject({ kind: 'failed' })
    expect(gateway.connections).toBe(13)
    expect(way.trouble).toBe('it closes connections without an answer: at most one new connection every 1 s')
  })

  test('closes with its transport, when its requests are answered', async () => {
    const { promise, resolve } = Promise.withResolvers<Http11Call>()
    await using gateway = await startHttp11Gateway(resolve)
    const way = open(gateway)
    const answer = way.request(NOTE)
    const call = await promise
    const closed = way[Symbol.asyncDispose]()
    ok(call)
    expect(statusOf(await answer)).toBe(201)
    await closed
    await gateway.until(() => gateway.openConnections === 0)
  })

  test.each([
    [{ 'x-a': 'b\r\nx-c: d' }, '/p', 'HTTP2InvalidHeader'],
    [{ host: 'elsewhere.example' }, '/p', 'HTTP2InvalidHeader'],
    [{}, '/p HTTP/1.1\r\nx: y', 'HTTP2InvalidPath'],
  ])('never carries %p to %p', async (headers, path, reason) => {
    await using gateway = await startHttp11Gateway(ok)
    await using way = open(gateway)
    await way.request(NOTE)
    expect(await way.request({ headers, path, body: '' })).toEqual({ kind: 'failed', reason, sent: 'refused' })
    expect(gateway.calls).toHaveLength(1)
  })
})
