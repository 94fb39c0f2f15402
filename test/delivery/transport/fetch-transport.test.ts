import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { fetchTransport } from '../../../src/delivery/transport/fetch-transport.ts'
import type { Transport } from '../../../src/delivery/transport/transport.ts'
import { startFrameGateway } from '../../support/frame-gateway.ts'
import type { Call, FrameGateway } from '../../support/frame-gateway.ts'
import { NOTE, statusOf, times } from './ways.ts'

/** What every transport does, conformance.test.ts has. */

const ok = (call: Call): void => call.respond(200)
const storm = (call: Call): void => call.connection.goaway(call.id, 11)

function open(gateway: FrameGateway, onGoAway?: () => void): Transport {
  return fetchTransport(systemClock, onGoAway)(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 })
}

test('a session that ends by GOAWAY with an error is told of once, whatever was in flight', async () => {
  await using gateway = await startFrameGateway(ok)
  let told = 0
  await using transport = open(gateway, () => told++)
  for (const sessions of [1, 2]) {
    gateway.handle(ok)
    await transport.request(NOTE)
    const before = gateway.calls.length
    gateway.handle((call) => {
      if (gateway.calls.length === before + 20) storm(call)
    })
    const answers = await Promise.all(times(20, () => transport.request(NOTE)))
    expect(answers.map(statusOf)).toEqual(times(20, () => 'HTTP2GoAway'))
    expect(told).toBe(sessions)
  }
})

test.each([
  ['GOAWAY without an error', (call: Call) => (call.connection.goaway(call.id, 0), call.respond(200))],
  ['RST_STREAM', (call: Call) => call.reset(2)],
  ['the end of the connection', (call: Call) => call.connection.cut()],
])('%s is not told of', async (_, act) => {
  await using gateway = await startFrameGateway(act)
  let told = 0
  await using transport = open(gateway, () => told++)
  for (let n = 0; n < 3; n++) await transport.request(NOTE)
  expect(told).toBe(0)
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
