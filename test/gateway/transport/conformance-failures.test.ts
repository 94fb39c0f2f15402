import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from '../../support/certificate.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Call } from '../../support/gateway.ts'
import { NOTE, openWay, statusOf, times, useProxy, WAYS } from './ways.ts'

const started = (call: Call): void => {
  call.respond(200, { end: false })
  call.write('{"name":', { end: false })
}

/** RFC 9113, 7. */
const NO_ERROR = 0
const INTERNAL_ERROR = 2
const REFUSED_STREAM = 7
const CANCEL = 8
const ENHANCE_YOUR_CALM = 11

useProxy()

describe.each(WAYS)('a request by $name may or may not have been acted on', (way) => {
  const actions: readonly (readonly [name: string, reason: string | RegExp, act: (call: Call) => void])[] = [
    ['RST_STREAM', 'HTTP2StreamReset', (call) => call.reset(INTERNAL_ERROR)],
    ['RST_STREAM with CANCEL', 'HTTP2StreamReset', (call) => call.reset(CANCEL)],
    ['RST_STREAM without an error', 'HTTP2StreamReset', (call) => call.reset(NO_ERROR)],
    [
      'RST_STREAM in the middle of the answer',
      'HTTP2StreamReset',
      (call) => {
        started(call)
        call.reset(INTERNAL_ERROR)
      },
    ],
    ['the end of the stream without an answer', /^HTTP2/, (call) => call.write('')],
    ['GOAWAY with an error', 'HTTP2GoAway', (call) => call.connection.goaway(call.id, INTERNAL_ERROR)],
    ['GOAWAY for a flood', 'HTTP2GoAway', (call) => call.connection.goaway(call.id, ENHANCE_YOUR_CALM)],
    [
      'GOAWAY with REFUSED_STREAM that counts it as looked at',
      'HTTP2GoAway',
      (call) => call.connection.goaway(call.id, REFUSED_STREAM),
    ],
    [
      'GOAWAY with an error in the middle of the answer',
      'HTTP2GoAway',
      (call) => {
        started(call)
        call.connection.goaway(call.id, INTERNAL_ERROR)
      },
    ],
    ['the end of the connection', 'ECONNRESET', (call) => call.connection.cut()],
    [
      'the end of the connection in the middle of the answer',
      'ECONNRESET',
      (call) => {
        started(call)
        setImmediate(() => call.connection.cut())
      },
    ],
    [
      'a body that is shorter than it should be',
      'HTTP2ContentLengthMismatch',
      (call) => {
        call.respond(200, { headers: { 'content-length': '5' }, end: false })
        call.write('abc')
      },
    ],
    [
      'bytes that are no frames',
      /^HTTP2\w+Error$/,
      (call) => call.connection.raw(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ],
    [
      'a frame that has no place there',
      'HTTP2ProtocolError',
      (call) => call.connection.raw(Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0, 1)),
    ],
    [
      'headers that cannot be decoded',
      /^HTTP2\w+Error$/,
      (call) => call.connection.raw(Uint8Array.of(0, 0, 3, 1, 5, 0, 0, 0, call.id, 255, 255, 255)),
    ],
  ]
  test.each(actions)('after %s, and the next request is answered', async (_, reason, act) => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    gateway.handle(act)
    const answer = await transport.request(NOTE)
    expect(answer).toMatchObject({ kind: 'failed', sent: 'unknown' })
    expect(answer.kind === 'failed' && answer.reason).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    )
    expect(gateway.calls).toHaveLength(2)
    gateway.handle(ok)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('with all others on its connection, and none of them is sent twice', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    gateway.handle((call) => {
      if (gateway.calls.length === 41) call.connection.goaway(call.id, ENHANCE_YOUR_CALM)
    })
    const answers = await Promise.all(times(40, () => transport.request(NOTE)))
    for (const answer of answers) expect(answer).toEqual({ kind: 'failed', reason: 'HTTP2GoAway', sent: 'unknown' })
    expect(gateway.calls).toHaveLength(41)
  })
})

