import { beforeEach, describe, expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { ConnectionPool } from '../../../../src/gateway/transport/connection-pool.ts'
import { answerTo } from '../../../../src/gateway/transport/transport.ts'
import type { TransportAnswer } from '../../../../src/gateway/transport/transport.ts'
import type { SessionEnd } from '../../../../src/gateway/transport/session.ts'
import { openSocketSession } from '../../../../src/gateway/transport/h2/socket-session.ts'
import type { SessionSocket } from '../../../../src/gateway/transport/h2/socket-session.ts'
import { openSecureSocket } from '../../../../src/gateway/transport/secure-socket.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import type { FakeClock } from '../../../support/fake-clock.ts'
import { ok, startGateway } from '../../../support/gateway.ts'
import type { Call, Connection } from '../../../support/gateway.ts'
import {
  frame,
  GOAWAY,
  goawayFrame,
  headerFrames,
  PING,
  readFrames,
  settingsFrame,
  windowFrame,
} from '../../../support/frames.ts'
import type { Frame } from '../../../support/frames.ts'
import { startSlowRelay } from '../../../support/slow-relay.ts'
import type { SlowRelay } from '../../../support/slow-relay.ts'
import { NOTE, openWay, statusOf, times, WAYS } from '../ways.ts'
import type { AskedTransport } from '../ways.ts'
import { ENHANCE_YOUR_CALM, NO_ERROR } from './client.ts'

/** How often a connection looks at its peer. */
const TICK_MS = 3000

let clock: FakeClock
beforeEach(() => {
  clock = createFakeClock()
})

function open(gateway: { readonly origin: string; readonly ca: string }): AskedTransport {
  const [h2] = WAYS
  if (h2 === undefined) throw new Error('no way')
  return openWay(h2, gateway, { deadlineMs: 60_000 }, clock)
}

/** Lets ticks pass, each with all that it sets off. */
async function ticks(count: number, meanwhile: () => void = () => undefined): Promise<void> {
  for (let n = 0; n < count; n++) {
    meanwhile()
    clock.advance(TICK_MS)
    await new Promise(setImmediate)
  }
}

/** A peer whose flow control never holds anybody back. */
function greetWidely(connection: Connection): void {
  connection.raw(Buffer.concat([settingsFrame([[4, 2 ** 31 - 1]]), windowFrame(0, 2 ** 30)]))
}

/** More than the system takes for a peer that reads nothing. */
const HUGE = { ...NOTE, body: Buffer.alloc(16 * 2 ** 20) }

describe('a peer that', () => {
  const slowness: readonly (readonly [name: string, meanwhile: (relay: SlowRelay) => void])[] = [
    ['stops reading', () => undefined],
    ['takes one byte now and then', (relay) => relay.takeByte()],
  ]
  test.each(slowness)('%s is given up after twelve seconds', async (_, meanwhile) => {
    await using gateway = await startGateway(ok, { greet: greetWidely })
    await using relay = await startSlowRelay(gateway.port)
    await using transport = open({ origin: `https://localhost:${relay.port}`, ca: gateway.ca })
    await transport.request(NOTE)
    relay.stall()
    let said: unknown = null
    const request = transport.request(HUGE)
    void request.then((answer) => (said = answer))
    await ticks(4, () => meanwhile(relay))
    expect(said).toBeNull()
    await ticks(1)
    expect(await request).toEqual({ kind: 'failed', reason: 'HTTP2WriteTimeout', sent: 'unknown' })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.connections).toBe(2)
  })

  test('stops reading keeps no socket open', async () => {
    await using gateway = await startGateway(ok, { greet: greetWidely })
    await using relay = await startSlowRelay(gateway.port)
    const origin = new URL(`https://localhost:${relay.port}`)
    const secured = await openSecureSocket(origin, null, { ca: gateway.ca }, new AbortController().signal)
    if (secured.kind === 'failed') throw new Error(secured.reason)
    const ends: SessionEnd[] = []
    const listener = { onRoom: () => undefined, onEnd: (end: SessionEnd) => void ends.push(end) }
    const opened = await openSocketSession(secured.socket, origin.host, clock, listener)
    if (opened.kind === 'failed') throw new Error(opened.reason)
    relay.stall()
    opened.session.send(HUGE, { onOver: () => undefined })
    await new Promise(setImmediate)
    expect(opened.session.isBlocked).toBe(true)
    const closed = new Promise((resolve) => secured.socket.on('close', resolve))
    await ticks(5)
    expect(ends).toEqual([{ reason: 'HTTP2WriteTimeout', kind: 'lost' }])
    await closed
  })

  test('is gone without a word is found by PING in fifteen seconds', async () => {
    await using gateway = await startGateway(ok)
    await using relay = await startSlowRelay(gateway.port)
    await using transport = open({ origin: `https://localhost:${relay.port}`, ca: gateway.ca })
    await transport.request(NOTE)
    relay.forget()
    let said: unknown = null
    const request = transport.request(NOTE)
    void request.then((answer) => (said = answer))
    await ticks(4)
    expect(said).toBeNull()
    await ticks(1)
    expect(await request).toEqual({ kind: 'failed', reason: 'HTTP2PingTimeout', sent: 'unknown' })
    expect(statusOf(await transport.request(NOTE))).toBe(200)
    expect(gateway.connections).toBe(2)
  })

  test('allows no stream for the first two seconds gets the requests after them, over the same connection', async () => {
    const connections: Connection[] = []
    await using gateway = await startGateway(ok, {
      greet(connection) {
        connections.push(connection)
        connection.settings(connection.number === 1 ? 0 : 100)
      },
    })
    await using transport = open(gateway)
    await using other = open(gateway)
    const requests = times(20, () => transport.request(NOTE))
    await gateway.until(() => connections.length === 1)
    clock.advance(2000)
    // Whatever else was sent has arrived by the time that these are answered.
    for (let n = 0; n < 3; n++) await other.request(NOTE)
    expect(gateway.begun).toBe(3)
    connections[0]?.settings(100)
    expect((await Promise.all(requests)).map(statusOf)).toEqual(times(20, () => 200))
    expect(gateway.connections).toBe(2)
  })

  const strangers: readonly (readonly [name: string, bytes: Buffer, reason: string])[] = [
    ['begins with another frame than SETTINGS', frame(PING, 0, 0, Buffer.alloc(8)), 'HTTP2ProtocolError'],
    ['speaks HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'), 'HTTP2FrameSizeError'],
  ]
  test.each(strangers)('%s is sent nothing', async (_, bytes, reason) => {
    await using gateway = await startGateway(ok, { greet: (connection) => connection.raw(bytes) })
    await using transport = open(gateway)
    expect(await transport.request(NOTE)).toEqual({ kind: 'failed', reason, sent: 'no' })
    expect(gateway.begun).toBe(0)
    await gateway.until(() => gateway.openConnections === 0)
  })

  test.each([NO_ERROR, ENHANCE_YOUR_CALM])(
    'says GOAWAY with code %d and all answers at once loses none',
    async (code) => {
      await using gateway = await startGateway(ok)
      await using transport = open(gateway)
      await transport.request(NOTE)
      const waiting: Call[] = []
      gateway.handle((call) => {
        waiting.push(call)
        if (waiting.length < 50) return
        const answers = waiting.map(({ id }) => headerFrames(id, { ':status': '200' }, { end: true }))
        call.connection.raw(Buffer.concat([goawayFrame(call.id, code), ...answers]))
      })
      const answers = await Promise.all(times(50, () => transport.request(NOTE)))
      expect(answers.map(statusOf)).toEqual(times(50, () => 200))
      expect(gateway.calls).toHaveLength(51)
    },
  )

  test('ends each connection after exactly 500 requests gets each request once', async () => {
    const taken: string[] = []
    const counts = new Map<number, number>()
    await using gateway = await startGateway((call) => {
      const count = (counts.get(call.connection.number) ?? 0) + 1
      counts.set(call.connection.number, count)
      // What comes after it was under way when GOAWAY was written.
      if (count > 500) return
      taken.push(call.body)
      if (count === 500) call.connection.goaway(call.id, NO_ERROR)
      call.respond(200)
    })
    await using transport = open(gateway)
    // As many at a time as one credential may have in flight.
    const answers: TransportAnswer[] = []
    let next = 0
    const sendOn = async (): Promise<void> => {
      while (next < 3000) answers.push(await transport.request({ ...NOTE, body: `${next++}` }))
    }
    await Promise.all(times(1000, sendOn))
    expect(answers.map(statusOf)).toEqual(times(3000, () => 200))
    expect(taken.toSorted()).toEqual(times(3000, (n) => `${n}`).toSorted())
    expect(gateway.connections).toBeLessThanOrEqual(7)
  })
})

