import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { fetchTransport } from '../../../src/delivery/transport/fetch-transport.ts'
import type { Transport, TransportAnswer, TransportOptions } from '../../../src/delivery/transport/transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import type { Gateway, GatewayAction, GatewayHandler } from '../../support/gateway.ts'

const OK = { status: 200, headers: { 'apns-id': 'some-id' } }
const NOTE = { path: '/3/device/ab', headers: { 'apns-topic': 'com.example.app' }, body: '{"aps":{}}' }

function open(gateway: Gateway, options: Partial<TransportOptions> = {}, clock = systemClock): Transport {
  return fetchTransport(clock)(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000, ...options })
}

/** An answer that is given only when the test says so. */
function held(action: GatewayAction = OK) {
  const { promise, resolve } = Promise.withResolvers<GatewayAction>()
  return { action: promise, release: () => resolve(action) }
}

function statusOf(answer: TransportAnswer): number | string {
  return answer.kind === 'answer' ? answer.status : answer.reason
}

describe('a request', () => {
  test('is a POST over HTTP/2 with the path, headers and body given', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway)
    await transport.request(NOTE)
    const [call] = gateway.calls
    expect(call).toMatchObject({ method: 'POST', path: '/3/device/ab', body: '{"aps":{}}' })
    expect(call?.headers['apns-topic']).toBe('com.example.app')
  })

  test('gives status, headers and body of the answer', async () => {
    const body = '{"reason":"BadDeviceToken"}'
    await using gateway = await startGateway(() => ({ status: 400, headers: { 'apns-id': 'some-id' }, body }))
    await using transport = open(gateway)
    const answer = await transport.request(NOTE)
    expect(answer).toMatchObject({ kind: 'answer', status: 400, body })
    expect(answer.kind === 'answer' && answer.header('apns-id')).toBe('some-id')
    expect(answer.kind === 'answer' && answer.header('retry-after')).toBeNull()
  })

  test.each([400, 200])('keeps 64 KiB of a body that is longer, with status %d', async (status) => {
    await using gateway = await startGateway(() => ({ status, body: 'y'.repeat(300_000) }))
    await using transport = open(gateway)
    const answer = await transport.request(NOTE)
    expect(answer.kind === 'answer' && answer.body).toBe('y'.repeat(65_536))
    gateway.handle(() => OK)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('does not follow a redirect', async () => {
    await using gateway = await startGateway(() => ({ status: 307, headers: { location: '/elsewhere' } }))
    await using transport = open(gateway)
    expect(statusOf(await transport.request(NOTE))).toBe(307)
    expect(gateway.calls).toHaveLength(1)
  })

  test('shows the TLS client certificate', async () => {
    const client = makeCertificate({ name: 'client.example' })
    await using gateway = await startGateway(() => OK, { askCertificate: true })
    await using transport = open(gateway, { cert: client.certificate, key: client.privateKey })
    await transport.request(NOTE)
    expect(gateway.calls[0]?.clientName).toBe('client.example')
  })
})

describe('a failure', () => {
  test.each([
    ['reset', 'HTTP2ProtocolError'],
    ['goaway', 'HTTP2GoAway'],
    ['close', 'ECONNRESET'],
  ] as const)('by %s leaves open what the gateway did, and the next request is answered', async (action, reason) => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway)
    await transport.request(NOTE)
    gateway.handle(() => action)
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason, sent: 'unknown' })
    gateway.handle(() => OK)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('of TLS comes before anything is sent', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, { ca: makeCertificate().certificate })
    expect(await transport.request(NOTE)).toEqual({
      kind: 'failed',
      reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      sent: 'no',
    })
    expect(gateway.calls).toHaveLength(0)
  })

  test('to connect comes before anything is sent', async () => {
    await using transport = fetchTransport(systemClock)('https://localhost:1', { deadlineMs: 10_000 })
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'ECONNREFUSED', sent: 'no' })
  })

  test('for want of HTTP/2 comes before anything is sent', async () => {
    const certificate = makeCertificate()
    const tls = { key: certificate.privateKey, cert: certificate.certificate }
    const server = Bun.serve({ port: 0, tls, fetch: () => new Response('HTTP/1.1') })
    const options = { ca: certificate.certificate, deadlineMs: 10_000 }
    await using transport = fetchTransport(systemClock)(`https://localhost:${server.port}`, options)
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'HTTP2Unsupported', sent: 'no' })
    await server.stop(true)
  })
})

