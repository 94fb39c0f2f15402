import { afterAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { createServer, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { systemClock } from '../../../src/clock.ts'
import { requestOver } from '../../../src/gateway/transport/http2-session.ts'
import { presentOrigin } from '../../../src/gateway/transport/http2-session.ts'
import { http2Transport } from '../../../src/gateway/transport/choose-transport.ts'
import type { Requested } from '../../../src/gateway/transport/session.ts'
import type { TransportOptions } from '../../../src/gateway/transport/transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Call, Gateway } from '../../support/gateway.ts'
import { frame } from '../../support/frames.ts'
import { asked, NOTE, statusOf, times } from './ways.ts'
import type { AskedTransport } from './ways.ts'

/** What every transport does, conformance.test.ts has. */

function open(
  gateway: Pick<Gateway, 'origin' | 'ca'>,
  options: Partial<TransportOptions> = {},
  clock = systemClock,
): AskedTransport {
  return asked(http2Transport(clock, null)(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000, ...options }))
}

/** `null` where this machine does not let us listen at the port of https. */
const at443 = await startGateway(ok, { port: 443 }).catch(() => null)
afterAll(() => at443?.[Symbol.asyncDispose]())

describe('the origin of a session', () => {
  test.each([
    ['https://api.push.apple.com', 'api.push.apple.com', 443],
    ['https://api.push.apple.com:2197', 'api.push.apple.com', 2197],
    ['https://127.0.0.1:8443', '127.0.0.1', 8443],
    ['https://[::1]:8443', '[::1]', 8443],
  ])('%s is said by the socket as it is written', (text, name, port) => {
    const socket = new TLSSocket(new Socket())
    presentOrigin(socket, new URL(text))
    const said: readonly unknown[] = [socket.servername, socket.remotePort, socket.getPeerX509Certificate()]
    expect(said).toEqual([name, port, undefined])
    // What the agent makes of it and compares with the origin.
    expect(new URL(`https://${String(socket.servername)}:${socket.remotePort}`).origin).toBe(text)
  })

  // Through a proxy, the tests of the tunnel have it, on every machine.
  test.if(at443 !== null)('may have the default port', async () => {
    const gateway = { origin: at443?.origin ?? '', ca: at443?.ca ?? '' }
    expect(gateway.origin).toBe('https://localhost')
    await using transport = open(gateway)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })
})

describe('http2-wrapper', () => {
  test('sends again what a GOAWAY with an error has not looked at, and nothing else', async () => {
    await using gateway = await startGateway(ok)
    await using transport = open(gateway)
    await transport.request(NOTE)
    const waiting: Call[] = []
    gateway.handle((call) => {
      waiting.push(call)
      if (waiting.length < 10) return
      gateway.handle(ok)
      call.connection.goaway(waiting[3]?.id ?? 0, 11)
    })
    const answers = await Promise.all(times(10, (n) => transport.request({ ...NOTE, body: String(n) })))
    expect(answers.map(statusOf)).toEqual([...times(4, () => 'HTTP2GoAway'), ...times(6, () => 200)])
    expect(
      gateway.calls
        .slice(11)
        .map(({ body }) => body)
        .toSorted(),
    ).toEqual(['4', '5', '6', '7', '8', '9'])
  })

  test('leaves a connection on which a stream was refused', async () => {
    await using gateway = await startGateway(ok)
    await using transport = open(gateway)
    await transport.request(NOTE)
    gateway.handle((call) => (call.connection.number === 1 ? call.reset(7) : ok(call)))
    const answers = await Promise.all(times(10, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(10, () => 200))
    expect(gateway.connections).toBe(2)
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('opens ten connections at the most, and one after the other', async () => {
    const held: Call[] = []
    const answered = new Set<number>()
    await using gateway = await startGateway(
      (call) => {
        if (answered.has(call.connection.number)) return void held.push(call)
        answered.add(call.connection.number)
        ok(call)
      },
      { maxStreams: 2 },
    )
    await using transport = open(gateway)
    const requests = times(100, () => transport.request(NOTE))
    await gateway.until(() => held.length === 20)
    // Once another that began later is answered, an eleventh connection would be there.
    await using other = open(gateway)
    await other.request(NOTE)
    gateway.handle(ok)
    for (const call of held) call.respond(200)
    expect((await Promise.all(requests)).map(statusOf)).toEqual(times(100, () => 200))
    expect(gateway.connections).toBe(10 + 1)
  })

  test.each([
    ['x-long', 'y'.repeat(200_000)],
    ['x-line', 'a\nb'],
  ])('fails a request whose header %s cannot be sent, and answers the next', async (name, value) => {
    await using gateway = await startGateway(ok)
    await using transport = open(gateway)
    await transport.request(NOTE)
    const answer = await transport.request({ ...NOTE, headers: { [name]: value } })
    expect(answer).toMatchObject({ kind: 'failed', sent: 'refused' })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.calls).toHaveLength(2)
  })
})

describe('a gateway that takes no requests', () => {
  test('because it says goodbye at once is left alone, and those who wait are told', async () => {
    await using gateway = await startGateway(ok, {
      // SETTINGS and GOAWAY, in one piece.
      greet: (connection) => connection.raw(Buffer.concat([frame(4, 0, 0), frame(7, 0, 0, new Uint8Array(8))])),
    })
    await using transport = open(gateway)
    const answers = await Promise.all(times(20, () => transport.request(NOTE)))
    for (const answer of answers) expect(answer).toEqual({ kind: 'failed', reason: 'HTTP2GoAway', sent: 'no' })
    expect(gateway.connections).toBe(3)
    await gateway.until(() => gateway.openConnections === 0)
  })

  test('because it says goodbye to each is left alone after three connections', async () => {
    await using gateway = await startGateway((call) => call.connection.goaway(0, 0))
    await using transport = open(gateway)
    const answers = await Promise.all(times(20, () => transport.request(NOTE)))
    for (const answer of answers) expect(answer).toEqual({ kind: 'failed', reason: 'HTTP2GoAway', sent: 'no' })
    expect(gateway.connections).toBe(3)
  })

  test('because it never says how many is given up at the deadline', async () => {
    await using gateway = await startGateway(ok, { greet: () => undefined })
    const clock = createFakeClock()
    await using transport = open(gateway, { deadlineMs: 8000 }, clock)
    const request = transport.request(NOTE)
    await gateway.until(() => gateway.openConnections === 1)
    clock.advance(8000)
    expect(await request).toEqual({ kind: 'failed', reason: 'deadline', sent: 'no' })
    await gateway.until(() => gateway.openConnections === 0)
  })

  test('because it does not even shake hands is given up at the deadline', async () => {
    const connected = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('close', () => closed.resolve())
      socket.resume()
      connected.resolve()
    })
    await new Promise<void>((ready) => server.listen(0, 'localhost', ready))
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`
    const clock = createFakeClock()
    await using transport = open({ origin, ca: makeCertificate().certificate }, { deadlineMs: 8000 }, clock)
    const request = transport.request(NOTE)
    await connected.promise
    clock.advance(8000)
    expect(await request).toEqual({ kind: 'failed', reason: 'deadline', sent: 'no' })
    await closed.promise
    await new Promise((done) => server.close(done))
  })

  test('because the client certificate is not its key’s is not even asked', async () => {
    await using gateway = await startGateway(ok)
    const [one, other] = [makeCertificate(), makeCertificate()]
    await using transport = open(gateway, { cert: one.certificate, key: other.privateKey })
    expect(await transport.request(NOTE)).toMatchObject({ kind: 'failed', sent: 'no' })
    expect(gateway.connections).toBe(0)
  })
})

test('a frame that cannot be sent ends the session', async () => {
  await using gateway = await startGateway(() => undefined)
  const session = connect(gateway.origin, { ca: gateway.ca })
  await once(session, 'remoteSettings')
  const request = session.request.bind(session)
  session.request = (...options) => {
    const stream = request(...options)
    // What Bun says of it, and when.
    process.nextTick(() => stream.emit('frameError', 1, 2))
    return stream
  }
  const failed = once(session, 'error')
  const { promise, resolve } = Promise.withResolvers<Requested>()
  requestOver(session, 'localhost', NOTE, () => 'HTTP2ProtocolError', resolve)
  await failed
  expect(await promise).toEqual({ kind: 'unknown', reason: 'HTTP2ProtocolError' })
  await gateway.until(() => gateway.openConnections === 0)
})