describe.each(WAYS)('a request by $name that the gateway did nothing about', (way) => {
  test('goes over another connection when GOAWAY came before it', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    const waiting: Call[] = []
    gateway.handle((call) => void waiting.push(call))
    const before = times(10, () => transport.request(NOTE))
    await gateway.until(() => waiting.length === 10)
    // The answer comes after GOAWAY: once it is here, GOAWAY is.
    waiting[0]?.connection.goaway(waiting[9]?.id ?? 0, NO_ERROR)
    waiting[0]?.respond(200)
    await Promise.race(before)

    gateway.handle(ok)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.connections).toBe(2)
    for (const call of waiting.slice(1)) call.respond(200)
    expect((await Promise.all(before)).map(statusOf)).toEqual(times(10, () => 200))
    expect(gateway.calls).toHaveLength(12)
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('is sent again when GOAWAY says that it was not looked at', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    const waiting: Call[] = []
    gateway.handle((call) => {
      waiting.push(call)
      if (waiting.length < 10) return
      gateway.handle(ok)
      call.connection.goaway(waiting[3]?.id ?? 0, NO_ERROR)
      for (const looked of waiting.slice(0, 4)) looked.respond(200)
    })
    const answers = await Promise.all(times(10, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(10, () => 200))
    expect(gateway.calls).toHaveLength(17)
  })

  test('is sent again when its stream was refused', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    gateway.handle((call) => (gateway.calls.length === 2 ? call.reset(REFUSED_STREAM) : ok(call)))
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.calls).toHaveLength(3)
  })

  test('fails in the end when it is refused each time', async () => {
    await using gateway = await startGateway((call) => call.reset(REFUSED_STREAM))
    await using transport = openWay(way, gateway)
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'HTTP2RefusedStream', sent: 'no' })
    expect(gateway.calls.length).toBeLessThanOrEqual(6)
  })
})

describe.each(WAYS)('a connection by $name that cannot be made', (way) => {
  const failed = (reason: string) => ({ kind: 'failed', reason: way.prefix + reason, sent: 'no' }) as const

  test('fails requests when nobody listens', async () => {
    await using transport = openWay(way, { origin: 'https://localhost:1', ca: makeCertificate().certificate })
    const reason = way.prefix === '' ? 'ECONNREFUSED' : 'proxy: 502'
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason, sent: 'no' })
  })

  test('fails requests when the authority is not trusted', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, { ...gateway, ca: makeCertificate().certificate })
    expect(await transport.request(NOTE)).toEqual(failed('DEPTH_ZERO_SELF_SIGNED_CERT'))
    expect(gateway.calls).toHaveLength(0)
  })

  test('fails requests when the certificate is another host’s', async () => {
    const certificate = makeCertificate({ name: 'other.example' })
    await using gateway = await startGateway(ok, { certificate })
    await using transport = openWay(way, gateway)
    expect(await transport.request(NOTE)).toEqual(failed('ERR_TLS_CERT_ALTNAME_INVALID'))
    expect(gateway.calls).toHaveLength(0)
  })

  test('fails requests when the certificate has expired', async () => {
    const certificate = makeCertificate({ validTo: new Date(Date.now() - 1000) })
    await using gateway = await startGateway(ok, { certificate })
    await using transport = openWay(way, gateway)
    expect(await transport.request(NOTE)).toEqual(failed('CERT_HAS_EXPIRED'))
  })

  test('fails requests when the certificate has changed to a wrong one since the last', async () => {
    const [good, renewed] = [makeCertificate(), makeCertificate()]
    await using gateway = await startGateway(ok, { certificate: good })
    await using transport = openWay(way, { ...gateway, ca: `${good.certificate}\n${renewed.certificate}` })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    gateway.present(makeCertificate())
    transport.retire()
    expect(await transport.request(NOTE)).toEqual(failed('DEPTH_ZERO_SELF_SIGNED_CERT'))
    gateway.present(renewed)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('fails requests when the gateway speaks nothing but HTTP/1.1', async () => {
    const { certificate, privateKey } = makeCertificate()
    const tls = { key: privateKey, cert: certificate }
    const server = Bun.serve({ port: 0, tls, fetch: () => new Response('HTTP/1.1') })
    await using transport = openWay(way, { origin: `https://localhost:${server.port}`, ca: certificate })
    expect(await transport.request(NOTE)).toEqual(failed('HTTP2Unsupported'))
    await server.stop(true)
  })

  test('fails requests when the gateway refuses to speak HTTP/2', async () => {
    const { certificate, privateKey } = makeCertificate()
    const server = createServer({ key: privateKey, cert: certificate, ALPNProtocols: ['http/1.1'] })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`
    await using transport = openWay(way, { origin, ca: certificate })
    const answer = await transport.request(NOTE)
    expect(answer).toMatchObject({ kind: 'failed', sent: 'no' })
    expect(answer.kind === 'failed' && answer.reason).toMatch(/(HTTP2Unsupported|EPROTO)$/)
    await new Promise((resolve) => server.close(resolve))
  })

  test('fails those that wait too, and is made when the gateway is back', async () => {
    const certificate = makeCertificate()
    const gone = await startGateway(ok, { certificate })
    const { origin, ca, port } = gone
    await gone[Symbol.asyncDispose]()
    await using transport = openWay(way, { origin, ca })
    const answers = await Promise.all(times(20, () => transport.request(NOTE)))
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'failed', sent: 'no' })
    await using back = await startGateway(ok, { certificate, port })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(back.calls).toHaveLength(1)
  })
})
