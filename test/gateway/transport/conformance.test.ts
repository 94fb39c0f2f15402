import { beforeEach, describe, expect, test } from 'bun:test'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Call, GatewayAction, GatewayHandler } from '../../support/gateway.ts'
import { NOTE, openWay, statusOf, times, useProxy, WAYS } from './ways.ts'

const OK = { status: 200, headers: { 'apns-id': 'some-id' } }

/** An answer that is given only when the test says so. */
function held(action: GatewayAction = OK) {
  const { promise, resolve } = Promise.withResolvers<GatewayAction>()
  return { action: promise, release: () => resolve(action) }
}

useProxy()

describe.each(WAYS)('a request by $name', (way) => {
  test('is a POST over HTTP/2 with the path, headers and body given', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    const [call] = gateway.calls
    expect(call).toMatchObject({ method: 'POST', path: '/3/device/ab', body: '{"aps":{}}' })
    expect(call?.headers['apns-topic']).toBe('com.example.app')
    expect(call?.headers[':authority']).toBe(new URL(gateway.origin).host)
  })

  test('has a header of its own beside those that it shares with others at the same time', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway)
    const { headers, body } = NOTE
    const send = (n: number) => transport.request({ path: `/${n}`, headers, own: ['apns-id', `id-${n}`], body })
    await Promise.all(times(50, send))
    const ids = gateway.calls.map(({ path, headers: got }) => `${path} ${got['apns-topic']} ${got['apns-id']}`)
    expect(ids.toSorted()).toEqual(times(50, (n) => `/${n} com.example.app id-${n}`).toSorted())
  })

  test('gives status, headers and body of the answer', async () => {
    const body = '{"reason":"BadDeviceToken"}'
    await using gateway = await startGateway(() => ({ status: 400, headers: { 'apns-id': 'some-id' }, body }))
    await using transport = openWay(way, gateway)
    const answer = await transport.request(NOTE)
    expect(answer).toMatchObject({ kind: 'answer', status: 400, body })
    expect(answer.kind === 'answer' && answer.header('apns-id')).toBe('some-id')
    expect(answer.kind === 'answer' && answer.header('retry-after')).toBeNull()
  })

  test.each([
    [200, ''],
    [200, '{"name":"projects/p/messages/1"}'],
    [404, '{"error":{"status":"NOT_FOUND"}}'],
    [503, ''],
    [503, '{"reason":"ServiceUnavailable"}'],
    [200, '\u0000{"é'],
  ])('is answered %d with the body %p', async (status, body) => {
    await using gateway = await startGateway((call) => {
      call.respond(status, { end: body === '' })
      if (body !== '') call.write(body)
    })
    await using transport = openWay(way, gateway)
    expect(await transport.request(NOTE)).toMatchObject({ kind: 'answer', status, body })
  })

  test.each([400, 200])('keeps 64 KiB of a body that is longer, with status %d', async (status) => {
    await using gateway = await startGateway(() => ({ status, body: 'y'.repeat(300_000) }))
    await using transport = openWay(way, gateway)
    const answer = await transport.request(NOTE)
    expect(answer.kind === 'answer' && answer.body).toBe('y'.repeat(65_536))
    gateway.handle(() => OK)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('gives up the rest of a refusal that is longer than 64 KiB', async () => {
    await using gateway = await startGateway(() => ({ status: 400, body: 'y'.repeat(300_000), unended: true }))
    await using transport = openWay(way, gateway)
    expect(statusOf(await transport.request(NOTE))).toBe(400)
    await gateway.until(() => gateway.resets.length === 1)
  })

  test('does not follow a redirect', async () => {
    await using gateway = await startGateway(() => ({ status: 307, headers: { location: '/elsewhere' } }))
    await using transport = openWay(way, gateway)
    expect(statusOf(await transport.request(NOTE))).toBe(307)
    expect(gateway.calls).toHaveLength(1)
  })

  test('takes no answer for final that is informational', async () => {
    await using gateway = await startGateway((call) => {
      call.respond(103, { end: false })
      call.respond(200)
    })
    await using transport = openWay(way, gateway)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('is answered also where the last of a body of known length comes late', async () => {
    await using gateway = await startGateway((call) => {
      call.respond(200, { headers: { 'content-length': '3' }, end: false })
      call.write('abc', { end: false })
      setImmediate(() => call.write(''))
    })
    await using transport = openWay(way, gateway)
    const answers = await Promise.all(times(30, () => transport.request(NOTE)))
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'answer', status: 200, body: 'abc' })
    expect([gateway.connections, gateway.resets]).toEqual([1, []])
  })

  test('is answered also by a gateway that does not wait for its body', async () => {
    const early = (call: Call): void => {
      call.respond(413, { end: false })
      call.write('{"reason":"PayloadTooLarge"}')
    }
    await using gateway = await startGateway(() => undefined, { early })
    await using transport = openWay(way, gateway)
    // Longer than the gateway lets anybody send.
    const answer = await transport.request({ ...NOTE, body: 'y'.repeat(300_000) })
    expect(answer).toMatchObject({ kind: 'answer', status: 413, body: '{"reason":"PayloadTooLarge"}' })
    await gateway.until(() => gateway.resets.length === 1)
    expect(statusOf(await transport.request(NOTE))).toBe(413)
    expect(gateway.connections).toBe(1)
  })

  test('goes past the proxies of the environment', async () => {
    await using gateway = await startGateway(() => OK)
    const before = process.env['HTTPS_PROXY']
    process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1'
    try {
      await using transport = openWay(way, gateway)
      expect(statusOf(await transport.request(NOTE))).toBe(200)
    } finally {
      if (before === undefined) delete process.env['HTTPS_PROXY']
      else process.env['HTTPS_PROXY'] = before
    }
  })

  test('shows the TLS client certificate', async () => {
    const client = makeCertificate({ name: 'client.example' })
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, { cert: client.certificate, key: client.privateKey })
    await transport.request(NOTE)
    expect(gateway.calls[0]?.connection.clientName).toBe('client.example')
  })

  test('goes to an IP address too', async () => {
    await using gateway = await startGateway(() => OK)
    const origin = gateway.origin.replace('localhost', '127.0.0.1')
    await using transport = openWay(way, { ...gateway, origin })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })
})

