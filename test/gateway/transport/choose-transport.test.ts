import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/clock.ts'
import { chooseTransport, proxyProblem } from '../../../src/gateway/transport/choose-transport.ts'
import type { TransportChoice } from '../../../src/gateway/transport/choose-transport.ts'
import { answerTo } from '../../../src/gateway/transport/transport.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { startConnectProxy } from '../../support/connect-proxy.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startGateway } from '../../support/gateway.ts'
import { NOTE, statusOf } from './ways.ts'

function choose(choice: TransportChoice) {
  return chooseTransport(choice, systemClock, () => undefined)
}

test.each([
  ['h2', true],
  ['http2-wrapper', false],
] as const)('%s sends when it is chosen', async (transport, isOurs) => {
  await using gateway = await startGateway(() => ({ status: 200 }))
  await using opened = choose({ transport, proxy: null })(gateway.origin, { ca: gateway.ca, deadlineMs: 10_000 })
  await answerTo(opened, NOTE)
  // Only our own says how long the body is.
  expect(gateway.calls[0]?.headers['content-length'] === '10').toBe(isOurs)
})

test.each(['h2', 'http2-wrapper'] as const)(
  'with a proxy everything goes through it, also with %s',
  async (transport) => {
    const certificate = makeCertificate({ name: 'gateway.test' })
    await using proxy = await startConnectProxy()
    await using gateway = await startGateway(() => ({ status: 200 }), { certificate })
    const port = Number(new URL(gateway.origin).port)
    proxy.route(`gateway.test:${port}`, port)
    const openTransport = choose({ transport, proxy: { host: '127.0.0.1', port: proxy.port, authorization: null } })
    const options = { ca: gateway.ca, deadlineMs: 10_000 }

    await using far = openTransport(`https://gateway.test:${port}`, options)
    expect(statusOf(await answerTo(far, NOTE))).toBe(200)
    expect(proxy.requests.map(([first]) => first)).toEqual([`CONNECT gateway.test:${port} HTTP/1.1`])

    await using near = openTransport(`https://127.0.0.1:${port}`, options)
    await answerTo(near, NOTE)
    expect(proxy.requests.map(([first]) => first)).toContain(`CONNECT 127.0.0.1:${port} HTTP/1.1`)
  },
)

test('a proxy is tried with a tunnel, through which nothing is sent', async () => {
  await using proxy = await startConnectProxy()
  await using gateway = await startGateway(() => ({ status: 200 }))
  const port = Number(new URL(gateway.origin).port)
  const ours = { host: '127.0.0.1', port: proxy.port, authorization: null }
  // It stands still, so that a slow machine is not taken for a proxy that says nothing.
  const clock = createFakeClock()
  expect(await proxyProblem(ours, `https://127.0.0.1:${port}`, clock)).toBeNull()
  expect(gateway.calls).toHaveLength(0)
  proxy.reply = { head: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' }
  expect(await proxyProblem(ours, `https://127.0.0.1:${port}`, clock)).toBe('proxy: 407')
  expect(await proxyProblem({ ...ours, port: 1 }, `https://127.0.0.1:${port}`, clock)).toBe('proxy: ECONNREFUSED')
})
