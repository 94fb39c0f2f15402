import { describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import { fallbackTransport } from '../../../src/gateway/transport/fallback-transport.ts'
import type { Transport } from '../../../src/gateway/transport/transport.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'
import type { Call, FrameGateway } from '../../support/frame-gateway.ts'
import { startGateway } from '../../support/gateway.ts'
import type { GatewayCall } from '../../support/gateway.ts'
import { NOTE, statusOf, times } from './ways.ts'

const ok = (call: Call): void => call.respond(200)
const storm = (call: Call): void => call.connection.goaway(call.id, 11)

type Move = readonly [origin: string, reason: string]

function open(gateway: Pick<FrameGateway, 'origin' | 'ca'>, moves: Move[] = [], clock = createFakeClock()): Transport {
  const openTransport = fallbackTransport(clock, (...move) => void moves.push(move))
  return openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 })
}

test('two sessions that end by GOAWAY with an error within a minute move a credential to http2-wrapper', async () => {
  await using gateway = await startGateway(() => 'goaway')
  const clock = createFakeClock()
  const moves: Move[] = []
  await using transport = open(gateway, moves, clock)
  expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'HTTP2GoAway', sent: 'unknown' })
  clock.advance(59_000)
  expect(moves).toEqual([])
  expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'HTTP2GoAway', sent: 'unknown' })
  expect(moves).toEqual([[gateway.origin, 'HTTP2GoAway']])

  gateway.handle(() => ({ status: 200 }))
  expect(statusOf(await transport.request(NOTE))).toBe(200)
  clock.advance(86_400_000)
  expect(statusOf(await transport.request(NOTE))).toBe(200)
  // Only fetch says who it is.
  const agents = gateway.calls.map(({ headers }) => headers['user-agent']?.startsWith('Bun/') ?? false)
  expect(agents).toEqual([true, true, false, false])
})

test('more than a minute apart they do not', async () => {
  await using gateway = await startFrameGateway(storm)
  const clock = createFakeClock()
  const moves: Move[] = []
  await using transport = open(gateway, moves, clock)
  for (let n = 0; n < 3; n++) {
    await transport.request(NOTE)
    clock.advance(60_000)
  }
  expect(moves).toEqual([])
})

test('a clock that is put back or forth between them makes no difference', async () => {
  await using gateway = await startFrameGateway(storm)
  const clock = createFakeClock()
  const moves: Move[] = []
  await using transport = open(gateway, moves, clock)
  await transport.request(NOTE)
  clock.set(clock.now() + 86_400_000)
  await transport.request(NOTE)
  expect(moves).toHaveLength(1)
})

test('one session that takes many requests with it is one', async () => {
  await using gateway = await startFrameGateway(ok)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  await transport.request(NOTE)
  gateway.handle((call) => {
    if (gateway.calls.length === 41) storm(call)
  })
  const answers = await Promise.all(times(40, () => transport.request(NOTE)))
  expect(answers.map(statusOf)).toEqual(times(40, () => 'HTTP2GoAway'))
  expect(moves).toEqual([])
})

test.each([
  ['GOAWAY without an error', (call: Call) => (call.connection.goaway(call.id, 0), call.respond(200))],
  ['RST_STREAM', (call: Call) => call.reset(2)],
])('%s moves nobody', async (_, act) => {
  await using gateway = await startFrameGateway(act)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  for (let n = 0; n < 7; n++) await transport.request(NOTE)
  expect(moves).toEqual([])
})

test('a connection that is lost after five hundred answers moves nobody, however often', async () => {
  await using gateway = await startFrameGateway(ok)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  for (let n = 0; n < 5; n++) {
    gateway.handle(ok)
    await Promise.all(times(500, () => transport.request(NOTE)))
    gateway.handle((call) => call.connection.cut())
    await transport.request(NOTE)
  }
  expect(moves).toEqual([])
})

test('header blocks in many CONTINUATION frames, which fetch takes for an attack, move a credential that then gets through', async () => {
  const headers = { 'x-padding': 'x'.repeat(120) }
  await using gateway = await startFrameGateway((call) => call.respond(200, { headers, pieces: 3 }))
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  const answers = []
  for (let n = 0; n < 5; n++) answers.push(statusOf(await transport.request(NOTE)))
  expect(answers).toEqual(['HTTP2EnhanceYourCalm', 'HTTP2EnhanceYourCalm', 200, 200, 200])
  expect(moves).toEqual([[gateway.origin, 'HTTP2EnhanceYourCalm']])
  expect(gateway.connections).toBe(3)
})

const OK = { status: 200 } as const
/** Only fetch says who it is. */
const isFetch = ({ headers }: GatewayCall): boolean => headers['user-agent']?.startsWith('Bun/') ?? false

test('where connections of fetch bring nothing and those of http2-wrapper do, a credential moves', async () => {
  await using gateway = await startGateway((call) => (isFetch(call) ? 'close' : OK))
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  const answers = []
  for (let n = 0; n < 600; n++) answers.push(statusOf(await transport.request(NOTE)))
  // The last failure asks, after plenty of answers, whether the gateway has come back for fetch too.
  expect(answers.flatMap((answer, n) => (answer === 'ECONNRESET' ? [n] : []))).toEqual([0, 1, 2, 503])
  expect(moves).toEqual([[gateway.origin, 'ECONNRESET']])
  expect(gateway.connections).toBe(5)
})