describe.each(WAYS)('past its deadline a request by $name', (way) => {
  const deadlineMs = 8000
  /** In which a request is late, and one that began half a deadline later is not. */
  const LATE_MS = deadlineMs + deadlineMs / 8
  let clock: FakeClock
  beforeEach(() => {
    clock = createFakeClock()
  })

  test('fails, its connection is closed, and the next one uses another', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    await transport.request(NOTE)
    gateway.handle(() => 'hang')
    const late = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)
    clock.advance(LATE_MS)
    expect(await late).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
    gateway.handle(() => OK)
    await transport.request(NOTE)
    expect(gateway.calls.map(({ connection }) => connection.number)).toEqual([1, 1, 2])
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('fails also when the body of its answer does not end', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    await transport.request(NOTE)
    gateway.handle(() => ({ status: 200, body: '{"name":', unended: true }))
    const late = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)
    gateway.handle(() => OK)
    // By the time that it is answered, what came before it on the same connection is there.
    await transport.request(NOTE)
    clock.advance(LATE_MS)
    expect(await late).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
  })

  test('is reset, and does not take others on its connection with it', async () => {
    await using gateway = await startGateway(ok)
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    await transport.request(NOTE)
    gateway.handle(() => undefined)
    const late = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)
    clock.advance(deadlineMs / 2)
    const other = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 3)
    clock.advance(LATE_MS - deadlineMs / 2)
    expect(statusOf(await late)).toBe('deadline')
    await gateway.until(() => gateway.resets.length > 0)
    // Whatever else there was to reset has been by the time these are answered, over another connection.
    gateway.handle((call) => void setImmediate(ok, call))
    for (let n = 0; n < 5; n++) await transport.request(NOTE)
    expect(gateway.resets.map(({ id }) => id)).toEqual([gateway.calls[1]?.id ?? 0])
    gateway.calls[2]?.respond(200)
    expect(statusOf(await other)).toBe(200)
  })

  test('holds up those behind it on a new connection for three seconds, and not until then', async () => {
    await using gateway = await startGateway(() => 'hang')
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    const first = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 1)
    gateway.handle(() => OK)
    const others = times(3, () => transport.request(NOTE))
    clock.advance(2999)
    await Bun.sleep(20)
    expect(gateway.calls).toHaveLength(1)
    clock.advance(1)
    expect((await Promise.all(others)).map(statusOf)).toEqual([200, 200, 200])
    clock.advance(LATE_MS)
    expect(statusOf(await first)).toBe('deadline')
    expect(gateway.calls).toHaveLength(4)
    expect(gateway.connections).toBeLessThanOrEqual(2)
  })

  test('leaves the connection to those that are answered meanwhile', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    await transport.request(NOTE)
    gateway.handle(() => 'hang')
    const silent = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)
    gateway.handle(() => OK)
    await transport.request(NOTE)
    clock.advance(LATE_MS)
    expect(statusOf(await silent)).toBe('deadline')
    await transport.request(NOTE)
    expect(gateway.calls.map(({ connection }) => connection.number)).toEqual([1, 1, 1, 1])
  })

  test('fails unsent while it still waits for the first answer on a connection', async () => {
    await using gateway = await startGateway(() => 'hang')
    await using transport = openWay(way, gateway, { deadlineMs }, clock)
    const both = [transport.request(NOTE), transport.request(NOTE)]
    await gateway.until(() => gateway.calls.length === 1)
    clock.advance(LATE_MS)
    const [first, second] = await Promise.all(both)
    expect(first).toEqual({ kind: 'failed', reason: 'deadline', sent: 'unknown' })
    expect(second).toEqual({ kind: 'failed', reason: 'deadline', sent: 'no' })
    expect(gateway.calls).toHaveLength(1)
  })
})

