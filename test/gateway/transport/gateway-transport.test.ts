import { beforeEach, describe, expect, test } from 'bun:test'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { ok, startGateway } from '../../support/gateway.ts'
import type { Call, Connection, Gateway, GatewayHandler } from '../../support/gateway.ts'
import { frame } from '../../support/frames.ts'
import { asked, NOTE, statusOf, times } from './ways.ts'
import type { AskedTransport } from './ways.ts'

const DEADLINE_MS = 15_000

let clock: FakeClock
beforeEach(() => {
  clock = createFakeClock()
})

function open(transport: 'h2' | 'http2-wrapper', gateway: Gateway): AskedTransport {
  const openTransport = chooseTransport({ transport, proxy: null }, clock, () => undefined)
  return asked(openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: DEADLINE_MS }))
}

const PEERS: readonly (readonly [name: string, act: (call: Call) => void])[] = [
  ['takes requests and drops the connection', (call) => call.connection.cut()],
  [
    'breaks the protocol after each request',
    (call) => call.connection.raw(Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0, 1)),
  ],
  ['ends with GOAWAY and an error', (call) => call.connection.goaway(call.id, 11)],
]

describe.each(['h2', 'http2-wrapper'] as const)('by %s a peer', (name) => {
  test.each(PEERS)('that %s gets thirteen connections at once, then one after each wait', async (_, act) => {
    await using gateway = await startGateway(act)
    await using transport = open(name, gateway)
    for (let n = 0; n < 100; n++) await transport.request(NOTE)
    expect(gateway.connections).toBe(13)
    expect(transport.connections).toBe(13)
    expect(transport.trouble).toBe('it closes connections without an answer: at most one new connection every 1 s')

    let refused = await transport.request(NOTE)
    expect(refused).toEqual({ kind: 'failed', reason: transport.trouble ?? '', sent: 'no', afterMs: 1000 })
    for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
      const before = gateway.connections
      clock.advance(refused.kind === 'failed' ? (refused.afterMs ?? 0) : 0)
      // Many at once: what waits for the first of them is not sent.
      await Promise.all(times(50, () => transport.request(NOTE)))
      expect(gateway.connections).toBe(before + 1)
      refused = await transport.request(NOTE)
      expect(refused).toMatchObject({ kind: 'failed', sent: 'no', afterMs: seconds * 1000 })
    }

    gateway.handle(ok)
    clock.advance(60_000)
    const answers = await Promise.all(times(500, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(500, () => 200))
    expect(transport.trouble).toBeNull()
  })

  test('that drops the connection after each answer is limited too', async () => {
    await using gateway = await startGateway((call) => {
      ok(call)
      setImmediate(() => call.connection.cut())
    })
    await using transport = open(name, gateway)
    const answers = []
    for (let n = 0; n < 100; n++) answers.push(...(await Promise.all(times(4, () => transport.request(NOTE)))))
    expect(gateway.connections).toBeLessThan(30)
    expect(transport.trouble).toMatch(
      /^it closes connections (without an answer|after \d answers?): at most one new connection every \d s$/,
    )
    expect(answers.filter((answer) => statusOf(answer) === 200).length).toBeGreaterThanOrEqual(5)
  })

  test('that ends each connection with its answer, and nothing in flight, is limited too', async () => {
    await using gateway = await startGateway(parting)
    await using transport = open(name, gateway)
    for (let n = 0; n < 100; n++) await transport.request(NOTE)
    expect(gateway.connections).toBeLessThan(21)
    expect(transport.trouble).toBe('it closes connections after 1 answer: at most one new connection every 1 s')
  })

  test('that ends each connection after a hundred answers gets as many as it likes', async () => {
    let answered = 0
    await using gateway = await startGateway((call) => {
      if (++answered % 100 === 0) call.connection.goaway(call.id, 0)
      ok(call)
    })
    await using transport = open(name, gateway)
    for (let n = 0; n < 40; n++) {
      const answers = await Promise.all(times(100, () => transport.request(NOTE)))
      expect(answers.map(statusOf)).toEqual(times(100, () => 200))
    }
    expect(gateway.connections).toBeGreaterThan(13)
    expect(transport.trouble).toBeNull()
  })

  test('that never opens its flow-control window is told of by name', async () => {
    await using gateway = await startGateway(ok, { greet: windowless })
    await using transport = open(name, gateway)
    const said = []
    for (let n = 1; n <= 6; n++) {
      const request = transport.request(NOTE)
      await gateway.until(() => gateway.connections === n)
      await gateway.until(() => gateway.begun === n)
      clock.advance(DEADLINE_MS + DEADLINE_MS / 8)
      expect(statusOf(await request)).toBe('deadline')
      said.push(transport.trouble)
    }
    const window = 'it takes no data: its flow-control window stays closed'
    expect(said).toEqual([null, null, window, window, window, window])
  })
})

