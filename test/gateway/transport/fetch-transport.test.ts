import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { fetchTransport } from '../../../src/gateway/transport/fetch-transport.ts'
import { UNWATCHED_CONNECTIONS } from '../../../src/gateway/transport/transport.ts'
import type { Transport } from '../../../src/gateway/transport/transport.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'
import type { Call, FrameGateway } from '../../support/frame-gateway.ts'
import { NOTE, statusOf, times } from './ways.ts'

/** What every transport does, conformance.test.ts has. */
const ok = (call: Call): void => call.respond(200)
const storm = (call: Call): void => call.connection.goaway(call.id, 11)

type Loss = readonly [reason: string, answers: number]

function open(gateway: FrameGateway, losses: Loss[] = []): Transport {
  const watch = { ...UNWATCHED_CONNECTIONS, lost: (...loss: Loss) => void losses.push(loss) }
  return fetchTransport(systemClock)(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000, watch })
}

test.each([
  ['GOAWAY with an error', 'HTTP2GoAway', storm],
  ['the end of the connection', 'ECONNRESET', (call: Call) => call.connection.cut()],
  [
    'bytes that are no frames',
    'HTTP2FrameSizeError',
    (call: Call) => call.connection.raw(Buffer.from('HTTP/1.1 400 ')),
  ],
])('a connection lost by %s is told of once, whatever was in flight', async (_, reason, act) => {
  await using gateway = await startFrameGateway(ok)
  const losses: Loss[] = []
  await using transport = open(gateway, losses)
  for (const connections of [1, 2]) {
    gateway.handle(ok)
    await transport.request(NOTE)
    const before = gateway.calls.length
    gateway.handle((call) => {
      if (gateway.calls.length === before + 20) act(call)
    })
    const answers = await Promise.all(times(20, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(20, () => reason))
    expect(losses).toEqual(times(connections, () => [reason, 1] as const))
  }
})

test.each([
  ['GOAWAY without an error', (call: Call) => (call.connection.goaway(call.id, 0), call.respond(200))],
  ['RST_STREAM', (call: Call) => call.reset(2)],
])('%s is not told of as a loss', async (_, act) => {
  await using gateway = await startFrameGateway(act)
  const losses: Loss[] = []
  await using transport = open(gateway, losses)
  for (let n = 0; n < 3; n++) await transport.request(NOTE)
  expect(losses).toEqual([])
})

test('a connection that never answered is told of as such', async () => {
  await using gateway = await startFrameGateway((call) => call.connection.cut())
  const losses: Loss[] = []
  await using transport = open(gateway, losses)
  await transport.request(NOTE)
  expect(losses).toEqual([['ECONNRESET', 0]])
})

test('after GOAWAY with an error the next connection warms up like any new one', async () => {
  await using gateway = await startFrameGateway(ok)
  await using transport = open(gateway)
  await transport.request(NOTE)
  gateway.handle(storm)
  await transport.request(NOTE)
  gateway.handle((call) => setImmediate(() => call.respond(200)))
  const answers = await Promise.all(times(50, () => transport.request(NOTE)))
  expect(answers.map(statusOf)).toEqual(times(50, () => 200))
  expect(gateway.connections).toBe(2)
})

test('a connection that was taken for a new one, and was none, is not held up by those who are refused', async () => {
  await using gateway = await startFrameGateway(ok)
  const clock = createFakeClock()
  await using transport = fetchTransport(clock)(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 })
  await transport.request(NOTE)
  // Somebody else opens a connection meanwhile, such as a webhook.
  gateway.handle((call) => void fetch('http://localhost:1').catch(() => call.respond(200)))
  await transport.request(NOTE)
  gateway.handle((call) => call.respond(401))
  await transport.request(NOTE)
  const waiting: Call[] = []
  gateway.handle((call) => void waiting.push(call))
  const requests = times(20, () => transport.request(NOTE))
  for (let refused = 1; refused <= 5; refused++) {
    await gateway.until(() => waiting.length === refused)
    waiting.at(-1)?.respond(401)
  }
  await gateway.until(() => waiting.length === 6)
  clock.advance(500)
  await gateway.until(() => waiting.length === 20)
  for (const call of waiting.slice(5)) call.respond(401)
  await Promise.all(requests)
  expect(gateway.connections).toBe(1)
})