describe.each(WAYS)('retire() of $name', (way) => {
  test('sends later requests over another connection, and lets those in flight finish on the old one', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    const old = held()
    gateway.handle(() => old.action)
    const inFlight = transport.request(NOTE)
    await gateway.until(() => gateway.calls.length === 2)

    transport.retire()
    gateway.handle(() => OK)
    await transport.request(NOTE)
    expect(gateway.calls.map(({ connection }) => connection.number)).toEqual([1, 1, 2])
    old.release()
    expect(statusOf(await inFlight)).toBe(200)
    await gateway.until(() => gateway.openConnections === 1)
  })

  test('does not give up a connection that has not answered yet', async () => {
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway)
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

describe.each(WAYS)('on a new connection of $name', (way) => {
  test('one request goes alone until it is answered, and the rest follows over the same connection', async () => {
    const first = held()
    const handler: GatewayHandler = ({ path }) => (path === '/probe' ? OK : first.action)
    await using gateway = await startGateway(handler, { maxStreams: 40 })
    await using transport = openWay(way, gateway)
    await using other = openWay(way, gateway)
    const all = times(40, () => transport.request(NOTE))
    const calls = () => gateway.calls.filter(({ path }) => path === NOTE.path)
    await gateway.until(() => calls().length > 0)
    // Whatever else was sent has arrived by the time this is answered.
    await other.request({ ...NOTE, path: '/probe' })
    expect(calls()).toHaveLength(1)
    first.release()
    expect((await Promise.all(all)).map(statusOf)).toEqual(times(40, () => 200))
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
    await using transport = openWay(way, gateway)
    await Promise.all(times(5, () => transport.request(NOTE)))
    expect(most).toBe(1)
  })

  test('the next request goes when the first one failed', async () => {
    await using gateway = await startGateway((call) => (gateway.calls.length === 1 ? call.reset(2) : ok(call)))
    await using transport = openWay(way, gateway)
    const answers = await Promise.all(times(3, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(['HTTP2StreamReset', 200, 200])
  })
})

describe.each(WAYS)('the stream limit, by $name', (way) => {
  test('of one until the first success makes no more connections than a handful, however many requests wait', async () => {
    await using gateway = await startGateway(
      (call) => {
        if (gateway.calls.length === 1) call.connection.settings(1000)
        setImmediate(() => call.respond(200))
      },
      { maxStreams: 1 },
    )
    await using transport = openWay(way, gateway)
    const answers = await Promise.all(times(500, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(500, () => 200))
    expect(gateway.calls).toHaveLength(500)
    expect(gateway.connections).toBeLessThanOrEqual(3)
  })

  test('is kept on every connection', async () => {
    const open = new Map<number, number>()
    let most = 0
    const count = (call: Call, by: number): void => {
      const now = (open.get(call.connection.number) ?? 0) + by
      open.set(call.connection.number, now)
      most = Math.max(most, now)
    }
    await using gateway = await startGateway(
      (call) => {
        count(call, 1)
        setImmediate(() => {
          count(call, -1)
          // An answer that is left unread would keep its stream.
          call.respond(400, { end: false })
          call.write('{"reason":"BadDeviceToken"}')
        })
      },
      { maxStreams: 10 },
    )
    await using transport = openWay(way, gateway)
    const answers = await Promise.all(times(200, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(200, () => 400))
    expect(most).toBe(10)
  })

  test('that is lowered under way holds for what comes after', async () => {
    const waiting: Call[] = []
    await using gateway = await startGateway(ok, { maxStreams: 100 })
    await using transport = openWay(way, gateway)
    await transport.request(NOTE)
    gateway.handle((call) => void waiting.push(call))
    const before = times(10, () => transport.request(NOTE))
    await gateway.until(() => waiting.length === 10)
    // The answer comes after the settings: once it is here, they are in force.
    waiting[0]?.connection.settings(1)
    waiting[0]?.respond(200)
    await Promise.race(before)

    gateway.handle(ok)
    const after = await Promise.all(times(20, () => transport.request(NOTE)))
    expect(after.map(statusOf)).toEqual(times(20, () => 200))
    expect(gateway.calls.filter(({ connection }) => connection.number === 1)).toHaveLength(11)
    expect(gateway.connections).toBeLessThanOrEqual(3)
    for (const call of waiting.slice(1)) call.respond(200)
    expect((await Promise.all(before)).map(statusOf)).toEqual(times(10, () => 200))
  })
})

describe.each(WAYS)('a connection of $name that is not used', (way) => {
  test('is closed after a minute, and the next request opens another', async () => {
    const clock = createFakeClock()
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, {}, clock)
    await transport.request(NOTE)
    clock.advance(60_000)
    await gateway.until(() => gateway.openConnections === 0)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
  })

  test('stays open while it is used every now and then', async () => {
    const clock = createFakeClock()
    await using gateway = await startGateway(() => OK)
    await using transport = openWay(way, gateway, {}, clock)
    for (let i = 0; i < 4; i++) {
      await transport.request(NOTE)
      clock.advance(40_000)
    }
    expect(gateway.connections).toBe(1)
  })
})

describe.each(WAYS)('disposing $name', (way) => {
  test('waits for what is in flight and in line, closes the connection, and takes no more', async () => {
    const last = held()
    await using gateway = await startGateway(() => last.action)
    const transport = openWay(way, gateway)
    const requests = times(2, () => transport.request(NOTE))
    await gateway.until(() => gateway.calls.length === 1)
    const disposed = transport[Symbol.asyncDispose]()
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'closed', sent: 'no' })
    const order: string[] = []
    void requests[1]?.then(() => order.push('answered'))
    void disposed.then(() => order.push('disposed'))
    // What would have been disposed at once is so by now.
    await new Promise(setImmediate)
    last.release()
    expect((await Promise.all(requests)).map(statusOf)).toEqual([200, 200])
    await disposed
    expect(order).toEqual(['answered', 'disposed'])
    await gateway.until(() => gateway.openConnections === 0)
  })
})
