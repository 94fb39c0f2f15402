import { beforeEach, describe, expect, test } from 'bun:test'
import { chooseTransport } from '../../../src/gateway/transport/choose-transport.ts'
import type { Transport } from '../../../src/gateway/transport/transport.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'
import type { Call, Connection, FrameGateway } from '../../support/frame-gateway.ts'
import { frame } from '../../support/frames.ts'
import { NOTE, statusOf, times } from './ways.ts'

const DEADLINE_MS = 15_000
const ok = (call: Call): void => call.respond(200)

let clock: FakeClock
beforeEach(() => {
  clock = createFakeClock()
})

function open(transport: 'fetch' | 'http2-wrapper', gateway: FrameGateway): Transport {
  const openTransport = chooseTransport({ transport, proxy: null }, clock, () => undefined)
  return openTransport(gateway.origin, { ca: gateway.ca, deadlineMs: DEADLINE_MS })
}

const PEERS: readonly (readonly [name: string, act: (call: Call) => void, said: string])[] = [
  [
    'takes requests and drops the connection',
    (call) => call.connection.cut(),
    'it closes connections without an answer',
  ],
  [
    'breaks the protocol after each request',
    (call) => call.connection.raw(Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0, 1)),
    'it closes connections without an answer',
  ],
  [
    'ends with GOAWAY and an error',
    (call) => call.connection.goaway(call.id, 11),
    'it closes connections without an answer',
  ],
]

describe.each(['fetch', 'http2-wrapper'] as const)('by %s a peer', (name) => {
  test.each(PEERS)('that %s gets thirteen connections at once, then one after each wait', async (_, act, said) => {
    await using gateway = await startFrameGateway(act)
    await using transport = open(name, gateway)
    for (let n = 0; n < 100; n++) await transport.request(NOTE)
    expect(gateway.connections).toBe(13)
    expect(transport.connections).toBe(13)
    expect(transport.trouble).toBe(`${said}: at most one new connection every 1 s`)

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

  test('that drops the connection after each answer is braked too', async () => {
    await using gateway = await startFrameGateway((call) => {
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

  test('that ends each connection with its answer, and nothing in flight, is braked too', async () => {
    await using gateway = await startFrameGateway(parting)
    await using transport = open(name, gateway)
    for (let n = 0; n < 100; n++) await transport.request(NOTE)
    expect(gateway.connections).toBeLessThan(21)
    expect(transport.trouble).toBe('it closes connections after 1 answer: at most one new connection every 1 s')
  })

  test('that ends each connection after a hundred answers gets as many as it likes', async () => {
    let answered = 0
    await using gateway = await startFrameGateway((call) => {
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

  test('that never opens its flow-control window is told of, by name where that can be seen', async () => {
    await using gateway = await startFrameGateway(ok, { greet: windowless })
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
    expect(said.slice(0, 2)).toEqual([null, null])
    expect(said[2]).toBe(
      name === 'fetch' ? 'it answers nothing: on 3 connections in a row no request was answered in time' : window,
    )
    // By then fetch has had http2-wrapper tried.
    expect(said[5]).toBe(window)
  })
})

test('by fetch a connection that was at rest for less than half a minute is not tried first', async () => {
  await using gateway = await startFrameGateway(ok)
  await using transport = open('fetch', gateway)
  await transport.request(NOTE)
  clock.advance(29_000)
  gateway.handle(() => undefined)
  const requests = Promise.all(times(4, () => transport.request(NOTE)))
  await gateway.until(() => gateway.begun === 5)
  clock.advance(DEADLINE_MS + DEADLINE_MS / 8)
  await requests
})

describe('by fetch a connection that was at rest for half a minute', () => {
  test('is tried with one request before others follow', async () => {
    await using gateway = await startFrameGateway(ok, { maxStreams: 1 })
    await using transport = open('fetch', gateway)
    await transport.request(NOTE)
    clock.advance(40_000)
    gateway.handle((call) => call.connection.cut())
    await Promise.all(times(200, () => transport.request(NOTE)))
    // Of 200 at once each would have had a connection of its own.
    expect(gateway.connections).toBeLessThan(17)
  })

  test('holds up the others by half a second where the first is never answered', async () => {
    await using gateway = await startFrameGateway(ok)
    await using transport = open('fetch', gateway)
    await transport.request(NOTE)
    const first = await restedAndSilent(transport, gateway)
    gateway.handle(ok)
    const others = Promise.all(times(3, () => transport.request(NOTE)))
    clock.advance(499)
    await Bun.sleep(20)
    expect(gateway.begun).toBe(2)
    clock.advance(1)
    expect((await others).map(statusOf)).toEqual([200, 200, 200])
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    clock.advance(DEADLINE_MS + DEADLINE_MS / 8)
    expect(statusOf(await first.answer)).toBe('deadline')
    expect(gateway.connections).toBe(1)
  })

  test('lets all go half a second after the first that was tried, however many were refused', async () => {
    await using gateway = await startFrameGateway(ok)
    await using transport = open('fetch', gateway)
    await transport.request(NOTE)
    const first = await restedAndSilent(transport, gateway)
    const others = Promise.all(times(3, () => transport.request(NOTE)))
    clock.advance(400)
    first.call.respond(403)
    expect(statusOf(await first.answer)).toBe(403)
    // The next has gone, and not been answered either.
    await gateway.until(() => gateway.begun === 3)
    clock.advance(99)
    await Bun.sleep(20)
    expect(gateway.begun).toBe(3)
    clock.advance(1)
    await gateway.until(() => gateway.begun === 5)
    gateway.handle(ok)
    clock.advance(DEADLINE_MS + DEADLINE_MS / 8)
    await others
  })

  test('that is lost with the first has the next one warm up like any other', async () => {
    await using gateway = await startFrameGateway(ok)
    await using transport = open('fetch', gateway)
    await transport.request(NOTE)
    const first = await restedAndSilent(transport, gateway)
    const others = Promise.all(times(3, () => transport.request(NOTE)))
    clock.advance(400)
    first.call.connection.cut()
    await first.answer
    await gateway.until(() => gateway.begun === 3)
    // How many streams a new one allows nobody knows before its first answer.
    clock.advance(999)
    await Bun.sleep(20)
    expect(gateway.begun).toBe(3)
    gateway.handle(ok)
    clock.advance(DEADLINE_MS + DEADLINE_MS / 8)
    await others
  })

  /** Half a minute and more later: the first request, on its way. No other is answered before another handler is set. */
  async function restedAndSilent(transport: Transport, gateway: FrameGateway) {
    clock.advance(40_000)
    const came = Promise.withResolvers<Call>()
    gateway.handle((call) => came.resolve(call))
    const answer = transport.request(NOTE)
    return { answer, call: await came.promise }
  }
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