test('a session that is closed tells the peer so, and closes the socket', async () => {
  const { certificate, privateKey } = makeCertificate()
  const heard: Frame[] = []
  const gone = Promise.withResolvers<void>()
  const server = createServer({ key: privateKey, cert: certificate, ALPNProtocols: ['h2'] }, (socket) => {
    socket.write(settingsFrame())
    readFrames(socket, (frame) => void heard.push(frame))
    socket.on('error', () => undefined)
    socket.on('close', gone.resolve)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const origin = new URL(`https://localhost:${(server.address() as AddressInfo).port}`)
  const secured = await openSecureSocket(origin, null, { ca: certificate }, new AbortController().signal)
  if (secured.kind === 'failed') throw new Error(secured.reason)
  const listener = { onRoom: () => undefined, onEnd: () => undefined }
  const opened = await openSocketSession(secured.socket, origin.host, clock, listener)
  if (opened.kind === 'failed') throw new Error(opened.reason)
  opened.session.close()
  await gone.promise
  expect(heard.at(-1)).toMatchObject({ type: GOAWAY, id: 0, payload: Buffer.alloc(8) })
  await new Promise((resolve) => server.close(resolve))
})

/** A socket that is not there: what is written to it, and who waits for that while it is `stalled`. */
function fakeSocket() {
  const written: Buffer[] = []
  const held: (() => void)[] = []
  let receive: (chunk: Buffer) => void = () => undefined
  const socket: SessionSocket = {
    destroyed: false,
    get writableLength() {
      return held.length
    },
    on(event: string, listener: (...told: never[]) => void) {
      if (event === 'data') receive = listener as typeof receive
    },
    write(bytes, onWritten) {
      // Copied, as by a socket: the session fills its buffer again.
      written.push(Buffer.from(bytes))
      if (peer.isStalled) held.push(onWritten)
      else queueMicrotask(onWritten)
    },
    destroySoon: () => undefined,
    destroy: () => undefined,
  }
  const peer = {
    socket,
    written,
    isStalled: false,
    receive: (chunk: Buffer) => receive(chunk),
    goOn() {
      peer.isStalled = false
      for (const onWritten of held.splice(0)) onWritten()
    },
  }
  return peer
}

test('of the requests of one turn the first goes out at once, and all others in one write', async () => {
  const { socket, written, receive } = fakeSocket()
  const opening = openSocketSession(socket, 'gateway.example', clock, { onRoom() {}, onEnd() {} })
  receive(settingsFrame())
  const opened = await opening
  await new Promise(setImmediate)
  written.length = 0
  if (opened.kind === 'failed') throw new Error(opened.reason)
  const send = (): void => void opened.session.send(NOTE, { onOver: () => undefined })
  send()
  expect(written).toHaveLength(1)
  for (let n = 0; n < 100; n++) send()
  expect(written).toHaveLength(1)
  await new Promise(setImmediate)
  expect(written).toHaveLength(2)
  // Each has HEADERS, and DATA with a body of ten bytes.
  expect(written[1]?.length).toBeGreaterThan(100 * (9 + 9 + 10))
})

test('a connection whose socket takes no more gets no other beside it, and goes on when the socket does', async () => {
  const peer = fakeSocket()
  const { socket, written, receive } = peer
  let opened = 0
  const pool = new ConnectionPool(clock, { deadlineMs: 60_000 }, async (listener) => {
    opened++
    // As a handshake, which nobody has the result of at once.
    await Promise.resolve()
    const session = openSocketSession(socket, 'gateway.example', clock, listener)
    receive(settingsFrame())
    return session
  })
  const first = answerTo(pool, NOTE)
  await new Promise(setImmediate)
  receive(headerFrames(1, { ':status': '200' }, { end: true }))
  expect(statusOf(await first)).toBe(200)

  peer.isStalled = true
  const answers = times(3, () => answerTo(pool, NOTE))
  await new Promise(setImmediate)
  expect(opened).toBe(1)
  const before = written.length
  peer.goOn()
  await new Promise(setImmediate)
  expect(written.length).toBeGreaterThan(before)
  for (const id of [3, 5, 7]) receive(headerFrames(id, { ':status': '200' }, { end: true }))
  expect((await Promise.all(answers)).map(statusOf)).toEqual([200, 200, 200])
  expect(opened).toBe(1)
})
