import { describe, expect, test } from 'bun:test'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

const LIMITS = { rate: 0.001, burst: 2, backendRate: 0 }
const WARNING = "forwarded calls share one address's rate limit: add the proxy to --trusted-proxies"

/** A call of a device, as a proxy on this machine hands it on. */
async function callFor(service: Service, caller: string | null, secret: string | null = null): Promise<number> {
  const headers = { 'x-forwarded-for': caller, ...(secret !== null && { 'x-service-secret': secret }) }
  return (await service.put('/stats', { platform: '0' }, { as: 'device', headers })).status
}

async function callsFor(service: Service, callers: readonly (string | null)[]): Promise<number[]> {
  const statuses: number[] = []
  for (const caller of callers) statuses.push(await callFor(service, caller))
  return statuses
}

describe('behind a trusted proxy', () => {
  const config = { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] }

  test('each caller has a rate of its own, whatever it claims', async () => {
    await using service = await startService({ clock: createFakeClock(), limits: LIMITS, config })
    const from = ['192.0.2.1', '198.51.100.1, 192.0.2.1', '198.51.100.2, 192.0.2.1']
    expect(await callsFor(service, from)).toEqual([200, 200, 429])
    expect(await callsFor(service, ['192.0.2.2', '192.0.2.2, 10.1.2.3', '192.0.2.2'])).toEqual([200, 200, 429])
    expect(await callsFor(service, ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:1::1'])).toEqual([
      200, 200, 429, 200,
    ])
    // Those without a name, or with a false one, are the proxy.
    expect(await callsFor(service, [null, 'unknown', '192.0.2.3, unknown'])).toEqual([200, 200, 429])
    expect(service.log.filter(({ event }) => event === WARNING)).toEqual([])
  })

  test('who guesses secrets is throttled alone', async () => {
    await using service = await startService({ clock: createFakeClock(), config })
    const guesses = await Promise.all(Array.from({ length: 25 }, () => callFor(service, '192.0.2.1', 'wrong')))
    expect(guesses.filter((status) => status === 401)).toHaveLength(20)
    expect(guesses.filter((status) => status === 429)).toHaveLength(5)
    expect(await callFor(service, '192.0.2.2', 'wrong')).toBe(401)
  })
})

describe('without a trusted proxy', () => {
  test('calls with the secret, which have a rate of their own, need none: the log says nothing', async () => {
    await using service = await startService({ clock: createFakeClock(), limits: LIMITS })
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const { status } = await service.put('/stats', { platform: '0' }, { as: 'backend', headers })
    expect(status).toBe(200)
    expect(service.log.filter(({ event }) => event === WARNING)).toEqual([])
  })

  test('X-Forwarded-For is not believed, and the log says once what is missing', async () => {
    await using service = await startService({ clock: createFakeClock(), limits: LIMITS })
    expect(await callsFor(service, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])).toEqual([200, 200, 429])
    expect(service.log.filter(({ event }) => event === WARNING)).toMatchObject([
      { level: 'warn', address: '127.0.0.1' },
    ])
  })
})