test('a gateway that was away for a while has every credential back on fetch', async () => {
  await using gateway = await startGateway(() => 'close')
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  for (let n = 0; n < 10; n++) await transport.request(NOTE)
  gateway.handle(() => OK)
  for (let n = 0; n < 600; n++) expect(statusOf(await transport.request(NOTE))).toBe(200)
  const ways = gateway.calls.map(isFetch)
  expect(ways).toEqual([...times(3, () => true), ...times(507, () => false), ...times(100, () => true)])
  expect(moves).toEqual([])
})

/** Ends the connection as agreed, with the answer: nothing is in flight, and nothing is lost. */
function part(call: Call): void {
  call.connection.goaway(call.id, 0)
  ok(call)
  setImmediate(() => call.connection.cut())
}

test('connections that end after each answer are seen, and have http2-wrapper tried for those who wait too', async () => {
  await using gateway = await startFrameGateway(part)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  for (let n = 0; n < 5; n++) expect(statusOf(await transport.request(NOTE))).toBe(200)
  const answers = await Promise.all(times(20, () => transport.request(NOTE)))
  expect(answers.map(statusOf)).toEqual(times(20, () => 200))
  // Unlike fetch, http2-wrapper has one connection for what is sent at a time where one takes it.
  expect(gateway.connections).toBeLessThanOrEqual(25)

  gateway.handle(ok)
  const before = gateway.connections
  for (let n = 0; n < 600; n++) await transport.request(NOTE)
  // One of http2-wrapper, and after plenty of answers one of fetch.
  expect(gateway.connections).toBeLessThanOrEqual(before + 2)
  expect(moves).toEqual([])
})

/** A request of somebody else, on a connection of its own. */
async function strayTo({ origin, ca }: FrameGateway): Promise<void> {
  await (await fetch(origin, { method: 'POST', body: '{}', protocol: 'http2', tls: { ca } })).text()
}

test('by name a connection that lasts is told from one that is replaced, whoever else opens connections', async () => {
  await using gateway = await startGateway(() => OK)
  await using ill = await startFrameGateway(part)
  await using transport = open(gateway)
  for (let n = 0; n < 40; n++) {
    // Others open one at the same time, but not each time.
    const opening = n % 6 === 5 ? undefined : strayTo(ill)
    await transport.request(NOTE)
    await opening
  }
  expect(gateway.calls.map(isFetch)).toEqual(times(40, () => true))
  expect(gateway.connections).toBe(1)
})

test('a credential that is suspected for the connections of others moves for five hundred answers', async () => {
  await using gateway = await startFrameGateway(ok)
  await using ill = await startFrameGateway(part)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  await transport.request(NOTE)
  for (let n = 0; n < 6; n++) {
    const came = Promise.withResolvers<Call>()
    gateway.handle((call) => came.resolve(call))
    const request = transport.request(NOTE)
    const call = await came.promise
    await strayTo(ill)
    ok(call)
    expect(statusOf(await request)).toBe(200)
  }
  gateway.handle(ok)
  for (let n = 0; n < 600; n++) expect(statusOf(await transport.request(NOTE))).toBe(200)
  expect(gateway.connections).toBe(3)
  expect(gateway.openConnections).toBe(2)
  expect(moves).toEqual([])
})

test('however many credentials open their first connections at the same time, each stays by fetch, on one', async () => {
  await using gateway = await startGateway(() => OK)
  const openTransport = fallbackTransport(createFakeClock(), () => undefined)
  const transports = times(40, () => openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 }))
  // One after the other: while the later ones connect, the first send one notification at a time.
  await Promise.all(
    transports.map(async (transport, n) => {
      for (let turn = 0; turn < n; turn++) await transports[0]?.request(NOTE)
      for (let turn = 0; turn < 40; turn++) await transport.request(NOTE)
    }),
  )
  expect(gateway.calls.filter((call) => !isFetch(call))).toEqual([])
  expect(gateway.connections).toBe(40)
  await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()))
})

test('three losses more than a minute apart have no other transport tried', async () => {
  await using gateway = await startGateway(() => 'close')
  const clock = createFakeClock()
  await using transport = open(gateway, [], clock)
  for (let n = 0; n < 5; n++) {
    await transport.request(NOTE)
    clock.advance(31_000)
  }
  expect(gateway.calls.map(isFetch)).toEqual(times(5, () => true))
})

test('a gateway that cannot be reached moves nobody', async () => {
  const gateway = await startFrameGateway(ok)
  const { origin, ca } = gateway
  await gateway[Symbol.asyncDispose]()
  const moves: Move[] = []
  await using transport = open({ origin, ca }, moves)
  for (let n = 0; n < 7; n++) expect(statusOf(await transport.request(NOTE))).toBe('ECONNREFUSED')
  expect(moves).toEqual([])
})