test('a connection that breaks with many requests waiting is not followed by one for each', async () => {
  await using gateway = await startGateway(ok, { maxStreams: 1 })
  await using transport = open('h2', gateway)
  await transport.request(NOTE)
  gateway.handle((call) => call.connection.cut())
  await Promise.all(times(200, () => transport.request(NOTE)))
  expect(gateway.connections).toBeLessThan(17)
})

describe('from h2 to http2-wrapper', () => {
  const OK = { status: 200 }
  const switches: string[] = []
  beforeEach(() => void switches.splice(0))

  function openBoth({ origin, ca }: { readonly origin: string; readonly ca: string }): AskedTransport {
    const onSwitch = (to: string, reason: string): void => void switches.push(`${to} ${reason}`)
    const openTransport = chooseTransport({ transport: 'h2', proxy: null }, clock, onSwitch)
    return asked(openTransport(origin, { ca, deadlineMs: DEADLINE_MS }))
  }

  /** How the last request went. Only our own frames say how long the body is. */
  const wayOf = ({ calls }: Gateway): string =>
    calls.at(-1)?.headers['content-length'] === '10' ? 'h2' : 'http2-wrapper'

  test('requests move with the second protocol error within a minute, and stay there', async () => {
    await using gateway = await startGateway(() => 'goaway')
    await using transport = openBoth(gateway)
    await transport.request(NOTE)
    clock.advance(59_999)
    expect(switches).toEqual([])
    await transport.request(NOTE)
    expect(wayOf(gateway)).toBe('h2')
    expect(switches).toEqual([`${gateway.origin} HTTP2GoAway`])
    gateway.handle(() => OK)
    for (let n = 0; n < 3; n++) {
      expect(statusOf(await transport.request(NOTE))).toBe(200)
      expect(wayOf(gateway)).toBe('http2-wrapper')
      clock.advance(600_000)
    }
    expect(switches).toHaveLength(1)
  })

  test('nothing moves with one protocol error a minute', async () => {
    await using gateway = await startGateway(() => 'goaway')
    await using transport = openBoth(gateway)
    for (let n = 0; n < 5; n++) {
      expect(statusOf(await transport.request(NOTE))).toBe('HTTP2GoAway')
      clock.advance(60_000)
    }
    gateway.handle(() => OK)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(wayOf(gateway)).toBe('h2')
    expect(switches).toEqual([])
  })

  test.each(['close', 'reset'] as const)('nothing moves with %s, which is no protocol error', async (action) => {
    await using gateway = await startGateway(() => action)
    await using transport = openBoth(gateway)
    for (let n = 0; n < 5; n++) await transport.request(NOTE)
    gateway.handle(() => OK)
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(wayOf(gateway)).toBe('h2')
    expect(switches).toEqual([])
  })

  test('what waits is handed over, and none is sent twice', async () => {
    const handler: GatewayHandler = () => (gateway.calls.length <= 2 ? 'goaway' : OK)
    await using gateway = await startGateway(handler)
    await using transport = openBoth(gateway)
    const bodies = times(20, (n) => `{"n":"${100 + n}"}`)
    const answers = await Promise.all(bodies.map((body) => transport.request({ ...NOTE, body })))
    expect(answers.map(statusOf)).toEqual(['HTTP2GoAway', 'HTTP2GoAway', ...times(18, () => 200)])
    expect(gateway.calls.map(({ body }) => body).toSorted()).toEqual(bodies)
    expect(gateway.calls.filter(({ headers }) => headers['content-length'] !== undefined)).toHaveLength(2)
    expect(switches).toHaveLength(1)
  })

  test('requests move also where the peer breaks the rules before it has greeted', async () => {
    const greet = (connection: Connection): void => {
      if (connection.number <= 2) connection.raw(frame(6, 0, 0, new Uint8Array(8)))
      else connection.settings(100)
    }
    await using gateway = await startGateway(ok, { greet })
    await using transport = openBoth(gateway)
    const answers = [await transport.request(NOTE), await transport.request(NOTE), await transport.request(NOTE)]
    expect(answers.map(statusOf)).toEqual(['HTTP2ProtocolError', 200, 200])
    expect(switches).toEqual([`${gateway.origin} HTTP2ProtocolError`])
  })
})

/** Answers, and takes no more on the connection. */
function parting(call: Call): void {
  call.connection.goaway(call.id, 0)
  ok(call)
  setImmediate(() => call.connection.cut())
}

/** SETTINGS_INITIAL_WINDOW_SIZE 0 (RFC 9113, 6.5.2). */
function windowless(connection: Connection): void {
  connection.raw(frame(4, 0, 0, Uint8Array.of(0, 4, 0, 0, 0, 0)))
}