describe('past its deadline a request', () => {
  test('fails, its connection is closed, and the next one uses another', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, { deadlineMs: 80 })
    await transport.request(NOTE)
    gateway.handle(() => 'hang')
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
    gateway.handle(() => OK)
    await transport.request(NOTE)
    expect(gateway.calls.map(({ connection }) => connection)).toEqual([1, 1, 2])
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('fails also when the body of its answer does not end', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, { deadlineMs: 80 })
    gateway.handle(() => ({ status: 200, body: '{"name":', unended: true }))
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
  })

  test('does not take others on its connection with it', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, { deadlineMs: 240 })
    await transport.request(NOTE)
    gateway.handle(() => 'hang')
    const late = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)
    const good = held()
    gateway.handle(() => good.action)
    // Half a deadline later, so that it has time left when the other has none.
    await Bun.sleep(120)
    const other = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 3)
    expect(statusOf(await late)).toBe('deadline')
    good.release()
    expect(statusOf(await other)).toBe(200)
    expect(gateway.connections).toBe(1)
  })

  test('fails unsent while it still waits for the first answer on a connection', async () => {
    await using gateway = await startGateway(() => 'hang')
    await using transport = open(gateway, { deadlineMs: 80 })
    const [first, second] = await Promise.all([transport.request(NOTE), transport.request(NOTE)])
    expect(first).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
    expect(second).toEqual({ kind: 'failed', reason: 'deadline', sent: 'no' })
    expect(gateway.calls).toHaveLength(1)
  })
})

describe('retire()', () => {
  test('sends later requests over another connection, and lets those in flight finish on the old one', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway)
    await transport.request(NOTE)
    const old = held()
    gateway.handle(() => old.action)
    const inFlight = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)

    transport.retire()
    gateway.handle(() => OK)
    await transport.request(NOTE)
    expect(gateway.calls.map(({ connection }) => connection)).toEqual([1, 1, 2])
    old.release()
    expect(statusOf(await inFlight)).toBe(200)
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('does not give up a connection that has not answered yet', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway)
    const first = held()
    gateway.handle(() => first.action)
    const request = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 1)
    transport.retire()
    first.release()
    await request
    await transport.request(NOTE)
    expect(gateway.connections).toBe(1)
  })
})

describe('on a new connection', () => {
  test('one request goes alone until it is answered, and the rest follows over the same connection', async () => {
    const first = held()
    const handler: GatewayHandler = ({ path }) => (path === '/probe' ? OK : first.action)
    await using gateway = await startGateway(handler, { maxStreams: 40 })
    await using transport = open(gateway)
    await using other = open(gateway)
    const all = Array.from({ length: 40 }, () => transport.request(NOTE))
    const calls = () => gateway.calls.filter(({ path }) => path === NOTE.path)
    await gateway.until(() => calls().length > 0)
    // Whatever else was sent has arrived by the time this is answered.
    await other.request({ ...NOTE, path: '/probe' })
    expect(calls()).toHaveLength(1)
    first.release()
    expect((await Promise.all(all)).map(statusOf)).toEqual(Array.from({ length: 40 }, () => 200))
    expect(new Set(calls().map(({ connection }) => connection)).size).toBe(1)
  })

  test.each([401, 403])('requests go one by one while they are answered %d', async (status) => {
    let inFlight = 0
    let most = 0
    await using gateway = await startGateway(async () => {
      most = Math.max(most, ++inFlight)
      await Bun.sleep(1)
      inFlight--
      return { status }
    })
    await using transport = open(gateway)
    await Promise.all(Array.from({ length: 5 }, () => transport.request(NOTE)))
    expect(most).toBe(1)
  })

  test('the next request goes when the first one failed', async () => {
    let calls = 0
    await using gateway = await startGateway(() => (++calls === 1 ? 'reset' : OK))
    await using transport = open(gateway)
    const answers = await Promise.all(Array.from({ length: 3 }, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(['HTTP2ProtocolError', 200, 200])
  })
})

describe('a connection that is not used', () => {
  test('is closed after a minute, and the next request opens another', async () => {
    const clock = createFakeClock()
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, {}, clock)
    await transport.request(NOTE)
    clock.advance(60_000)
    await gateway.until(() => gateway.openConnections === 0)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('stays open while it is used every now and then', async () => {
    const clock = createFakeClock()
    await using gateway = await startGateway(() => OK)
    await using transport = open(gateway, {}, clock)
    for (let i = 0; i < 4; i++) {
      await transport.request(NOTE)
      clock.advance(40_000)
    }
    expect(gateway.connections).toBe(1)
  })
})

describe('disposing', () => {
  test('waits for what is in flight, closes the connection, and takes no more', async () => {
    const last = held()
    await using gateway = await startGateway(() => last.action)
    const transport = open(gateway)
    const request = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 1)
    const disposed = transport[Symbol.asyncDispose]()
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'closed', sent: 'no' })
    last.release()
    expect(statusOf(await request)).toBe(200)
    await disposed
    await gateway.until(() => gateway.openConnections === 0)
  })
})