test('a hundred and thirty credentials keep their connections, one each', async () => {
  await using gateway = await startGateway(() => ({ status: 200 }))
  const openTransport = fallbackTransport(systemClock, () => undefined)
  const transports = times(130, () => openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 }))
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(transports.map((transport) => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(transports.map(() => 200))
  }
  expect(gateway.connections).toBe(130)
  await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()))
})

describe('of sixty credentials that connect at once', () => {
  async function startAll(clock: Clock) {
    const waiting: Call[] = []
    const gateway = await startFrameGateway((call) => void waiting.push(call))
    const openTransport = fallbackTransport(clock, () => undefined)
    const transports = times(60, () => openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 }))
    const requests = transports.map((transport) => transport.request(NOTE))
    await gateway.until(() => waiting.length === 50)
    return { gateway, waiting, transports, requests }
  }

  test('fifty open their connections, and each other one when one of them is answered', async () => {
    const { gateway, waiting, transports, requests } = await startAll(systemClock)
    for (let answered = 0; answered < 10; answered++) {
      expect([gateway.connections, waiting.length]).toEqual([50 + answered, 50 + answered])
      waiting[answered]?.respond(answered % 2 === 0 ? 200 : 403)
      await gateway.until(() => waiting.length === 51 + answered)
    }
    for (const call of waiting.slice(10)) call.respond(200)
    await Promise.all(requests)
    expect(gateway.connections).toBe(60)
    await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()))
    await gateway[Symbol.asyncDispose]()
  })

  test('those that are never answered hold up the others for three seconds', async () => {
    const clock = createFakeClock()
    const { gateway, waiting, transports, requests } = await startAll(clock)
    clock.advance(2999)
    await new Promise(setImmediate)
    expect(gateway.connections).toBe(50)
    clock.advance(1)
    await gateway.until(() => waiting.length === 60)
    for (const call of waiting) call.respond(200)
    await Promise.all(requests)
    await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()))
    await gateway[Symbol.asyncDispose]()
  })

  test('one that has waited too long has not taken a place', async () => {
    const clock = createFakeClock()
    const openTransport = fallbackTransport(clock, () => undefined)
    await using gateway = await startFrameGateway(() => undefined)
    const options = { ca: gateway.ca, deadlineMs: 2000 }
    const transports = times(120, () => openTransport(gateway.origin, options))
    const requests = transports.map((transport) => transport.request(NOTE))
    await gateway.until(() => gateway.calls.length === 50)
    for (let n = 0; n < 20; n++) clock.advance(200)
    expect((await Promise.all(requests)).map(statusOf)).toEqual(times(120, () => 'deadline'))
    gateway.handle(ok)
    const again = await Promise.all(transports.slice(0, 50).map((transport) => transport.request(NOTE)))
    expect(again.map(statusOf)).toEqual(times(50, () => 200))
    await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()))
  })
})

test('the move loses no request: each is answered, before, during and after', async () => {
  await using gateway = await startFrameGateway(ok)
  const moves: Move[] = []
  await using transport = open(gateway, moves)
  gateway.handle(storm)
  await transport.request(NOTE)
  const waiting: Call[] = []
  gateway.handle((call) => void waiting.push(call))
  // The first goes alone, the others wait in line for it.
  const before = times(10, () => transport.request(NOTE))
  await gateway.until(() => waiting.length === 1)
  gateway.handle(ok)
  for (const call of waiting) storm(call)
  expect(statusOf((await before[0]) ?? { kind: 'failed', reason: 'none', sent: 'no' })).toBe('HTTP2GoAway')
  expect(moves).toHaveLength(1)
  const after = times(10, () => transport.request(NOTE))
  const answers = await Promise.all([...before.slice(1), ...after])
  expect(answers.map(statusOf)).toEqual(times(19, () => 200))
  expect(gateway.calls).toHaveLength(21)
})

test('disposing waits for what is in flight on both, and closes both', async () => {
  await using gateway = await startFrameGateway((call) => call.connection.cut())
  const transport = open(gateway)
  for (let n = 0; n < 3; n++) await transport.request(NOTE)
  gateway.handle(ok)
  await Promise.all(times(499, () => transport.request(NOTE)))
  const waiting: Call[] = []
  gateway.handle((call) => void waiting.push(call))
  const second = transport.request(NOTE)
  await gateway.until(() => waiting.length === 1)
  gateway.handle(ok)
  await transport.request(NOTE)
  gateway.handle((call) => void waiting.push(call))
  const first = transport.request(NOTE)
  await gateway.until(() => waiting.length === 2)
  expect(gateway.openConnections).toBe(2)
  const order: string[] = []
  const disposed = transport[Symbol.asyncDispose]().then(() => order.push('disposed'))
  for (const request of [second, first]) void request.then((answer) => order.push(String(statusOf(answer))))
  await new Promise(setImmediate)
  for (const call of waiting) call.respond(200)
  await disposed
  expect(order).toEqual(['200', '200', 'disposed'])
  expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason: 'closed', sent: 'no' })
  await gateway.until(() => gateway.openConnections === 0)
})
